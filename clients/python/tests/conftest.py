"""A real service for tests. MEMTREE_BIN names a build of it; without it, it is built from the source beside.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import signal
import socketserver
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> str:
    if os.environ.get("MEMTREE_BIN"):
        return os.environ["MEMTREE_BIN"]
    if shutil.which("go") is None:
        pytest.fail("the tests need Go to build memtree, or MEMTREE_BIN with the path of a build")
    out = tmp_path_factory.mktemp("bin") / "memtree"
    env = {**os.environ, "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-o", str(out), "./cmd/memtree"], cwd=ROOT, check=True, env=env)
    return str(out)


class Service:
    """A memtree service on a store of its own."""

    def __init__(self, binary: str, store: str, flags: List[str], open_to_all: bool = True) -> None:
        self.binary, self.store = binary, store
        who = ["--insecure-loopback"] if open_to_all else []
        args = [binary, "serve", *who, "--listen", "127.0.0.1:0", "--lang", "en", "--store", store, *flags]
        env = {**os.environ, "MEMTREE_LLM": ""}
        self.child = subprocess.Popen(args, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env, text=True)
        said = ""
        assert self.child.stderr is not None
        for line in self.child.stderr:
            said += line
            at = re.search(r"Listening on (http://[\d.:]+)", line)
            if at:
                self.url = at[1]
                break
        else:
            raise RuntimeError(f"memtree serve ended with {self.child.wait()}: {said}")
        threading.Thread(target=self.child.stderr.read, daemon=True).start()

    def send(self, what: int) -> None:
        self.child.send_signal(what)

    def stop(self, what: int = signal.SIGTERM) -> None:
        self.child.send_signal(what)
        self.child.wait()


Serve = Callable[..., Service]


@pytest.fixture(scope="session")
def serve(binary: str) -> Iterator[Serve]:
    """Starts services, which end with the session."""
    started: List[Service] = []
    folders: List[str] = []

    def start(*flags: str, open_to_all: bool = True) -> Service:
        store = tempfile.mkdtemp(prefix="memtree-store-")
        folders.append(store)
        subprocess.run([binary, "init", "--quiet", "--store", store], check=True, stdout=subprocess.DEVNULL)
        service = Service(binary, store, list(flags), open_to_all)
        started.append(service)
        return service

    yield start
    for service in started:
        if service.child.poll() is None:
            service.send(signal.SIGCONT)
            service.stop()
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


class Fake:
    """A test server, whose answers a function returns. It may hang until ``closed``."""

    def __init__(self, answer: Callable[["Fake", Any], None]) -> None:
        fake = self
        self.closed = threading.Event()
        self.bodies: List[Any] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length", 0))
                fake.bodies.append(json.loads(self.rfile.read(length)))
                try:
                    answer(fake, self)
                except OSError:
                    pass

            def log_message(self, *_: Any) -> None:
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_: Any) -> None:
                pass  # the caller disconnects midway: that is what is tested

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.closed.set()
        self.server.shutdown()
        self.server.server_close()


def say(handler: Any, status: int, body: str, headers: Optional[dict] = None) -> None:
    """Sends a complete answer."""
    data = body.encode()
    handler.send_response(status)
    for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


@pytest.fixture
def fake() -> Iterator[Callable[[Callable[[Fake, Any], None]], Fake]]:
    made: List[Fake] = []

    def make(answer: Callable[[Fake, Any], None]) -> Fake:
        made.append(Fake(answer))
        return made[-1]

    yield make
    for f in made:
        f.stop()


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests send no request to a service of the environment."""
    for name in ("URL", "TOKEN", "TREE", "DEADLINE"):
        monkeypatch.delenv(f"MEMTREE_{name}", raising=False)
