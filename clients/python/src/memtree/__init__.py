"""A client of memtree: a memory for AI agents that test software.

Ask before a run, tell what came of it; a run never waits longer than 200 ms and never fails
because of memory.
"""

from .aio import AsyncClient
from .client import Client
from .core import no_guidance
from .errors import MemtreeError
from .ids import new_id
from .place import Placement, join, place
from .run import Case, Run, Verdict
from .schema import ROUTES, Assertion, Evaluation, Guidance, Question, Risk, Truth

__all__ = [
    "ROUTES", "Assertion", "AsyncClient", "Case", "Client", "Evaluation", "Guidance", "MemtreeError", "Placement",
    "Question", "Risk", "Run", "Truth", "Verdict", "join", "new_id", "no_guidance", "place",
]
