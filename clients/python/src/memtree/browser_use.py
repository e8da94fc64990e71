"""browser-use: guidance goes into the agent's system message, and its judgment is recorded.

    hook = await recall(memory, task)
    agent = Agent(task=task, llm=llm, **hook.options())
    history = await agent.run()

Of browser-use it uses only ``extend_system_message`` and ``register_done_callback`` of ``Agent``, and
``is_successful``, ``final_result`` and ``errors`` of a history.
"""

from __future__ import annotations

import inspect
import json
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Protocol, Union

from .aio import AsyncClient
from .place import join
from .run import Case, Run, Verdict

MOST_ERRORS = 20


class History(Protocol):
    """The part of browser-use's AgentHistoryList that is used here."""

    def is_successful(self) -> Optional[bool]: ...

    def final_result(self) -> Optional[str]: ...

    def errors(self) -> List[Optional[str]]: ...


Done = Callable[[Any], Union[None, Awaitable[None]]]


def judgment_of(history: History) -> Any:
    """Returns the judgment of an agent: its final result, parsed if it is JSON.

    If the agent reports no success, the judgment contains that, the final result and the errors. None means
    that the agent did not finish, which is no judgment.
    """
    success, said = history.is_successful(), history.final_result()
    if success is None:
        return None
    try:
        result = json.loads(said) if said else said
    except (ValueError, RecursionError):
        result = said
    if success and result is not None:
        return result
    errors = [e for e in history.errors() if e][-MOST_ERRORS:]
    return {"success": success, "result": result, **({"errors": errors} if errors else {})}


class Hook:
    """One run of one agent. ``run`` has the guidance, the trial and, after the run, its id."""

    def __init__(
        self, memory: AsyncClient, run: Run, judgment: Callable[[Any], Any],
        truth: Optional[Callable[[Any], Optional[Verdict]]], risk: bool,
    ) -> None:
        self._memory, self._judgment, self._truth, self._risk = memory, judgment, truth, risk
        self.run = run

    def options(
        self, *, extend_system_message: Optional[str] = None, register_done_callback: Optional[Done] = None,
    ) -> Dict[str, Any]:
        """Returns options for ``Agent``: the user's message before the guidance, and the user's callback
        after ours.
        """

        async def done(history: Any) -> None:
            await self.done(history)
            if register_done_callback is not None:
                theirs = register_done_callback(history)
                if inspect.isawaitable(theirs):
                    await theirs

        text = join(extend_system_message, self.run.text)
        return {"register_done_callback": done, **({"extend_system_message": text} if text else {})}

    async def done(self, history: Any) -> None:
        """Records the agent's judgment, once; never raises. ``options`` registers it as a callback."""
        try:
            judgment = self._judgment(history)
            if judgment is None:
                return
            self.run.judged(judgment)
            said = self._truth(history) if self._truth else None
            if said is not None:
                self.run.true(**said)
            if self._risk:
                await self._memory.ask_risk(self.run)
        except Exception as thrown:
            self._memory.report(thrown)
        finally:
            self.run.finish()


async def recall(
    memory: AsyncClient, task: Union[str, Case, Mapping[str, Any]], *, judgment: Callable[[Any], Any] = judgment_of,
    truth: Optional[Callable[[Any], Optional[Verdict]]] = None, risk: bool = False,
) -> Hook:
    """Requests guidance for a run of an agent; never raises, and never waits longer than the deadline.

    ``task`` is the agent's task, or a case with it as ``prompt``. ``judgment`` reads the agent's judgment
    from its history (None: no judgment). ``truth`` returns the known truth; without one the run waits for a
    person. The verdict of browser-use's own judge comes from a model, so it is no truth. With ``risk`` the
    run includes the probability that the judgment is wrong.
    """
    run = await memory.start(task if isinstance(task, str) else dict(task))  # type: ignore[arg-type]
    return Hook(memory, run, judgment, truth, risk)
