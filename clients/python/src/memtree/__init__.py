"""A client of memtree: a memory for AI agents that test software.

Request guidance before a run and record its result afterwards. A run never waits for memory longer than the
deadline (200 ms by default), and never fails because of it.
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
