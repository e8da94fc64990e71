"""The client for asyncio. It runs each request in a thread, with a hard time limit."""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
from contextlib import asynccontextmanager
from typing import (
    Any, AsyncIterator, Awaitable, Callable, List, Mapping, Optional, Sequence, TypeVar, Union, cast, overload,
)

from .core import (
    JOB_MS, Asked, Core, asked, checks_of, coming, encode, failed, guidance_of, no_guidance, risk_of, within,
)
from .errors import MemtreeError
from .limit import send_async
from .place import Placement
from .run import Case, Run, Verdict, case_of, parts_of, question_of
from .schema import Assertion, Evaluation, Evolve, Guidance, Job, Recorded, Result, Risk, Truth

F = TypeVar("F", bound=Callable[[Any], Awaitable[Any]])
Judge = Callable[[Any, Any], Union[Verdict, Awaitable[Verdict]]]


class AsyncClient(Core):
    """A memtree service, as ``Client`` is, without blocking the loop. ``record`` needs no await.

    One client serves several tasks, and loops one after another.
    """

    async def guide(self, question: Asked, *, deadline_ms: Optional[float] = None) -> Guidance:
        """What memory has to say before a run; empty if it has nothing, or did not answer in time."""
        try:
            return guidance_of(await self._ask("guide", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return no_guidance(str(thrown))

    async def risk(self, evaluation: Evaluation, *, deadline_ms: Optional[float] = None) -> Optional[Risk]:
        """How likely a verdict is to be wrong; None if the service does not say so in time."""
        try:
            return risk_of(await self._ask("risk", evaluation, deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return None

    async def checks(self, question: Asked, *, deadline_ms: Optional[float] = None) -> List[Assertion]:
        """What was missed on such a prompt, as assertions; empty: none, or not in time."""
        try:
            return checks_of(await self._ask("checks", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return []

    async def expect(self, tests: Sequence[Asked], *, deadline_ms: Optional[float] = None) -> bool:
        """Hands in the tests of a run before it begins; whether the service took them."""
        try:
            await self._ask("expect", coming(tests), deadline_ms)
            return True
        except Exception as thrown:
            self.report(thrown)
            return False

    async def start(self, case: Union[str, Case], *, placement: Placement = "append") -> Run:
        """Asks before a run, for those who cannot use a with block; call ``finish`` of what it returns."""
        whole, began = case_of(case), time.monotonic()
        guidance = await self.guide(question_of(whole))
        return Run(self, whole, guidance, self.deadline_ms - (time.monotonic() - began) * 1000, placement)

    @asynccontextmanager
    async def run(self, case: Union[str, Case], *, placement: Placement = "append") -> AsyncIterator[Run]:
        """Asks before the block, and records after it what the block said was ``judged``."""
        run = await self.start(case, placement=placement)
        try:
            yield run
        finally:
            run.finish()

    async def ask_risk(self, run: Run) -> Optional[Risk]:
        """How likely a judged run is to be wrong, within what guidance left of the deadline."""
        if run.evaluation is not None:
            run.risk = await self.risk(run.evaluation, deadline_ms=run.left_ms)
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
        """As ``Client.wrap``, of a coroutine function. ``judge`` may be one too."""
        if run_case is None:
            return functools.partial(self.wrap, placement=placement, judge=judge, risk=risk, on_run=on_run)
        inner = run_case

        @functools.wraps(inner)
        async def remembering(case: Case) -> Any:
            run = await self.start(case, placement=placement)
            result = await inner(run.given())
            try:
                await self._wrapped(run, case, result, judge, risk, on_run)
            except Exception as thrown:
                self.report(thrown)
            return result

        return cast(F, remembering)

    async def _wrapped(
        self, run: Run, case: Mapping[str, Any], result: Any, judge: Optional[Judge], risk: bool,
        on_run: Optional[Callable[[Run], None]],
    ) -> None:
        run.judged(*parts_of(result))
        try:
            if judge is not None:
                await self._truth(run, case, result, judge)
            if risk:
                await self.ask_risk(run)
        finally:
            run.finish()  # also when the task is cancelled meanwhile
        if on_run is not None:
            on_run(run)

    async def _truth(self, run: Run, case: Mapping[str, Any], result: Any, judge: Judge) -> None:
        run.unknown()
        try:
            said = judge(case, result)
            run.true(**(await said if inspect.isawaitable(said) else said))
        except Exception as thrown:
            self.report(thrown)

    async def flush(self, ms: float = 2000) -> int:
        """Sends what waits, for at most so many milliseconds. It returns how many records still wait."""
        return await asyncio.get_running_loop().run_in_executor(None, self._queue.flush, ms)

    async def close(self, ms: float = 2000) -> int:
        """As flush; and takes no more records. It returns how many were not sent."""
        left = await self.flush(ms)
        self._close()
        return left

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def evaluations(self, evaluations: List[Evaluation]) -> Recorded:
        """Records judged runs now, at most 1000. Each needs an id, or a run id, to be counted once."""
        return cast(Recorded, await self.request("record", evaluations))

    async def relabel(self, truth: Truth) -> Result:
        """Says what was true of a run."""
        return cast(Result, await self.request("relabel", truth))

    async def evolve(self, options: Optional[Evolve] = None, *, deadline_ms: float = 600_000) -> Job:
        """Lets the tree learn, and waits until it has, for at most ``deadline_ms`` milliseconds."""
        end, wait = time.monotonic() + deadline_ms / 1000, 0.02
        job = cast(Job, await self.request("evolve", options or {}))
        while job["state"] == "running" and time.monotonic() < end:
            await asyncio.sleep(wait)
            wait = min(wait * 2, 1.0)
            job = cast(Job, await self.request("job", path={"id": job["id"]}))
        if job["state"] == "failed":
            raise failed(job)
        return job

    async def request(
        self, operation: str, body: object = None, *, path: Optional[Mapping[str, str]] = None,
        query: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Any other operation of the specification, by its name; ``ROUTES`` has them all."""
        method, at = self._route(operation, path, query)
        sent, attempt = None if body is None else encode(body), 0
        while True:
            attempt += 1
            try:
                return await send_async(self._target, method, at, sent, JOB_MS)
            except MemtreeError as thrown:
                await asyncio.sleep(self._again(thrown, attempt))

    async def _ask(self, operation: str, body: object, deadline_ms: Optional[float]) -> Any:
        """Asks for something that a run waits for: the breaker decides whether the service is asked."""
        ms = self.deadline_ms if deadline_ms is None else deadline_ms
        method, path, sent = self._before(operation, body, ms)
        try:
            out = await send_async(self._target, method, path, sent, within(ms))
        except BaseException as thrown:
            self._after(thrown)
            raise
        self._after(None)
        return out
