"""The hook of browser-use: against its interface always, against the package where it is installed."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import shutil
import threading

import pytest
from conftest import say

from memtree import AsyncClient
from memtree.browser_use import judgment_of, recall

GUIDANCE = '<memory note="hypotheses">\nThe total was not added up before.\n</memory>'


def service(fake):
    """A service that always returns guidance."""
    served = json.dumps({"text": GUIDANCE, "trial": "t1", "abstained": False, "hash": "", "items": [], "nearest": None})

    def answer(f, h):
        risk = '{"p":0.4}' if h.path.endswith("/risk") else '{"accepted":1,"duplicate":0,"receipts":[]}'
        say(h, 200, served if h.path.endswith("/guidance") else risk)

    return fake(answer)


def recorded(server):
    return [e for body in server.bodies if isinstance(body, list) for e in body]


class History:
    """As browser-use describes AgentHistoryList."""

    def __init__(self, success, result, errors=()):
        self._said = success, result, list(errors)

    def is_successful(self):
        return self._said[0]

    def final_result(self):
        return self._said[1]

    def errors(self):
        return self._said[2]


@pytest.mark.parametrize("history, judgment", [
    (History(True, "The total is wrong"), "The total is wrong"),
    (History(True, '{"verdict": "fail"}'), {"verdict": "fail"}),
    (History(True, None), {"success": True, "result": None}),
    (History(False, "no cart", [None, "timeout"]), {"success": False, "result": "no cart", "errors": ["timeout"]}),
    (History(None, None, ["the model does not answer"]), None),
])
def test_a_judgment_is_the_last_word_of_an_agent_that_came_to_an_end(history, judgment):
    assert judgment_of(history) == judgment


def test_a_run_is_warned_and_recorded_once(fake):
    server, theirs, heard = service(fake), [], []

    async def main():
        async with AsyncClient(server.url, deadline_ms=5000, on_error=heard.append) as memory:
            case = {"prompt": "Check the total", "id": "cart-1", "scene": {"route": "/cart"}}
            hook = await recall(memory, case, risk=True, truth=lambda h: {"correct": False})
            options = hook.options(extend_system_message="Be brief.", register_done_callback=theirs.append)
            assert options["extend_system_message"] == f"Be brief.\n\n{GUIDANCE}"
            for _ in range(2):
                await options["register_done_callback"](History(True, "pass"))
            assert hook.run.risk == {"p": 0.4}

            broken = await recall(memory, "Check the footer", judgment=lambda h: 1 / 0)
            await broken.done(History(True, "pass"))
            unfinished = await recall(memory, "Check the header")
            await unfinished.done(History(None, None))

    asyncio.run(main())
    assert len(theirs) == 2 and [str(e) for e in heard] == ["memtree client: division by zero"]
    one, = recorded(server)
    assert (one["judgment"], one["trial"], one["case_id"], one["correct"]) == ("pass", "t1", "cart-1", False)
    assert one["prompt"] == "Check the total"


def test_without_memory_the_agent_gets_what_its_user_gave():
    async def main():
        memory = AsyncClient("http://127.0.0.1:9")
        hook = await recall(memory, "Check the total")
        assert set(hook.options()) == {"register_done_callback"}
        assert hook.options(extend_system_message="Be brief.")["extend_system_message"] == "Be brief."
        await hook.done(History(True, "pass"))
        assert memory.waiting == 1

    asyncio.run(main())


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"<h1>Cart</h1><p>2 + 2 = 5</p>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def scripted(steps, seen):
    """A model of browser-use with a fixed answer."""
    from browser_use.llm.views import ChatInvokeCompletion

    class Scripted:
        model = name = model_name = "scripted"
        provider = "none"
        _verified_api_keys = True

        async def ainvoke(self, messages, output_format=None, **_):
            seen.append("\n".join(m.text for m in messages))
            step = {"evaluation_previous_goal": "", "memory": "", "next_goal": "", "thinking": ""}
            answer = output_format.model_validate({**step, "action": steps.pop(0)})
            return ChatInvokeCompletion(completion=answer, usage=None)

    return Scripted()


def test_with_the_real_browser_use_and_a_real_browser(fake, monkeypatch, tmp_path):
    monkeypatch.setenv("ANONYMIZED_TELEMETRY", "false")
    monkeypatch.setenv("BROWSER_USE_CLOUD_SYNC", "false")
    monkeypatch.setenv("BROWSER_USE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("BROWSER_USE_VERSION_CHECK", "false")
    why = "browser-use is not installed: its interface alone is tried"
    browser_use = pytest.importorskip("browser_use", reason=why)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        pytest.skip("no chromium is here: browser-use is not tried")
    page = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    server, seen = service(fake), []
    url = f"http://127.0.0.1:{page.server_address[1]}/"
    verdict = {"verdict": "fail", "reason": "2 + 2 is not 5"}
    steps = [[{"navigate": {"url": url, "new_tab": False}}],
             [{"done": {"text": json.dumps(verdict), "success": True}}]]

    async def main():
        async with AsyncClient(server.url, deadline_ms=5000) as memory:
            hook = await recall(memory, "Check that the sums on the page are right")
            profile = browser_use.BrowserProfile(
                executable_path=chromium, headless=True, chromium_sandbox=False, enable_default_extensions=False,
                user_data_dir=str(tmp_path / "profile"))
            agent = browser_use.Agent(
                task="Check that the sums on the page are right", llm=scripted(steps, seen), use_judge=False,
                use_vision=False, browser_profile=profile, **hook.options(extend_system_message="Be brief."))
            history = await agent.run(max_steps=4)
            assert history.is_successful() and history.urls()[-1] == url, history

    asyncio.run(main())
    page.shutdown()
    assert seen and all(f"Be brief.\n\n{GUIDANCE}" in prompt for prompt in seen)
    one, = recorded(server)
    assert one["judgment"] == verdict and one["trial"] == "t1"
