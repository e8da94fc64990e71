"""One request with a deadline."""

from __future__ import annotations

import email.utils
import http.client
import json
import socket
import ssl
import threading
import time
from typing import Any, Dict, List, Optional, Tuple, cast
from urllib.parse import urlsplit

from .errors import MemtreeError
from .schema import Problem

MOST_BYTES = 32 << 20  # of one answer
MOST_IDLE = 8  # idle connections that are kept open
MOST_THREADS = 256  # concurrent requests


class Target:
    """The address of requests. It keeps connections open, and is safe for use by several threads.

    It ignores proxies of the environment and follows no redirects, so that the token goes nowhere else.
    """

    def __init__(self, url: str, token: Optional[str]) -> None:
        at = urlsplit(url)
        if at.scheme not in ("http", "https") or not at.hostname:
            raise ValueError(f"{url!r} is no address of a memtree service; say http://HOST:PORT")
        self.base = url.rstrip("/")
        self._host, self._port = at.hostname, at.port
        self._prefix = at.path.rstrip("/")
        self._tls = ssl.create_default_context() if at.scheme == "https" else None
        self._token = token
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self.threads = threading.BoundedSemaphore(MOST_THREADS)

    def connect(self, seconds: float) -> http.client.HTTPConnection:
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=seconds)

    def headers(self, body: Optional[bytes]) -> Dict[str, str]:
        out = {"Accept": "application/json"}
        if body is not None:
            out["Content-Type"] = "application/json"
        if self._token:
            out["Authorization"] = f"Bearer {self._token}"
        return out

    def path(self, path: str) -> str:
        return self._prefix + path

    def take(self) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class Exchange:
    """One request and its answer. ``stop`` may be called from another thread."""

    def __init__(self, to: Target, method: str, path: str, body: Optional[bytes], ms: float) -> None:
        self._to, self._method, self._path, self._body = to, method, path, body
        self._end = time.monotonic() + ms / 1000
        self._ms = ms
        self._lock = threading.Lock()
        self._connection: Optional[http.client.HTTPConnection] = None
        self._stopped = False

    def run(self) -> Any:
        """Returns the JSON of the answer. Raises only MemtreeError."""
        try:
            status, header, text = self._ask()
        except MemtreeError:
            raise
        except (TimeoutError, socket.timeout) as cause:  # the same class from Python 3.10
            raise late(self._ms) from cause
        except Exception as cause:
            said = f"memtree at {self._to.base} cannot be reached: {cause or type(cause).__name__}"
            raise MemtreeError("unreachable", said) from cause
        return read(status, header, text)

    def stop(self) -> None:
        """Aborts the exchange in any state, without waiting."""
        with self._lock:
            self._stopped = True
            at = self._connection.sock if self._connection is not None else None
        if at is not None:
            try:
                at.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _ask(self) -> Tuple[int, Optional[str], bytes]:
        kept = self._to.take()
        if kept is not None:
            try:
                return self._over(kept)
            except (ConnectionError, http.client.BadStatusLine, http.client.CannotSendRequest):
                pass  # the service closed it meanwhile; runs and records have ids, so a retry is safe
        return self._over(self._to.connect(self._left()))

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0 or self._stopped:
            raise late(self._ms)
        return left

    def _over(self, connection: http.client.HTTPConnection) -> Tuple[int, Optional[str], bytes]:
        with self._lock:
            self._connection = connection
        whole = False
        try:
            connection.timeout = self._left()
            if connection.sock is not None:
                connection.sock.settimeout(connection.timeout)
            connection.request(self._method, self._to.path(self._path), self._body, self._to.headers(self._body))
            answer = connection.getresponse()
            text = self._body_of(connection, answer)
            whole = not answer.will_close
            return answer.status, answer.getheader("retry-after"), text
        finally:
            with self._lock:
                self._connection = None
                whole = whole and not self._stopped
            if whole:
                self._to.keep(connection)
            else:
                connection.close()

    def _body_of(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> bytes:
        """Reads in chunks, because the timeout of a socket applies to each chunk."""
        parts: List[bytes] = []
        size = 0
        while True:
            if connection.sock is not None:
                connection.sock.settimeout(self._left())
            part = answer.read(1 << 14)
            if not part:
                if answer.length:
                    raise ConnectionError("the answer breaks off")
                return b"".join(parts)
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                said = f"the answer is longer than {MOST_BYTES} bytes; check the url of the client"
                raise MemtreeError("answer", said)


def late(ms: float) -> MemtreeError:
    return MemtreeError("late", f"memtree did not answer within {ms:.0f} ms")


def read(status: int, retry: Optional[str], text: bytes) -> Any:
    """Returns the JSON of an answer, or raises the error that it contains."""
    try:
        parsed = json.loads(text)
        good = 200 <= status < 300
    except (ValueError, RecursionError):
        parsed, good = None, False
    if good:
        return parsed
    wait = wait_of(retry)
    if isinstance(parsed, dict) and isinstance(parsed.get("type"), str) and isinstance(parsed.get("detail"), str):
        code = parsed["type"].replace("urn:memtree:", "", 1)
        raise MemtreeError(code, parsed["detail"], status=status, retry_after=wait, problem=cast(Problem, parsed))
    said = f"what answered with status {status} is not memtree; check the url of the client"
    raise MemtreeError("answer", said, status=0 if status < 400 else status, retry_after=wait)


def wait_of(header: Optional[str], now: Optional[float] = None) -> Optional[float]:
    """Returns the value of Retry-After, seconds or a date, in milliseconds from 0 to an hour."""
    if not header:
        return None
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = email.utils.parsedate_to_datetime(header).timestamp() - (time.time() if now is None else now)
        except (TypeError, ValueError):
            return None
    if wait != wait:
        return None
    return min(max(wait, 0.0), 3600.0) * 1000
