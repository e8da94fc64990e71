"""The contract of the clients, against a real service."""

from __future__ import annotations

import asyncio
import json
import subprocess
import time

import pytest

from memtree import AsyncClient, Client, MemtreeError

TRUTH = {"verdict": "fail", "defect_details": ["The total is wrong: it is not the sum of the lines"]}


def run(n, **more):
    return {"id": f"run-{n}", "case_id": f"cart-{n}",
            "prompt": f"Check that the total of cart {n} is the sum of its lines",
            "scene": {"id": "cart", "type": "cart", "route": f"/cart/{n}"}, "judgment": {"verdict": "pass"}, **more}


@pytest.fixture(scope="module")
def service(serve):
    return serve()


@pytest.fixture
def heard():
    return []


@pytest.fixture
def memory(service, heard):
    with Client(service.url, on_error=heard.append, deadline_ms=5000) as client:
        yield client


def test_expect(memory, heard, service):
    """Tests are announced before the run, and known then."""
    before = memory.request("briefs")["tests"]
    assert memory.expect(["Open the page of the week", {"prompt": "Close it", "scope": {"product": "shop"}}])
    assert memory.request("briefs")["tests"] == before + 2
    assert not heard


@pytest.fixture(scope="module")
def learned(service):
    """The service has learned that totals are not added up."""
    with Client(service.url, deadline_ms=5000) as client:
        for n in range(1, 7):
            client.record(run(n))
        assert client.flush(5000) == 0
        for n in range(1, 7):
            client.relabel({"evaluation": f"run-{n}", "groundTruth": TRUTH, "by": "a tester"})
        assert client.evolve()["state"] == "done"
    return service


def known(memory):
    """The number of outcomes that are joined to trials."""
    return memory.request("stats")["trials"]["outcomes"]["known"]


def until(ask, want, seconds=5):
    end = time.monotonic() + seconds
    while ask() != want and time.monotonic() < end:
        time.sleep(0.1)
    assert ask() == want


def test_an_empty_memory_has_nothing_to_say(serve, heard):
    with Client(serve().url, on_error=heard.append, deadline_ms=5000) as memory:
        got = memory.guide("Check the order total")
        assert (got["abstained"], got["text"], memory.checks("Check the order total")) == (True, "", [])
    assert heard == []


def test_records_are_sent_in_the_background_and_counted_once(memory, heard):
    assert memory.record(run("twice")) == "run-twice"
    memory.record(run("twice"))
    assert memory.flush(5000) == 0
    again = memory.evaluations([{**run("twice"), "at": "2026-01-02T03:04:05Z"}, run("once")])
    assert (again["accepted"], again["duplicate"]) == (1, 1)
    assert [r["status"] for r in again["receipts"]] == ["duplicate", "accepted"]
    assert heard == []


def test_what_was_learned_warns_the_next_run(learned, memory, heard):
    question = {"prompt": run(1)["prompt"], "scene": run(1)["scene"]}
    got = memory.guide(question)
    assert "total" in got["text"].lower() and got["trial"] and got["items"]
    assert 0 < memory.risk(run(9))["p"] < 1
    assert heard == []


def test_what_was_missed_comes_back_as_checks(memory, heard):
    case = {"prompt": 'Does the heading read "Basket"?', "scene": {"id": "basket", "route": "/basket"}}
    told = {"has_defect": True, "defect_details": ['The heading reads "Cart" instead of "Basket".']}
    memory.evaluations([{**case, "id": "basket", "judgment": {"has_defect": False}, "ground_truth": told}])
    until(lambda: len(memory.checks(case)), 1)
    check = memory.checks({**case, "observation": '- heading "Cart"'})[0]
    assert "name: 'Basket'" in check["playwright"] and check["state"] == "broken"
    assert heard == []


def test_one_record_that_cannot_be_used_does_not_stop_the_others(memory, heard):
    memory.record(run("known"))
    assert memory.flush(5000) == 0
    before = memory.request("stats")["evaluations"]
    memory.record(run("bad", prompt=""))
    memory.record(run("good"))
    memory.record(run("known", judgment={"verdict": "fail"}))  # another run with an id that was used
    memory.record(run("last"))
    assert memory.flush(5000) == 0
    assert memory.request("stats")["evaluations"] == before + 2
    assert sorted(e.code for e in heard) == ["contradiction", "input"]
    assert memory.dropped == 2


def test_a_request_that_cannot_be_used_raises_what_to_do(memory):
    with pytest.raises(MemtreeError, match="prompt") as e:
        memory.evaluations([{"prompt": "", "judgment": 1}])
    assert e.value.status == 422 and not e.value.passing
    with pytest.raises(MemtreeError) as e:
        memory.request("node", path={"id": "../../x"})
    assert e.value.status == 404
    with pytest.raises(MemtreeError, match="operation"):
        memory.request("nothing")


def test_wrap_asks_runs_and_records_the_outcome_of_the_trial(learned, memory, heard):
    before, seen, runs = known(memory), [], []

    @memory.wrap(risk=True, on_run=runs.append)
    def run_case(case):
        seen.append(case)
        return {"judgment": {"verdict": "pass"}, "steps": 3}

    case = {"id": "cart-1", "prompt": run(1)["prompt"], "scene": run(1)["scene"], "ground_truth": TRUTH}
    assert run_case(case) == {"judgment": {"verdict": "pass"}, "steps": 3}
    assert "ground_truth" not in seen[0] and "ground_truth" in case
    text = runs[0].guidance["text"]
    assert seen[0]["prompt"] == (f"{case['prompt']}\n\n{text}" if text else case["prompt"])
    assert runs[0].trial and runs[0].risk["p"] > 0
    assert memory.flush(5000) == 0
    until(lambda: known(memory), before + 1)
    assert heard == []


def test_a_block_records_what_it_judged_even_if_it_fails_afterwards(learned, memory):
    before = memory.request("stats")["evaluations"]
    with pytest.raises(AssertionError):
        with memory.run({"prompt": run(2)["prompt"], "scene": run(2)["scene"]}) as it:
            it.judged({"verdict": "pass"}, observation="- text: 3 lines")
            assert memory.ask_risk(it)["p"] > 0
            raise AssertionError
    with memory.run("Check the footer"):
        pass  # no judgment, so no record
    assert memory.flush(5000) == 0
    assert memory.request("stats")["evaluations"] == before + 1
    told = memory.relabel({"evaluation": it.id, "groundTruth": TRUTH})
    assert told["act"]["evaluation"] == it.id


def test_an_error_of_the_run_is_the_callers_and_a_judge_that_fails_leaves_it_unlabelled(memory, heard):
    def crash(case):
        raise KeyError("the page crashed")

    with pytest.raises(KeyError, match="the page crashed"):
        memory.wrap(crash)({"prompt": "x"})

    def judge(case, result):
        raise ValueError("no judge")

    def hook(run):
        raise ValueError("no hook")

    before = memory.request("stats")["evaluations"]
    judged = memory.wrap(lambda case: "pass", judge=judge, on_run=hook)
    assert judged({"prompt": "Check the footer", "ground_truth": TRUTH}) == "pass"
    assert memory.flush(5000) == 0
    assert [str(e) for e in heard] == ["memtree client: no judge", "memtree client: no hook"]
    assert memory.request("stats")["evaluations"] == before + 1


def test_the_same_without_blocking_a_loop(learned, heard):
    async def main():
        async with AsyncClient(learned.url, on_error=heard.append, deadline_ms=5000) as memory:
            runs = []

            async def judge(case, result):
                return {"correct": False, "direction": "false_pass", "reason": "The total is wrong"}

            @memory.wrap(risk=True, judge=judge, on_run=runs.append)
            async def run_case(case):
                return case["prompt"]

            case = {"prompt": run(3)["prompt"], "scene": run(3)["scene"]}
            got = await asyncio.gather(*(run_case(case) for _ in range(8)))
            assert all(prompt.startswith(case["prompt"]) for prompt in got)
            assert all(r.trial and r.risk["p"] > 0 for r in runs) and len(runs) == 8
            async with memory.run("Check the order total") as it:
                it.judged("pass")
                await memory.ask_risk(it)
            assert await memory.checks("Check the imprint") == []
            assert await memory.flush(5000) == 0
            await memory.relabel({"evaluation": it.id, "correct": True})
            assert (await memory.evaluations([run("aio")]))["accepted"] == 1
            assert (await memory.evolve({"dryRun": True}))["state"] == "done"
            with pytest.raises(MemtreeError):
                await memory.request("node", path={"id": "x"})

    asyncio.run(main())
    assert heard == []


def test_a_token_says_who_asks_and_without_one_the_run_goes_on(serve, monkeypatch):
    locked, codes = serve(open_to_all=False), []
    add = [locked.binary, "token", "add", "--name", "agent", "--scope", "write", "--store", locked.store, "--json"]
    token = json.loads(subprocess.run(add, check=True, capture_output=True).stdout)["token"]
    for given in (None, "mt_wrong", token):
        got = Client(locked.url, token=given, deadline_ms=5000, on_error=lambda e: codes.append(e.code)).guide("x")
        assert (got["trial"] != "") == (given == token)
    assert codes == ["no-token", "no-token"]
    monkeypatch.setenv("MEMTREE_URL", locked.url + "/")
    monkeypatch.setenv("MEMTREE_TOKEN", token)
    monkeypatch.setenv("MEMTREE_DEADLINE", "5000")
    assert Client().guide("x")["trial"]
    with pytest.raises(MemtreeError) as e:
        Client().evolve()
    assert e.value.status == 403
    monkeypatch.setenv("MEMTREE_TREE", "nobody")
    heard = []
    assert Client(on_error=heard.append).guide("x")["text"] == ""
    assert heard[0].status == 404
