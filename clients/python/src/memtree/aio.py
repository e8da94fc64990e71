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
    """A memtree service, like ``Client``, without blocking the loop. ``record`` needs no await.

    One client serves several tasks, and one loop after another.
    """

    async def guide(self, question: Asked, *, deadline_ms: Optional[float] = None) -> Guidance:
        """Returns guidance for a run; empty if there is none, or no answer within the deadline."""
        try:
            return guidance_of(await self._ask("guide", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return no_guidance(str(thrown))

    async def risk(self, evaluation: Evaluation, *, deadline_ms: Optional[float] = None) -> Optional[Risk]:
        """Returns the probability that a verdict is wrong; None without an answer within the deadline."""
        try:
            return risk_of(await self._ask("risk", evaluation, deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return None

    async def checks(self, question: Asked, *, deadline_ms: Optional[float] = None) -> List[Assertion]:
        """Returns earlier misses on such a prompt as assertions; empty without any, or without an answer in
        time.
        """
        try:
            return checks_of(await self._ask("checks", asked(question), deadline_ms))
        except Exception as thrown:
            self.report(thrown)
            return []

    async def expect(self, tests: Sequence[Asked], *, deadline_ms: Optional[float] = None) -> bool:
        """Announces the tests of a run before it begins. Returns whether the service accepted them."""
        try:
            await self._ask("expect", coming(tests), deadline_ms)
            return True
        except Exception as thrown:
            self.report(thrown)
            return False

    async def start(self, case: Union[str, Case], *, placement: Placement = "append") -> Run:
        """Requests guidance for a run, for code that cannot use a with block; call ``finish`` on the result.
        """
        whole, began = case_of(case), time.monotonic()
        guidance = await self.guide(question_of(whole))
        return Run(self, whole, guidance, self.deadline_ms - (time.monotonic() - began) * 1000, placement)

    @asynccontextmanager
    async def run(self, case: Union[str, Case], *, placement: Placement = "append") -> AsyncIterator[Run]:
        """Requests guidance before the block, and records after it what the block passed to ``judged``."""
        run = await self.start(case, placement=placement)
        try:
            yield run
        finally:
            run.finish()

    async def ask_risk(self, run: Run) -> Optional[Risk]:
        """Returns the probability that a run's judgment is wrong, within the rest of the deadline."""
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
        """Like ``Client.wrap``, for a coroutine function. ``judge`` may be one too."""
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
            run.finish()  # also if the task was cancelled meanwhile
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
        """Sends the queued records, for at most ``ms`` milliseconds. Returns how many are still queued."""
        return await asyncio.get_running_loop().run_in_executor(None, self._queue.flush, ms)

    async def close(self, ms: float = 2000) -> int:
        """Like flush, and accepts no more records. Returns how many were not sent."""
        left = await self.flush(ms)
        self._close()
        return left

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def evaluations(self, evaluations: List[Evaluation]) -> Recorded:
        """Records judged runs now, at most 1000. Each needs an id or a run id, so that it is stored once."""
        return cast(Recorded, await self.request("record", evaluations))

    async def relabel(self, truth: Truth) -> Result:
        """Sets the truth of a run."""
        return cast(Result, await self.request("relabel", truth))

    async def evolve(self, options: Optional[Evolve] = None, *, deadline_ms: float = 600_000) -> Job:
        """Runs evolve on the tree and waits for its end, for at most ``deadline_ms`` milliseconds."""
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
        """Calls any other operation of the specification by its name; ``ROUTES`` lists them."""
        method, at = self._route(operation, path, query)
        sent, attempt = None if body is None else encode(operation, body), 0
        while True:
            attempt += 1
            try:
                return await send_async(self._target, method, at, sent, JOB_MS)
            except MemtreeError as thrown:
                await asyncio.sleep(self._again(thrown, attempt))

    async def _ask(self, operation: str, body: object, deadline_ms: Optional[float]) -> Any:
        """Sends a request on behalf of a run: none is sent while the breaker is open."""
        ms = self.deadline_ms if deadline_ms is None else deadline_ms
        method, path, sent = self._before(operation, body, ms)
        try:
            out = await send_async(self._target, method, path, sent, within(ms))
        except BaseException as thrown:
            self._after(thrown)
            raise
        self._after(None)
        return out
