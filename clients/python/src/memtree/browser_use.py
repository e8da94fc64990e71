"""browser-use: an agent is warned in its system message, and what it judged is recorded.

    hook = await recall(memory, task)
    agent = Agent(task=task, llm=llm, **hook.options())
    history = await agent.run()

It needs nothing of browser-use but ``extend_system_message`` and ``register_done_callback`` of
``Agent``, and of a history ``is_successful``, ``final_result`` and ``errors``.
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
    """The part of browser-use's AgentHistoryList that is needed here."""

    def is_successful(self) -> Optional[bool]: ...

    def final_result(self) -> Optional[str]: ...

    def errors(self) -> List[Optional[str]]: ...


Done = Callable[[Any], Union[None, Awaitable[None]]]


def judgment_of(history: History) -> Any:
    """What an agent judged: its last word, as JSON if it is some.

    An agent that says it did not succeed is recorded with that, its last word and its errors. None:
    it came to no end, which is no judgment.
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
        """What to hand to ``Agent``, with the user's own message before the guidance and callback after ours."""

        async def done(history: Any) -> None:
            await self.done(history)
            if register_done_callback is not None:
                theirs = register_done_callback(history)
                if inspect.isawaitable(theirs):
                    await theirs

        text = join(extend_system_message, self.run.text)
        return {"register_done_callback": done, **({"extend_system_message": text} if text else {})}

    async def done(self, history: Any) -> None:
        """Records what the agent judged, once; never raises. ``options`` sees to it that it is called."""
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
    """Asks memory before a run of an agent; never raises, never waits longer than the deadline.

    ``task`` is the agent's, or a case with it as ``prompt``. ``judgment`` reads what the agent
    judged from its history (None: nothing), ``truth`` says what is known to be true of it; without
    one the run waits for a person. The verdict of browser-use's own judge is a model's, so it is no
    truth. With ``risk`` the run has how likely the judgment is to be wrong.
    """
    run = await memory.start(task if isinstance(task, str) else dict(task))  # type: ignore[arg-type]
    return Hook(memory, run, judgment, truth, risk)
