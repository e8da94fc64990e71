"""The common part of both clients: requests, answers and records."""

from __future__ import annotations

import atexit
import json
import os
import time
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast
from urllib.parse import quote, urlencode

from .breaker import Breaker
from .errors import MemtreeError, OnError, as_error, check_length, report
from .http import Exchange, Target
from .ids import new_id, now
from .queue import Queue
from .schema import LONGEST, ROUTES, Assertion, Coming, ComingTest, Evaluation, Guidance, Question, Risk

DEFAULT_URL = "http://127.0.0.1:7788"
JOB_MS = 30_000.0  # one request of a job or a person
TRIES = 4
EXIT_MS = 2000.0

Asked = Union[str, Question]
"""A prompt alone, or a query with more context."""


def no_guidance(note: str) -> Guidance:
    """Returns empty guidance. ``note`` is the reason."""
    return {"trial": "", "abstained": True, "text": "", "hash": "", "items": [], "nearest": None, "note": note}


class Core:
    """A memtree service: settings, breaker and queue. It sends no requests itself."""

    def __init__(
        self, url: Optional[str] = None, *, token: Optional[str] = None, tree: Optional[str] = None,
        deadline_ms: Optional[float] = None, queue: int = 1000, on_error: OnError = None,
    ) -> None:
        """Options that are not set are read from MEMTREE_URL, MEMTREE_TOKEN, MEMTREE_TREE and
        MEMTREE_DEADLINE.

        ``deadline_ms`` is how many milliseconds one run waits for memory in total, 200 by default. ``queue``
        is the maximum number of queued records. ``on_error`` receives the errors of memory and of recording;
        it may be called from another thread.
        """
        env = os.environ
        self._target = Target(url or env.get("MEMTREE_URL") or DEFAULT_URL, token or env.get("MEMTREE_TOKEN"))
        self._tree = tree or env.get("MEMTREE_TREE") or "default"
        self.deadline_ms = deadline_ms if deadline_ms is not None else _number(env.get("MEMTREE_DEADLINE"), 200.0)
        self._on_error = on_error
        self._breaker = Breaker()
        self._queue = Queue(self._post, queue, on_error)
        _open.add(self)

    def record(self, evaluation: Evaluation) -> str:
        """Queues a judged run to be sent soon; never waits and never raises.

        With the ``trial`` of its guidance it is the outcome of that trial; without a truth it waits for a
        person. Returns the run's id, by which ``relabel`` sets the truth later.
        """
        name = new_id("ev")
        try:
            name = str(evaluation.get("id") or name)
            self._queue.add({**evaluation, "id": name, "at": evaluation.get("at") or now()})
        except Exception as thrown:
            self._queue.refuse(name, thrown)
        return name

    @property
    def waiting(self) -> int:
        """The number of queued records."""
        return len(self._queue)

    @property
    def dropped(self) -> int:
        """The number of records that were dropped: the queue was full, or they are invalid."""
        return self._queue.dropped

    def report(self, thrown: BaseException) -> None:
        """Passes an error to ``on_error``, and never raises: for code that builds on this client."""
        report(self._on_error, thrown)

    def _close(self) -> None:
        self._queue.close()
        self._target.close()
        _open.discard(self)

    def _post(self, body: bytes, ms: float) -> Any:
        return Exchange(self._target, "POST", self._route("record")[1], body, ms).run()

    def _route(
        self, operation: str, path: Optional[Mapping[str, str]] = None, query: Optional[Mapping[str, str]] = None,
    ) -> Tuple[str, str]:
        """Returns the method and the path of an operation of the specification."""
        if operation not in ROUTES:
            raise MemtreeError("input", f"memtree has no operation {operation}; ROUTES has them all", status=-1)
        method, at = ROUTES[operation]
        for name, value in {"tree": self._tree, **(path or {})}.items():
            at = at.replace("{" + name + "}", quote(value, safe=""))
        return method, f"{at}?{urlencode(query)}" if query else at

    def _before(self, operation: str, body: object, ms: float) -> Tuple[str, str, bytes]:
        """Returns method, path and body of a run's request. Raises if no time is left, or the breaker is
        open.
        """
        method, path = self._route(operation)
        sent = encode(operation, body)
        if ms <= 0:
            raise MemtreeError("late", "no time is left to ask memtree")
        if not self._breaker.allows():
            raise MemtreeError("open", "memtree did not answer lately, so it is not asked for a while")
        return method, path, sent

    def _after(self, e: Optional[BaseException]) -> None:
        """Reports the result of a request to the breaker."""
        if e is None:
            self._breaker.succeeded()
        elif not isinstance(e, Exception):
            self._breaker.abandoned()
        elif as_error(e).passing:
            wait = as_error(e).retry_after
            self._breaker.failed(None if wait is None else wait / 1000)
        else:
            self._breaker.succeeded()  # it answers, though with an error

    def _again(self, thrown: BaseException, attempt: int) -> float:
        """Returns how many seconds to wait before a job's next attempt. Raises permanent errors."""
        e = as_error(thrown)
        if not e.passing or attempt >= TRIES:
            raise e
        return (200 * 2**attempt if e.retry_after is None else e.retry_after) / 1000


def asked(question: Asked) -> Question:
    return {"prompt": question} if isinstance(question, str) else question


def coming(tests: Sequence[Asked]) -> Coming:
    """Returns the tests in the form of the service, with prompt, scene and scope."""
    out: List[ComingTest] = []
    for question in map(asked, tests):
        test: ComingTest = {"prompt": question["prompt"]}
        if "scene" in question:
            test["scene"] = question["scene"]
        if "scope" in question:
            test["scope"] = question["scope"]
        out.append(test)
    return {"tests": out}


def within(ms: float) -> float:
    """Returns a slightly shorter time, because a busy process notices the end of a wait late."""
    return ms * 0.95


def guidance_of(answer: Any) -> Guidance:
    ok = isinstance(answer, dict) and isinstance(answer.get("text"), str) and isinstance(answer.get("trial"), str)
    if not ok:
        raise MemtreeError("answer", "what answered is no guidance of memtree; check the url of the client")
    return cast(Guidance, {**answer, "items": answer.get("items") or [], "nearest": answer.get("nearest")})


def risk_of(answer: Any) -> Optional[Risk]:
    p = answer.get("p") if isinstance(answer, dict) else None
    return cast(Risk, answer) if isinstance(p, (int, float)) and not isinstance(p, bool) else None


def checks_of(answer: Any) -> List[Assertion]:
    found = answer.get("checks") if isinstance(answer, dict) else None
    return [c for c in found if isinstance(c, dict)] if isinstance(found, list) else []  # type: ignore[misc]


def encode(operation: str, body: object) -> bytes:
    """Returns the body of a request. Raises a MemtreeError if it is no JSON, or longer than the operation takes."""
    try:
        out = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as cause:
        raise MemtreeError("input", f"a request to memtree has to be JSON: {cause}", status=-1) from cause
    check_length("the body of this request", out, LONGEST.get(operation, len(out)))
    return out


def failed(job: Mapping[str, Any]) -> MemtreeError:
    problem = job.get("problem")
    said = problem["detail"] if problem else "evolve failed"
    return MemtreeError("evolve", said, status=500, problem=problem)


def without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """Drops unknown values: the service accepts no null."""
    return {k: v for k, v in fields.items() if v is not None}


def _number(text: Optional[str], otherwise: float) -> float:
    try:
        value = float(text or "")
    except ValueError:
        return otherwise
    return value if 0 < value < float("inf") else otherwise


_open: "weakref.WeakSet[Core]" = weakref.WeakSet()


def _at_exit() -> None:
    """Sends the queued records when the process ends, for two seconds in total."""
    end = time.monotonic() + EXIT_MS / 1000
    for core in list(_open):
        core._queue.flush(max(0.0, end - time.monotonic()) * 1000)


atexit.register(_at_exit)
