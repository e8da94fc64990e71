"""The blocking client."""

from __future__ import annotations

import functools
import inspect
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union, cast, overload

from .core import (
    JOB_MS, Asked, Core, asked, checks_of, coming, encode, failed, guidance_of, no_guidance, risk_of, within,
)
from .errors import MemtreeError
from .limit import send
from .place import Placement
from .run import Case, Run, Verdict, case_of, parts_of, question_of
from .schema import Assertion, Evaluation, Evolve, Guidance, Job, Recorded, Result, Risk, Truth

F = TypeVar("F", bound=Callable[[Any], Any])
Judge = Callable[[Any, Any], Verdict]


class Client(Core):
    """A memtree service. Safe for use by several threads.

    The methods for runs (``guide``, ``risk``, ``checks``, ``record``, ``run``, ``wrap``) never raise and
    never wait longer than the deadline. The methods for people and jobs (``evaluations``, ``relabel``,
    ``evolve``, ``request``) raise a MemtreeError.
    """

    def guide(self, question: Asked, *, deadline_ms: Optional[float] = None) -> Guidance:
        """Returns guidance for a run; empty if there is none, or no answer within the deadline."""
        try:
            return guidance_of(self._ask("guide", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return no_guidance(str(thrown))

    def risk(self, evaluation: Evaluation, *, deadline_ms: Optional[float] = None) -> Optional[Risk]:
        """Returns the probability that a verdict is wrong; None without an answer within the deadline."""
        try:
            return risk_of(self._ask("risk", evaluation, deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return None

    def checks(self, question: Asked, *, deadline_ms: Optional[float] = None) -> List[Assertion]:
        """Returns earlier misses on such a prompt as assertions, those with code first; empty without any, or
        without an answer in time.
        """
        try:
            return checks_of(self._ask("checks", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return []

    def expect(self, tests: Sequence[Asked], *, deadline_ms: Optional[float] = None) -> bool:
        """Announces the tests of a run before it begins. Returns whether the service accepted them.

        If the service has a model, it reads the tests within a minute, and ``guide`` returns what it picked.
        """
        try:
            self._ask("expect", coming(tests), deadline_ms)
            return True
        except Exception as thrown:
            self.report(thrown)
            return False

    def start(self, case: Union[str, Case], *, placement: Placement = "append") -> Run:
        """Requests guidance for a run, for code that cannot use a with block; call ``finish`` on the result.
        """
        whole, began = case_of(case), time.monotonic()
        guidance = self.guide(question_of(whole))
        return Run(self, whole, guidance, self.deadline_ms - (time.monotonic() - began) * 1000, placement)

    @contextmanager
    def run(self, case: Union[str, Case], *, placement: Placement = "append") -> Iterator[Run]:
        """Requests guidance before the block, and records after it what the block passed to ``judged``.

        An error of the block reaches the caller; a judgment before it is recorded.
        """
        run = self.start(case, placement=placement)
        try:
            yield run
        finally:
            run.finish()

    def ask_risk(self, run: Run) -> Optional[Risk]:
        """Returns the probability that a run's judgment is wrong, within the rest of the deadline."""
        if run.evaluation is not None:
            run.risk = self.risk(run.evaluation, deadline_ms=run.left_ms)
        return run.risk

    @overload
    def wrap(
        self, run_case: F, *, placement: Placement = ..., judge: Optional[Judge] = ..., risk: bool = ...,
        on_run: Optional[Callable[[Run], None]] = ...,
    ) -> F: ...

    @overload
    def wrap(
        self, *, placement: Placement = ..., judge: Optional[Judge] = ..., risk: bool = ...,
        on_run: Optional[Callable[[Run], None]] = ...,
    ) -> Callable[[F], F]: ...

    def wrap(
        self, run_case: Optional[F] = None, *, placement: Placement = "append",
        judge: Optional[Judge] = None, risk: bool = False, on_run: Optional[Callable[[Run], None]] = None,
    ) -> Any:
        """Returns a function of the same shape that requests guidance before each run and records it
        afterwards.

        ``run_case`` takes a case, a dict with ``prompt``, and returns the judgment, or a dict with it under
        ``judgment``; the result is returned unchanged. ``run_case`` receives no ground truth. ``judge``
        decides in code whether a result is right; if it fails, the run stays unlabelled. ``on_run`` receives
        each run with its guidance and, with ``risk``, the probability that its judgment is wrong. It works as
        a decorator, with and without options.
        """
        if run_case is None:
            return functools.partial(self.wrap, placement=placement, judge=judge, risk=risk, on_run=on_run)
        if inspect.iscoroutinefunction(run_case):
            raise TypeError("memtree.Client wraps functions that wait; take memtree.AsyncClient for this coroutine")
        inner = run_case

        @functools.wraps(inner)
        def remembering(case: Case) -> Any:
            run = self.start(case, placement=placement)
            result = inner(run.given())
            self._safely(lambda: self._wrapped(run, case, result, judge, risk, on_run))
            return result

        return cast(F, remembering)

    def _wrapped(
        self, run: Run, case: Mapping[str, Any], result: Any, judge: Optional[Judge], risk: bool,
        on_run: Optional[Callable[[Run], None]],
    ) -> None:
        run.judged(*parts_of(result))
        if judge is not None:
            run.unknown()
            self._safely(lambda: run.true(**judge(case, result)))
        if risk:
            self.ask_risk(run)
        run.finish()
        if on_run is not None:
            on_run(run)

    def _safely(self, do: Callable[[], None]) -> None:
        try:
            do()
        except Exception as thrown:
            self.report(thrown)

    def flush(self, ms: float = 2000) -> int:
        """Sends the queued records, for at most ``ms`` milliseconds. Returns how many are still queued."""
        return self._queue.flush(ms)

    def close(self, ms: float = 2000) -> int:
        """Like flush, and accepts no more records. Returns how many were not sent."""
        left = self.flush(ms)
        self._close()
        return left

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def evaluations(self, evaluations: List[Evaluation]) -> Recorded:
        """Records judged runs now, at most 1000. Each needs an id or a run id, so that it is stored once."""
        return cast(Recorded, self.request("record", evaluations))

    def relabel(self, truth: Truth) -> Result:
        """Sets the truth of a run."""
        return cast(Result, self.request("relabel", truth))

    def evolve(self, options: Optional[Evolve] = None, *, deadline_ms: float = 600_000) -> Job:
        """Runs evolve on the tree and waits for its end, for at most ``deadline_ms`` milliseconds."""
        end, wait = time.monotonic() + deadline_ms / 1000, 0.02
        job = cast(Job, self.request("evolve", options or {}))
        while job["state"] == "running" and time.monotonic() < end:
            time.sleep(wait)
            wait = min(wait * 2, 1.0)
            job = cast(Job, self.request("job", path={"id": job["id"]}))
        if job["state"] == "failed":
            raise failed(job)
        return job

    def request(
        self, operation: str, body: object = None, *, path: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Calls any other operation of the specification by its name; ``ROUTES`` lists them.

        It repeats temporary failures at most three times, after the pause that the service requests.
        """
        method, at = self._route(operation, path, query)
        sent, attempt = None if body is None else encode(operation, body), 0
        while True:
            attempt += 1
            try:
                return send(self._target, method, at, sent, JOB_MS)
            except MemtreeError as thrown:
                time.sleep(self._again(thrown, attempt))

    def _ask(self, operation: str, body: object, deadline_ms: Optional[float]) -> Any:
        """Sends a request on behalf of a run: none is sent while the breaker is open."""
        ms = self.deadline_ms if deadline_ms is None else deadline_ms
        method, path, sent = self._before(operation, body, ms)
        try:
            out = send(self._target, method, path, sent, within(ms))
        except BaseException as thrown:
            self._after(thrown)
            raise
        self._after(None)
        return out
