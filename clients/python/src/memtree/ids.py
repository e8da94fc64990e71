"""Ids and times of runs."""

from __future__ import annotations

import uuid
from datetime import datetime, timezone


def new_id(prefix: str) -> str:
    """Returns a new id. It is unique, not secret."""
    return f"{prefix}_{uuid.uuid4().hex}"


def now() -> str:
    """Returns the time in the format of the service."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
