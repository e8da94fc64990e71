"""Requests with a hard time limit, for threads and for asyncio.

The timeout of a socket does not limit a request: a slow name lookup, or an answer that arrives byte by byte,
takes longer. So each request has its own thread, and the caller waits for it no longer than the deadline. The
thread is a daemon, and its sockets have timeouts, so it ends soon after.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Optional

from .errors import MemtreeError
from .http import Exchange, Target, late


class _Answer:
    """The result of a thread: a value, or an error."""

    def __init__(self) -> None:
        self.value: Any = None
        self.error: Optional[BaseException] = None

    def get(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.value


def _start(to: Target, exchange: Exchange, answer: _Answer, done: Callable[[], None]) -> None:
    if not to.threads.acquire(blocking=False):
        raise MemtreeError("late", "too many requests to memtree wait already; this one was not sent")

    def work() -> None:
        try:
            answer.value = exchange.run()
        except BaseException as thrown:
            answer.error = thrown
        finally:
            to.threads.release()
            done()

    try:
        threading.Thread(target=work, name="memtree-request", daemon=True).start()
    except RuntimeError as cause:  # the interpreter is ending, or the system has no more threads
        to.threads.release()
        raise MemtreeError("late", f"memtree cannot be asked now: {cause}") from cause


def send(to: Target, method: str, path: str, body: Optional[bytes], ms: float) -> Any:
    """Sends one request and returns the JSON of the answer, or raises a MemtreeError within the deadline."""
    exchange, answer, done = Exchange(to, method, path, body, ms), _Answer(), threading.Event()
    _start(to, exchange, answer, done.set)
    if not done.wait(ms / 1000):
        exchange.stop()
        raise late(ms)
    return answer.get()


async def send_async(to: Target, method: str, path: str, body: Optional[bytes], ms: float) -> Any:
    """Like send, without blocking the loop."""
    loop = asyncio.get_running_loop()
    came: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not came.done():
            came.set_result(None)

    def done() -> None:
        try:
            loop.call_soon_threadsafe(tell)
        except RuntimeError:
            pass  # the loop is closed

    exchange, answer = Exchange(to, method, path, body, ms), _Answer()
    _start(to, exchange, answer, done)
    try:
        await asyncio.wait_for(came, ms / 1000)
    except asyncio.TimeoutError:
        exchange.stop()
        raise late(ms) from None
    except asyncio.CancelledError:
        exchange.stop()
        raise
    return answer.get()
