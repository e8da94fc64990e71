"""A service that is killed, hangs or returns garbage never harms a run."""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import say

from memtree import AsyncClient, Client, MemtreeError
from memtree.breaker import Breaker
from memtree.http import wait_of


def quantile(ms, q):
    return sorted(ms)[math.ceil(len(ms) * q) - 1]


def one(memory, added, n):
    """A run whose agent takes no time, so that all of its time is of the client."""
    run_case = memory.wrap(lambda case: {"judgment": {"verdict": "pass"}, "got": case["prompt"]}, risk=True)
    began = time.perf_counter()
    got = run_case({"id": f"c{n}", "prompt": f"Check page {n}"})
    added.append((time.perf_counter() - began) * 1000)
    assert got == {"judgment": {"verdict": "pass"}, "got": f"Check page {n}"}


def killed_beside_runs(service):
    """500 runs beside a service that hangs, comes back, and is killed in the middle of calls."""
    heard, added = [], []
    memory, other = (Client(service.url, on_error=lambda e: heard.append(e.code)) for _ in range(2))
    with ThreadPoolExecutor(20) as pool:
        for n in range(150):
            one(memory, added, n)
        print(f"\nin health: p50 {quantile(added, 0.5):.2f} ms, longest {max(added):.1f} ms")
        service.send(signal.SIGSTOP)  # it takes connections and does not answer
        list(pool.map(lambda n: one(memory, added, n), range(20)))
        stuck = [pool.submit(one, other, added, n) for n in range(20)]
        time.sleep(0.05)
        service.stop(signal.SIGKILL)
        for s in stuck:
            s.result()
        for n in range(310):
            one(other, added, n)
    assert {"late", "open"} <= set(heard)
    assert other.waiting > 300
    return added


async def killed_beside_tasks(service):
    """The same for 500 tasks of one loop."""
    heard, added = [], []
    memory, other = (AsyncClient(service.url, on_error=lambda e: heard.append(e.code)) for _ in range(2))

    async def one(memory, n):
        async def agent(case):
            return case["prompt"]

        began = time.perf_counter()
        assert await memory.wrap(agent, risk=True)({"prompt": f"Check page {n}"}) == f"Check page {n}"
        added.append((time.perf_counter() - began) * 1000)

    for n in range(150):
        await one(memory, n)
    print(f"\nin health: p50 {quantile(added, 0.5):.2f} ms, longest {max(added):.1f} ms")
    service.send(signal.SIGSTOP)
    await asyncio.gather(*(one(memory, n) for n in range(20)))
    stuck = [asyncio.ensure_future(one(other, n)) for n in range(20)]
    await asyncio.sleep(0.05)
    service.stop(signal.SIGKILL)
    await asyncio.gather(*stuck)
    for n in range(310):
        await one(other, n)
    assert other.waiting > 300
    return added


@pytest.mark.parametrize("kind", ["threads", "tasks"])
def test_a_service_killed_in_the_middle_of_calls_adds_at_most_210_ms(serve, kind, record_property):
    for _ in range(3):  # a busy machine is late by itself
        service = serve()
        added = killed_beside_runs(service) if kind == "threads" else asyncio.run(killed_beside_tasks(service))
        p50, p99 = quantile(added, 0.5), quantile(added, 0.99)
        said = f"{kind}: added to {len(added)} runs: p50 {p50:.2f} ms, p99 {p99:.1f} ms, longest {max(added):.1f} ms"
        print("\n" + said)
        record_property("added", said)
        if p99 <= 210:
            return
    pytest.fail(f"p99 is {p99:.1f} ms")


def fastest(call, tries=3):
    """Returns the least seconds of several attempts: a busy machine is late sometimes, a broken limit always.
    """
    out = []
    for _ in range(tries):
        began = time.perf_counter()
        call()
        out.append(time.perf_counter() - began)
    return min(out)


def test_a_service_that_hangs_costs_three_deadlines_and_then_nothing(fake):
    server = fake(lambda f, h: f.closed.wait(30))

    def calls():
        memory = Client(server.url)
        for _ in range(100):
            assert memory.guide("x")["text"] == ""

    least = fastest(calls)
    print(f"\n100 calls took {least * 1000:.0f} ms")
    assert 0.5 < least < 0.75


def test_an_answer_that_comes_byte_by_byte_and_a_name_that_is_not_found_are_late(fake, monkeypatch):
    def drip(f, h):
        h.send_response(200)
        h.send_header("content-length", "1000")
        h.end_headers()
        while not f.closed.wait(0.02):
            h.wfile.write(b" ")
            h.wfile.flush()

    def slow_lookup(*_, **__):
        time.sleep(1)
        raise socket.gaierror("no such name")

    heard = []
    for url, hang in ((fake(drip).url, False), ("http://memory.invalid:7788", True)):
        if hang:
            monkeypatch.setattr(socket, "getaddrinfo", slow_lookup)
        def hear(e):
            heard.append(e.code)

        assert fastest(lambda: Client(url, on_error=hear).guide("x")) < 0.26
        assert fastest(lambda: asyncio.run(AsyncClient(url, on_error=hear).guide("x"))) < 0.26
    assert heard == ["late"] * 12


def test_what_was_recorded_while_the_service_was_away_arrives_when_it_is_back(fake):
    up = threading.Event()

    def answer(f, h):
        if up.is_set():
            say(h, 202, '{"accepted":1,"duplicate":0,"receipts":[]}')
            return
        f.bodies.clear()
        say(h, 503, '{"type":"urn:memtree:busy","title":"","status":503,"detail":"busy"}', {"retry-after": "0"})

    server = fake(answer)
    memory = Client(server.url)
    for n in range(250):
        memory.record({"id": f"r{n}", "prompt": "x", "judgment": n})
    assert memory.flush(100) == 250
    up.set()
    assert memory.flush(5000) == 0
    ids = [e["id"] for body in server.bodies for e in body]
    assert list(dict.fromkeys(ids)) == [f"r{n}" for n in range(250)]  # in order, each at least once
    assert all(e["at"] for body in server.bodies for e in body)


def test_records_wait_in_a_bounded_queue(fake):
    heard = []
    memory = Client("http://127.0.0.1:9", queue=10, on_error=lambda e: heard.append(e.code))
    for n in range(15):
        memory.record({"prompt": "x", "judgment": n})
    loop = {}
    loop["self"] = loop
    for judgment in (loop, object(), float("nan"), "\ud800"):
        memory.record({"prompt": "x", "judgment": judgment})
    for nothing in (None, 5, "x", []):
        assert memory.record(nothing).startswith("ev_")
    assert (memory.waiting, memory.dropped) == (10, 13)
    assert heard.count("queue-full") == 5 and heard.count("input") == 8
    began = time.perf_counter()
    assert memory.close(300) == 10
    assert time.perf_counter() - began < 0.6
    memory.record({"prompt": "x", "judgment": 1})
    assert heard[-1] == "queue-full"


def test_what_is_too_long_is_named_as_such_and_holds_no_other_record_up(fake):
    heard = []
    server = fake(lambda f, h: say(h, 202, '{"accepted":1,"duplicate":0,"receipts":[]}'))
    memory = Client(server.url, on_error=heard.append)
    for name, text in (("a", "x" * (16 << 20)), ("b", "x" * (15 << 20)), ("c", "x")):
        memory.record({"id": name, "prompt": text, "judgment": 1})
    assert memory.flush(9000) == 0
    assert [e["id"] for body in server.bodies for e in body] == ["b", "c"]
    assert [(e.code, e.status) for e in heard] == [("too-large", 413)]
    assert "the run a has" in str(heard[0]) and "takes 16777214 at most" in str(heard[0])
    assert "takes 4194304 at most" in memory.guide({"prompt": "x" * (4 << 20)})["note"]
    with pytest.raises(MemtreeError, match="takes 4194304 at most"):
        memory.relabel({"evaluation": "x", "reason": "x" * (4 << 20)})


def breaks(f, h):
    h.close_connection = True
    h.connection.shutdown(socket.SHUT_RDWR)


def ends_early(f, h):
    h.close_connection = True
    h.wfile.write(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"text":""')


@pytest.mark.parametrize("answer", [
    lambda f, h: say(h, 200, "<html>Sign in</html>"),
    lambda f, h: say(h, 200, '{"text":7}'),
    lambda f, h: say(h, 200, "null"),
    lambda f, h: say(h, 200, "[" * 100_000),
    lambda f, h: say(h, 500, ""),
    lambda f, h: say(h, 302, "", {"location": "http://127.0.0.1:9/"}),
    lambda f, h: h.wfile.write(b"\0" * 9 + b"\r\n"),
    ends_early, breaks,
], ids=["page", "no guidance", "null", "deep", "500", "redirect", "no http", "ends early", "breaks"])
def test_nonsense_is_no_guidance(fake, answer):
    heard = []

    def bad_hook(e):
        heard.append(e)
        raise ValueError("a bad hook")

    server = fake(answer)
    memory = Client(server.url, on_error=bad_hook, deadline_ms=2000)
    got = memory.guide("x")
    assert (got["text"], got["trial"], got["items"]) == ("", "", []) and "memtree" in got["note"]
    assert memory.checks("x") == [] and memory.risk({"prompt": "x", "judgment": 1}) is None
    assert heard and all(isinstance(e, MemtreeError) for e in heard)


def test_what_cannot_be_sent_is_no_guidance():
    heard = []
    memory = Client("http://127.0.0.1:9", on_error=lambda e: heard.append(e.code))
    assert memory.guide({"prompt": "x", "scene": object()})["text"] == ""
    assert memory.guide("\ud800")["text"] == ""
    assert heard == ["input", "input"]


def test_a_connection_is_kept_and_one_that_was_closed_meanwhile_is_made_anew(fake):
    ports = []

    def answer(f, h):
        ports.append(h.client_address[1])
        say(h, 200, '{"text":"","trial":"t"}')
        h.close_connection = len(ports) == 2  # without saying so

    memory = Client(fake(answer).url, deadline_ms=2000)
    for _ in range(4):
        assert memory.guide("x")["trial"] == "t"
        time.sleep(0.05)
    assert ports[0] == ports[1] != ports[2] == ports[3]


def test_requests_of_jobs_are_repeated_after_retry_after(fake):
    def answer(f, h):
        done = len(f.bodies) >= 3
        say(h, 200 if done else 429, '{"accepted":0,"duplicate":1,"receipts":[]}' if done else "", {"retry-after": "0"})

    server = fake(answer)
    assert Client(server.url).evaluations([{"prompt": "x", "judgment": 1}])["duplicate"] == 1
    assert len(server.bodies) == 3


def test_a_task_that_is_cancelled_ends_at_once_and_leaves_the_breaker_alone(fake):
    server = fake(lambda f, h: f.closed.wait(30))
    memory = AsyncClient(server.url, deadline_ms=10_000)

    async def main():
        task = asyncio.ensure_future(memory.guide("x"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.perf_counter()
    for _ in range(4):
        asyncio.run(main())
    assert time.perf_counter() - began < 2 and memory._breaker.allows()


def test_the_breaker_tries_again_after_pauses_that_grow():
    now = [0.0]
    breaker = Breaker(lambda: now[0])
    for _ in range(3):
        assert breaker.allows()
        breaker.failed()
    waits = []
    for _ in range(7):
        began = now[0]
        while not breaker.allows():
            now[0] += 0.5
        assert not breaker.allows()  # one call is allowed as a trial
        waits.append(now[0] - began)
        breaker.failed()
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    now[0] += 30
    assert breaker.allows()
    breaker.succeeded()
    assert breaker.allows() and breaker.allows()


@pytest.mark.parametrize("header, ms", [
    ("2", 2000), ("0", 0), ("-5", 0), ("1e9", 3_600_000), ("soon", None), (None, None), ("nan", None),
    ("Thu, 01 Jan 1970 00:00:07 GMT", 7000),
])
def test_retry_after_is_seconds_or_a_date(header, ms):
    assert wait_of(header, now=0.0) == ms


def test_an_address_that_is_none_is_said_at_once():
    for url in ("127.0.0.1:7788", "ftp://x", "http://"):
        with pytest.raises(ValueError, match="http://HOST:PORT"):
            Client(url)


@pytest.mark.parametrize("case", [{}, {"prompt": None}, {"prompt": 5}, {"prompt": ""}, {"prompt": "Check the total", "n": 1}])
def test_a_case_is_as_it_came_where_memory_gives_nothing(case):
    memory, given = Client("http://127.0.0.1:1"), []
    memory.wrap(given.append)(case)

    async def agent(case):
        given.append(case)

    asyncio.run(AsyncClient("http://127.0.0.1:1").wrap(agent)(case))
    assert [{k: v for k, v in g.items() if k != "run_id"} for g in given] == [case, case]
