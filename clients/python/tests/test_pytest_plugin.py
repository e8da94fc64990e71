"""The plugin of pytest, in sessions of its own and with a real service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import say
from test_contract import TRUTH, known, run, until

from memtree import Client

SUITE = '''
import pytest

def agent(prompt):
    """Looks at nothing, unless it is told to."""
    return {"verdict": "fail" if "[memtree]" in prompt or "memory" in prompt.lower() else "pass"}

@pytest.mark.memtree(scene={"id": "cart", "type": "cart", "route": "/cart/1"})
def test_total(memtree):
    prompt = memtree.prompt("Check that the total of cart 1 is the sum of its lines")
    assert prompt.startswith("Check that the total of cart 1 is the sum of its lines")
    memtree.judged(agent(prompt))

def test_that_fails(memtree):
    run = memtree.run({"prompt": "Check the footer", "id": "footer"})
    memtree.judged("pass", observation="- contentinfo")
    assert False

def test_two_runs_with_a_truth(memtree):
    for n in range(2):
        memtree.prompt("Check the header")
        memtree.judged({"verdict": "pass"})
        memtree.true({"verdict": "pass"})

def test_without_a_verdict(memtree):
    memtree.prompt("Check the imprint")
'''


def session(folder: Path, *args, suite=SUITE, env=None):
    """Runs pytest in a separate process. Returns the exit code and the output."""
    (folder / "test_suite.py").write_text(suite)
    path = str(Path(__file__).resolve().parents[1] / "src")
    plugin = [] if entry_point() else ["-p", "memtree.pytest_plugin"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MEMTREE_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *plugin, *args],
        cwd=folder, capture_output=True, text=True, env={**clean, "PYTHONPATH": path, **(env or {})}, timeout=120)
    return done.returncode, done.stdout + done.stderr


def entry_point() -> bool:
    """Reports whether the package is installed, so that pytest finds the plugin by itself."""
    from importlib.metadata import PackageNotFoundError, distribution
    try:
        return any(e.group == "pytest11" for e in distribution("memtree").entry_points)
    except PackageNotFoundError:
        return False


def test_without_an_address_nothing_is_asked_and_nothing_is_said(tmp_path):
    code, said = session(tmp_path)
    assert "1 failed, 3 passed" in said and "= memtree =" not in said and "warning: memory" not in said, said
    assert code == 1


def test_tests_are_warned_and_verdicts_recorded(serve, tmp_path):
    service = serve()
    with Client(service.url, deadline_ms=5000) as memory:
        memory.evaluations([run(n, ground_truth=TRUTH) for n in range(1, 7)])
        memory.evolve()
        before = memory.request("stats")
        env = {"MEMTREE_URL": service.url, "MEMTREE_DEADLINE": "5000"}
        _, said = session(tmp_path, env=env)
        assert "1 failed, 3 passed" in said, said
        assert "= memtree =" in said and "5 runs, " in said and ", 4 recorded" in said, said
        # Six labelled runs predict nothing, so no risk is more than the share of wrong ones.
        assert "riskiest verdicts" not in said and "warning: memory" not in said, said
        # The test that failed and the one without a truth wait for a person; passing is no truth.
        until(lambda: known(memory), before["trials"]["outcomes"]["known"] + 2)
        assert memory.request("stats")["evaluations"] == before["evaluations"] + 4
        time.sleep(0.3)
        assert known(memory) == before["trials"]["outcomes"]["known"] + 2


def test_the_address_may_stand_in_the_settings(fake, tmp_path):
    def answer(f, h):
        guidance = '{"text":"LOOK TWICE","trial":"t1","abstained":false,"hash":"","items":[],"nearest":null}'
        kind = h.path.rsplit("/", 1)[1]
        recorded = '{"accepted":1,"duplicate":0,"receipts":[]}'
        say(h, 200, {"guidance": guidance, "risk": '{"p":0.625,"enough":true}', "evaluations": recorded}[kind])

    server = fake(answer)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmemtree_url = {server.url}\n")
    _, said = session(tmp_path, "-k", "total", env={"MEMTREE_DEADLINE": "5000"})
    assert "1 runs, 1 guided, 1 recorded" in said, said
    assert '  0.62  test_suite.py::test_total  {"verdict": "pass"}' in said, said
    sent = [e for body in server.bodies if isinstance(body, list) for e in body]
    assert [e["trial"] for e in sent] == ["t1"] and "ground_truth" not in sent[0] and "correct" not in sent[0]
    assert sent[0]["case_id"] == "test_suite.py::test_total" and sent[0]["scene"]["route"] == "/cart/1"


@pytest.mark.parametrize("enough, keyword, listed", [
    (True, "total or fails", True), (False, "total or fails", False), (True, "two_runs_with_a_truth", False),
])
def test_only_open_verdicts_have_a_risk(fake, tmp_path, enough, keyword, listed):
    """A labelled run has no risk, and the share of wrong verdicts so far is not one."""
    def answer(f, h):
        guidance = '{"text":"","trial":"t1","abstained":true,"hash":"","items":[],"nearest":null}'
        recorded = '{"accepted":1,"duplicate":0,"receipts":[]}'
        risk = json.dumps({"p": 0.9, "enough": enough})
        say(h, 200, {"guidance": guidance, "risk": risk, "evaluations": recorded}[h.path.rsplit("/", 1)[1]])

    _, said = session(tmp_path, "-k", keyword, env={"MEMTREE_URL": fake(answer).url, "MEMTREE_DEADLINE": "5000"})
    assert ("riskiest verdicts" in said) is listed, said


def test_a_service_that_is_not_there_is_one_line(tmp_path):
    _, said = session(tmp_path, env={"MEMTREE_URL": "http://127.0.0.1:9"})
    assert "1 failed, 3 passed" in said, said
    assert said.count("warning: memory") == 1 and "4 runs were not recorded; the tests ran without it" in said, said
    assert "0 guided, 0 recorded" in said


def test_what_is_wrong_in_a_suite_is_said(tmp_path):
    wrong = ("import pytest\n@pytest.mark.memtree(mood='x')\ndef test_a(memtree): pass\n"
             "def test_b(memtree): memtree.judged('pass')\n")
    _, said = session(tmp_path, suite=wrong)
    assert "the marker memtree takes" in said and "not mood" in said and "call memtree.prompt" in said, said
    _, said = session(tmp_path, env={"MEMTREE_URL": "nonsense"})
    assert "memtree_url or MEMTREE_URL: 'nonsense' is no address" in said, said


def test_workers_of_xdist_are_added_up(fake, tmp_path):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    server = fake(lambda f, h: say(h, 200, json.dumps(
        {"text": "LOOK", "trial": "t", "p": 0.5, "accepted": 1, "duplicate": 0, "receipts": []})))
    _, said = session(tmp_path, "-n", "2", env={"MEMTREE_URL": server.url, "MEMTREE_DEADLINE": "5000"})
    assert "5 runs, 5 guided, 4 recorded" in said, said
