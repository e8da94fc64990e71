"""One run of an agent: its prompt and its judgment."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Protocol, Tuple, TypedDict, Union, cast

from .core import without_none
from .ids import new_id, now
from .place import Placement, join, place
from .schema import Agent, Evaluation, Guidance, Question, Risk, Scene, Scope

_NOT_SAID: Any = object()


class _Case(TypedDict):
    prompt: str


class Case(_Case, total=False):
    """One test case to run. The agent never receives ``ground_truth``."""

    id: str
    run_id: str
    attempt: int
    context: str
    observation: str
    scene: Scene
    scope: Scope
    agent: Agent
    ground_truth: Any


class Verdict(TypedDict, total=False):
    """A judge's verdict on a result; ``reason`` is a sentence on what was missed."""

    correct: bool
    direction: str
    reason: str


class Recorder(Protocol):
    """A receiver of judged runs, such as a client."""

    def record(self, evaluation: Evaluation) -> str: ...


class Run:
    """One run of an agent. ``prompt`` is the prompt for the agent: the user's text with the guidance.

    ``guidance`` is the whole answer, ``trial`` the trial of its guidance (empty: none), ``risk`` the
    probability that the judgment is wrong, if it was requested and arrived in time, and ``id`` the run's id
    in the store, by which ``relabel`` sets the truth later. A run is for one thread or task.
    """

    def __init__(
        self, to: Recorder, case: Mapping[str, Any], guidance: Guidance, left_ms: float, where: Placement = "append",
    ) -> None:
        self._to = to
        self._judged: Optional[Evaluation] = None
        self._kept = False
        self._truth: Dict[str, Any] = {k: case[k] for k in ("ground_truth",) if k in case}
        self.case = dict(case)
        self.guidance = guidance
        self.trial = guidance["trial"]
        self.text = guidance["text"]
        self.left_ms = left_ms  # of the deadline, for risk
        own = case.get("prompt", "")
        self.prompt = place(own if isinstance(own, str) else "", self.text, where)
        self.context = (join(case.get("context"), self.text) or None) if where == "separate" else case.get("context")
        self.risk: Optional[Risk] = None
        self.id = new_id("ev")

    def given(self) -> Dict[str, Any]:
        """Returns the case for the agent: with guidance, without the truth."""
        out = dict(self.case)
        if self.text or isinstance(self.case.get("prompt"), str):  # without guidance the case stays as it is
            out["prompt"] = self.prompt
        out.pop("ground_truth", None)
        if self.context is not None:
            out["context"] = self.context
        return out

    def judged(self, judgment: Any, observation: Optional[str] = None) -> None:
        """Sets the agent's judgment, any JSON, and its observation. The last call wins."""
        c = self.case
        known = without_none({
            "id": self.id, "run_id": c.get("run_id"), "case_id": c.get("id"), "attempt": c.get("attempt"),
            "scene": c.get("scene"), "scope": c.get("scope"), "prompt": c.get("prompt"), "agent": c.get("agent"),
            "observation": observation, "trial": self.trial or None, "at": now(),
        })
        self._judged = cast(Evaluation, {**known, "judgment": judgment})

    def true(
        self, ground_truth: Any = _NOT_SAID, *, correct: Optional[bool] = None, direction: Optional[str] = None,
        reason: Optional[str] = None,
    ) -> None:
        """Sets the truth, where it is known. Without it the run waits for a person."""
        said = without_none({"correct": correct, "direction": direction, "reason": reason})
        self._truth = said if ground_truth is _NOT_SAID else {**said, "ground_truth": ground_truth}

    def unknown(self) -> None:
        """Removes the truth that was set."""
        self._truth = {}

    @property
    def truth(self) -> Dict[str, Any]:
        """The truth that was set; empty if none."""
        return self._truth

    @property
    def evaluation(self) -> Optional[Evaluation]:
        """The run as it is recorded, without a truth; None before ``judged``."""
        return self._judged

    def finish(self) -> bool:
        """Records the run, once, if it was judged. Returns whether it was."""
        if self._judged is not None and not self._kept:
            self._kept = True
            self._to.record(cast(Evaluation, {**self._judged, **self._truth}))
        return self._kept


def case_of(case: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    """Returns a case with an id for this run; a prompt alone is a case."""
    out = {"prompt": case} if isinstance(case, str) else dict(case)
    out["run_id"] = out.get("run_id") or new_id("r")
    return out


def question_of(case: Mapping[str, Any]) -> Question:
    """Returns the query for guidance for a case."""
    return cast(Question, without_none({
        "prompt": case.get("prompt"), "observation": case.get("observation"), "scene": case.get("scene"),
        "scope": case.get("scope"), "agent": case.get("agent"), "runId": case.get("run_id"),
    }))


def parts_of(result: Any) -> Tuple[Any, Optional[str]]:
    """Returns the judgment and the observation in the result of a user's function."""
    if isinstance(result, Mapping) and "judgment" in result:
        seen = result.get("observation")
        return result["judgment"], seen if isinstance(seen, str) else None
    return result, None
