"""Records to be sent."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from typing import Any, Callable, List, Mapping, Optional, Set

from .errors import MemtreeError, OnError, as_error, check_length, report
from .schema import LONGEST

MOST_BYTES = 32 << 20  # of all queued records
MOST_RECORD = LONGEST["record"] - 2  # of one record; its request has two brackets around it
BATCH_BYTES = 4 << 20
BATCH_COUNT = 100
GATHER = 0.05  # seconds in which records are collected into one request
FIRST_WAIT = 0.25
LONGEST_WAIT = 30.0
REQUEST_MS = 10_000.0

Post = Callable[[bytes, float], Any]  # sends a JSON array of evaluations within milliseconds


class _Waiting:
    __slots__ = ("json", "id")

    def __init__(self, json: bytes, id: str) -> None:
        self.json, self.id = json, id


class Queue:
    """Records to be sent, in order, by one daemon thread. Safe for use by several threads.

    Adding never waits and never raises. A record stays queued until the service acknowledges it, and is sent
    again; since each record has an id, a repeated one is stored once.
    """

    def __init__(self, post: Post, limit: int, on_error: OnError) -> None:
        self._post, self._limit, self._on_error = post, limit, on_error
        self._waiting: List[_Waiting] = []
        self._bytes = 0
        self._most = BATCH_COUNT  # of the next request
        self._pause = 0.0  # seconds before the next try, after a failure
        self._hurry = 0  # number of flush calls that wait
        self._closed = False
        self._changed = threading.Condition()
        self._thread: Optional[threading.Thread] = None
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, evaluation: Mapping[str, Any]) -> bool:
        """Adds a record that has an id. Returns whether there was room for it."""
        name = evaluation["id"]
        try:
            text = json.dumps(evaluation, ensure_ascii=False, allow_nan=False).encode("utf-8")
            check_length(f"the run {name}", text, MOST_RECORD)
        except (MemtreeError, TypeError, ValueError, RecursionError) as cause:
            self.refuse(name, cause)
            return False
        with self._changed:
            room = len(self._waiting) < self._limit and self._bytes + len(text) <= MOST_BYTES and not self._closed
            if room:
                self._waiting.append(_Waiting(text, str(name)))
                self._bytes += len(text)
                self._start()
                self._changed.notify_all()
        if not room:
            why = "the client is closed" if self._closed else f"{len(self)} wait already; is the service up?"
            self._give_up(MemtreeError("queue-full", f"the run {name} was not recorded: {why}"), 1)
        return room

    def refuse(self, name: str, cause: BaseException) -> None:
        """Drops a record that is invalid or too long, and reports why."""
        said = f"the run {name} is no object of JSON, so it cannot be recorded: {cause}"
        self._give_up(cause if isinstance(cause, MemtreeError) else MemtreeError("input", said), 1)

    def flush(self, ms: float) -> int:
        """Sends the queued records, for at most ``ms`` milliseconds. Returns how many are still queued."""
        end = time.monotonic() + ms / 1000
        with self._changed:
            self._hurry += 1
            self._start()
            self._changed.notify_all()
            while self._waiting and time.monotonic() < end:
                self._changed.wait(max(0.0, end - time.monotonic()))
            self._hurry -= 1
            return len(self._waiting)

    def close(self) -> None:
        """Accepts no more records. The thread tries once more to send the queued ones."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _start(self) -> None:
        """Starts the thread, at the first record and after a fork. The caller holds the lock."""
        if self._waiting and (self._thread is None or not self._thread.is_alive()):
            thread = threading.Thread(target=self._work, name="memtree-records", daemon=True)
            try:
                thread.start()
                self._thread = thread
            except RuntimeError:
                pass  # the interpreter is ending; the next record or flush tries again

    def _work(self) -> None:
        while self._next():
            self._drain()

    def _next(self) -> bool:
        """Waits until it is time to send. Returns False if the client is closed and there is nothing to send.
        """
        with self._changed:
            while not self._waiting:
                if self._closed:
                    return False
                self._changed.wait()
            end = time.monotonic() + (self._pause or GATHER)
            while time.monotonic() < end and not self._closed and not (self._hurry and not self._pause):
                self._changed.wait(end - time.monotonic())
            return not (self._closed and self._pause > 0)

    def _drain(self) -> None:
        """Sends until the queue is empty or a request fails."""
        while True:
            with self._changed:
                batch = self._batch()
            if not batch:
                self._most = BATCH_COUNT
                return
            try:
                self._post(b"[" + b",".join(w.json for w in batch) + b"]", REQUEST_MS)
                self._remove(batch)
            except Exception as thrown:
                if not self._settle(batch, as_error(thrown)):
                    return
            self._pause = 0.0

    def _batch(self) -> List[_Waiting]:
        out: List[_Waiting] = []
        size = 0
        for w in self._waiting:
            size += len(w.json)
            if out and (size > BATCH_BYTES or len(out) >= self._most):
                break
            out.append(w)
        return out

    def _settle(self, batch: List[_Waiting], e: MemtreeError) -> bool:
        """Handles an error of a request. Returns whether to continue at once."""
        named = self._named(batch, e)
        if e.status == 409 and e.code == "contradiction":
            self._give_up(e, len(named) or 1)
            self._remove(batch)  # the others were accepted
            return True
        if e.status == 422 and named:
            self._give_up(e, len(named))
            self._remove(named)
            return True
        if e.status in (413, 422):
            if len(batch) == 1:
                self._give_up(e, 1)
                self._remove(batch)
            self._most = max(1, len(batch) >> 1)
            return True
        grown = min(LONGEST_WAIT, max(FIRST_WAIT, self._pause * 2))
        self._pause = grown * random.uniform(0.75, 1.25) if e.retry_after is None else max(0.01, e.retry_after / 1000)
        report(self._on_error, e)
        return False

    @staticmethod
    def _named(batch: List[_Waiting], e: MemtreeError) -> List[_Waiting]:
        """Returns the records that the problem refers to."""
        at: Set[int] = set()
        for place in (e.problem.get("errors") if e.problem else None) or []:
            found = re.match(r"body\[(\d+)\]", str(place.get("location")))
            if found and int(found[1]) < len(batch):
                at.add(int(found[1]))
        return [batch[n] for n in sorted(at)]

    def _give_up(self, e: MemtreeError, runs: int) -> None:
        with self._changed:
            self.dropped += runs
        report(self._on_error, e)

    def _remove(self, batch: List[_Waiting]) -> None:
        gone = {id(w) for w in batch}
        with self._changed:
            self._waiting = [w for w in self._waiting if id(w) not in gone]
            self._bytes = sum(len(w.json) for w in self._waiting)
            self._changed.notify_all()
