"""Ids and times of runs."""

from __future__ import annotations

import uuid
from datetime import datetime, timezone


def new_id(prefix: str) -> str:
    """A new id. It has to be unique, not secret."""
    return f"{prefix}_{uuid.uuid4().hex}"


def now() -> str:
    """The time as the service reads it."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
