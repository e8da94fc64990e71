"""pytest: tests that drive an agent get guidance, and the agent's judgments are recorded.

It is on if MEMTREE_URL or the ini option ``memtree_url`` is set. The result of a test is no truth about the
agent: without ``true`` a run is recorded unlabelled and waits for a person.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Optional, Union, cast

import pytest

from .client import Client
from .core import Asked, no_guidance
from .errors import MemtreeError
from .run import Case, Run, case_of
from .schema import Evaluation

SHOWN = 3  # riskiest verdicts in the summary
FLUSH_MS = 2000.0
KEY = "memtree"


class _Off:
    """Replaces the client if no service is configured."""

    def record(self, evaluation: Evaluation) -> str:
        return str(evaluation.get("id", ""))


class Tally:
    """The figures of the summary; workers of pytest-xdist send them as ``plain``."""

    def __init__(self) -> None:
        self.runs = self.guided = self.judged = self.unsent = 0
        self.trouble = ""
        self.risks: List[List[Any]] = []  # probability, test, judgment

    def plain(self) -> Dict[str, Any]:
        return dict(vars(self))

    def add(self, other: Dict[str, Any]) -> None:
        for name in ("runs", "guided", "judged", "unsent", "risks"):
            setattr(self, name, getattr(self, name) + other[name])
        self.trouble = self.trouble or other["trouble"]

    def heard(self, e: MemtreeError) -> None:
        """Stores the first error of memory; may be called from another thread."""
        self.trouble = self.trouble or str(e)

    def lines(self) -> List[str]:
        out = [f"{self.runs} runs, {self.guided} guided, {self.judged - self.unsent} recorded"]
        worst = sorted(self.risks, key=lambda r: (-r[0], r[1]))[:SHOWN]
        if worst:
            out.append("riskiest verdicts, to look at first:")
        return out + [f"  {p:.2f}  {test}  {said}" for p, test, said in worst]

    def warning(self) -> str:
        if not self.trouble and not self.unsent:
            return ""
        lost = f", and {self.unsent} runs were not recorded" if self.unsent else ""
        return f"memory did not always help{lost}; the tests ran without it: {self.trouble}"


class Plugin:
    """The client of one session."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tally = Tally()
        self.client: Optional[Client] = None
        self.risk = bool(config.getini("memtree_risk"))
        url = str(config.getini("memtree_url")) or os.environ.get("MEMTREE_URL", "")
        if url:
            tree = str(config.getini("memtree_tree")) or None
            try:
                self.client = Client(url, tree=tree, on_error=self.tally.heard)
            except ValueError as e:
                raise pytest.UsageError(f"memtree_url or MEMTREE_URL: {e}") from e

    def start(self, case: Union[str, Case]) -> Run:
        if self.client is None:
            return Run(_Off(), case_of(case), no_guidance("memtree is off: MEMTREE_URL is not set"), 0)
        run = self.client.start(case)
        self.tally.runs += 1
        self.tally.guided += bool(run.text)
        return run

    def finish(self, run: Run) -> None:
        if self.client is None or run.evaluation is None:
            return
        # A labelled run needs no risk. If past verdicts do not predict errors, the risk is only the share of
        # wrong ones.
        risk = self.client.ask_risk(run) if self.risk and not run.truth else None
        if run.finish():
            self.tally.judged += 1
        if risk is not None and risk["enough"]:
            said = json.dumps(run.evaluation["judgment"], ensure_ascii=False, default=str)
            self.tally.risks.append([risk["p"], run.case.get("id"), said if len(said) <= 60 else said[:59] + "…"])

    def pytest_collection_finish(self, session: Any) -> None:
        """Announces the tests whose marker has a prompt, so that they are read before they run."""
        tests = [said for said in map(_named, session.items) if isinstance(said.get("prompt"), str)]
        if self.client is not None and tests and not self.config.option.collectonly:
            self.client.expect(cast(List[Asked], tests))

    def pytest_sessionfinish(self) -> None:
        if self.client is not None:
            self.client.close(FLUSH_MS)
            self.tally.unsent = self.client.waiting + self.client.dropped
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output[KEY] = self.tally.plain()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Adds the figures of a worker of pytest-xdist that ended."""
        found = getattr(node, "workeroutput", {}).get(KEY)
        if found:
            self.tally.add(found)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.tally.runs == 0:
            return
        terminalreporter.section("memtree")
        for line in self.tally.lines():
            terminalreporter.write_line(line)
        if self.tally.warning():
            terminalreporter.write_line("warning: " + self.tally.warning(), yellow=True)


class Remembering:
    """The fixture ``memtree``: the runs of one test.

    ``prompt`` requests guidance and returns the prompt for the agent; ``judged`` sets the agent's judgment.
    ``run`` is the same for tests that need all of it. A run is recorded when the next one begins or the test
    ends, so that a test can set the truth with ``true`` before that.
    """

    def __init__(self, plugin: Plugin, test: str, defaults: Dict[str, Any]) -> None:
        self._plugin, self._test, self._defaults = plugin, test, defaults
        self._last: Optional[Run] = None
        self._count = 0

    @property
    def client(self) -> Optional[Client]:
        """None if no service is configured."""
        return self._plugin.client

    def run(self, case: Union[str, Case]) -> Run:
        """Requests guidance for a run; values of the marker are defaults of the case."""
        self.close()
        self._count += 1
        name = self._test if self._count == 1 else f"{self._test}#{self._count}"
        said = {"prompt": case} if isinstance(case, str) else dict(case)
        self._last = self._plugin.start(cast(Case, {"id": name, **self._defaults, **said}))
        return self._last

    def prompt(self, case: Union[str, Case]) -> str:
        """Returns the prompt with the guidance after it."""
        return self.run(case).prompt

    def judged(self, judgment: Any, observation: Optional[str] = None) -> None:
        """Sets the agent's judgment, any JSON, and its observation."""
        self._now("judged").judged(judgment, observation)

    def true(self, *args: Any, **more: Any) -> None:
        """Sets the truth, where the test knows it; like ``Run.true``."""
        self._now("true").true(*args, **more)

    def close(self) -> None:
        if self._last is not None:
            self._plugin.finish(self._last)
            self._last = None

    def _now(self, what: str) -> Run:
        if self._last is None:
            raise RuntimeError(f"memtree.{what} needs a run: call memtree.prompt(...) or memtree.run(...) before it")
        return self._last


KNOWN = set(Case.__annotations__) - {"run_id"}


def _named(node: Any) -> Dict[str, Any]:
    """Returns the values of the markers without checking them; the nearest marker wins."""
    out: Dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("memtree"))):
        out.update(marker.kwargs)
    return out


def _defaults(node: Any) -> Dict[str, Any]:
    """Returns the values of the markers; the nearest marker wins. Raises for unknown ones."""
    out: Dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers("memtree"))):
        strange = sorted(set(marker.kwargs) - KNOWN)
        if marker.args or strange:
            what = ", ".join(strange) or "values without a name"
            raise pytest.UsageError(f"{node.nodeid}: the marker memtree takes {', '.join(sorted(KNOWN))}, not {what}")
        out.update(marker.kwargs)
    return out


@pytest.fixture
def memtree(request: pytest.FixtureRequest) -> Iterator[Remembering]:
    """Requests guidance for the agent of this test, and records its judgments."""
    plugin = cast(Plugin, request.config.pluginmanager.get_plugin("memtree-session"))
    out = Remembering(plugin, request.node.nodeid, _defaults(request.node))
    yield out
    out.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("memtree_url", "address of a memtree service; left out: MEMTREE_URL, and without it memtree is off")
    parser.addini("memtree_tree", "tree of the service; left out: MEMTREE_TREE, or default")
    parser.addini("memtree_risk", "ask how likely each verdict is to be wrong, for the summary", "bool", True)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "memtree(prompt, scene, scope, ...): what memory is told of the runs of a test; with a "
                            "prompt it is read before it runs")
    config.pluginmanager.register(Plugin(config), "memtree-session")
