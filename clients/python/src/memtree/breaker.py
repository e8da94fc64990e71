"""A circuit breaker: it stops requests to a service that does not answer."""

from __future__ import annotations

import threading
import time
from typing import Callable, Optional

MOST_FAILURES = 3
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0


class Breaker:
    """A circuit breaker, so that a dead service does not delay runs. Times are in seconds.

    After each pause one call is allowed as a trial; the pause doubles if that call fails. Safe for use by
    several threads.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._failures = 0
        self._pause = FIRST_PAUSE
        self._until: Optional[float] = None
        self._trying = False

    def allows(self) -> bool:
        """Reports whether a call may be made. An allowed caller must report the result."""
        with self._lock:
            if self._until is None:
                return True
            if self._trying or self._now() < self._until:
                return False
            self._trying = True
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._reset()

    def failed(self, retry_after: Optional[float] = None) -> None:
        """Records a failure. ``retry_after`` is the pause that the service requested."""
        with self._lock:
            self._failures += 1
            if not self._trying and self._failures < MOST_FAILURES and retry_after is None:
                return
            self._until = self._now() + max(retry_after or 0.0, self._pause)
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            self._trying = False

    def abandoned(self) -> None:
        """Records that an allowed call was cancelled, which is no information about the service."""
        with self._lock:
            self._trying = False
