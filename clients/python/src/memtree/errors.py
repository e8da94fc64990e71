"""The exception of the client."""

from __future__ import annotations

from typing import Callable, Optional

from .schema import Problem


class MemtreeError(Exception):
    """An error of the client or of the service. Its text describes what happened and what to do.

    ``code`` is for programs: ``late`` (no answer within the deadline), ``unreachable``, ``open`` (the breaker
    is open: no request was sent), ``answer`` (the answer is not memtree's), ``queue-full``, ``too-large``,
    ``input``, or one of the service, such as ``busy``. ``status`` is the HTTP status; 0: there was no answer.
    ``retry_after`` is in milliseconds.
    """

    def __init__(
        self, code: str, message: str, *, status: int = 0, retry_after: Optional[float] = None,
        problem: Optional[Problem] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retry_after = retry_after
        self.problem = problem

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status == 429 or self.status >= 500


def check_length(what: str, body: bytes, most: int) -> None:
    """Raises the error of a body that is longer than the service takes. A service that refuses a long body closes
    the connection, which looks as if it were unreachable.
    """
    if len(body) > most:
        said = f"{what} has {len(body)} bytes, and memtree takes {most} at most; nothing was sent: "
        raise MemtreeError("too-large", said + "shorten it, or send it in parts", status=413)


OnError = Optional[Callable[[MemtreeError], None]]


def as_error(thrown: BaseException) -> MemtreeError:
    if isinstance(thrown, MemtreeError):
        return thrown
    out = MemtreeError("internal", f"memtree client: {thrown or type(thrown).__name__}", status=-1)
    out.__cause__ = thrown
    return out


def report(hook: OnError, thrown: BaseException) -> None:
    """Calls the user's hook, and ignores what it raises."""
    if hook is None:
        return
    try:
        hook(as_error(thrown))
    except Exception:  # a hook that fails must not fail the run
        pass
