"""The client for programs that wait."""

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

    What a run calls (``guide``, ``risk``, ``checks``, ``record``, ``run``, ``wrap``) never raises
    and never waits longer than the deadline. What people and jobs call (``evaluations``,
    ``relabel``, ``evolve``, ``request``) raises a MemtreeError.
    """

    def guide(self, question: Asked, *, deadline_ms: Optional[float] = None) -> Guidance:
        """What memory has to say before a run; empty if it has nothing, or did not answer in time."""
        try:
            return guidance_of(self._ask("guide", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return no_guidance(str(thrown))

    def risk(self, evaluation: Evaluation, *, deadline_ms: Optional[float] = None) -> Optional[Risk]:
        """How likely a verdict is to be wrong; None if the service does not say so in time."""
        try:
            return risk_of(self._ask("risk", evaluation, deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return None

    def checks(self, question: Asked, *, deadline_ms: Optional[float] = None) -> List[Assertion]:
        """What was missed on such a prompt, as assertions, those with code first; empty: none, or not in time."""
        try:
            return checks_of(self._ask("checks", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return []

    def expect(self, tests: Sequence[Asked], *, deadline_ms: Optional[float] = None) -> bool:
        """Hands in the tests of a run before it begins; whether the service took them.

        Where it has a model, that reads them within a minute, and ``guide`` gives what it picked.
        """
        try:
            self._ask("expect", coming(tests), deadline_ms)
            return True
        except Exception as thrown:
            self.report(thrown)
            return False

    def start(self, case: Union[str, Case], *, placement: Placement = "append") -> Run:
        """Asks before a run, for those who cannot use a with block; call ``finish`` of what it returns."""
        whole, began = case_of(case), time.monotonic()
        guidance = self.guide(question_of(whole))
        return Run(self, whole, guidance, self.deadline_ms - (time.monotonic() - began) * 1000, placement)

    @contextmanager
    def run(self, case: Union[str, Case], *, placement: Placement = "append") -> Iterator[Run]:
        """Asks before the block, and records after it what the block said was ``judged``.

        An error of the block is the caller's; what was judged before it is recorded.
        """
        run = self.start(case, placement=placement)
        try:
            yield run
        finally:
            run.finish()

    def ask_risk(self, run: Run) -> Optional[Risk]:
        """How likely a judged run is to be wrong, within what guidance left of the deadline."""
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
        """A function of the same shape that asks before each run and records after it.

        ``run_case`` takes a case, a dict with ``prompt``, and returns the judgment, or a dict that
        has it under ``judgment``; what it returns comes back unchanged. It sees no ground truth.
        ``judge`` says in code whether a result was right; if it fails, the run stays unlabelled.
        ``on_run`` gets each run with its guidance and, with ``risk``, how likely it is to be wrong.
        It works as a decorator, with and without options.
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
        """Sends what waits, for at most so many milliseconds. It returns how many records still wait."""
        return self._queue.flush(ms)

    def close(self, ms: float = 2000) -> int:
        """As flush; and takes no more records. It returns how many were not sent."""
        left = self.flush(ms)
        self._close()
        return left

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def evaluations(self, evaluations: List[Evaluation]) -> Recorded:
        """Records judged runs now, at most 1000. Each needs an id, or a run id, to be counted once."""
        return cast(Recorded, self.request("record", evaluations))

    def relabel(self, truth: Truth) -> Result:
        """Says what was true of a run."""
        return cast(Result, self.request("relabel", truth))

    def evolve(self, options: Optional[Evolve] = None, *, deadline_ms: float = 600_000) -> Job:
        """Lets the tree learn, and waits until it has, for at most ``deadline_ms`` milliseconds."""
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
        """Any other operation of the specification, by its name; ``ROUTES`` has them all.

        What fails in passing is repeated, three times at most, after the time that the service says.
        """
        method, at = self._route(operation, path, query)
        sent, attempt = None if body is None else encode(body), 0
        while True:
            attempt += 1
            try:
                return send(self._target, method, at, sent, JOB_MS)
            except MemtreeError as thrown:
                time.sleep(self._again(thrown, attempt))

    def _ask(self, operation: str, body: object, deadline_ms: Optional[float]) -> Any:
        """Asks for something that a run waits for: the breaker decides whether the service is asked."""
        ms = self.deadline_ms if deadline_ms is None else deadline_ms
        method, path, sent = self._before(operation, body, ms)
        try:
            out = send(self._target, method, path, sent, within(ms))
        except BaseException as thrown:
            self._after(thrown)
            raise
        self._after(None)
        return out
