"""The place of guidance."""

from __future__ import annotations

from typing import Literal, Optional

Placement = Literal["append", "prepend", "separate"]


def place(prompt: str, guidance: str, where: Placement = "append") -> str:
    """Returns a prompt and the guidance, unchanged, with a blank line between them.

    Without guidance, and with ``separate``, it returns the prompt alone.
    """
    if not guidance or where == "separate":
        return prompt
    return f"{guidance}\n\n{prompt}" if where == "prepend" else f"{prompt}\n\n{guidance}"


def join(own: Optional[str], guidance: str) -> str:
    """Returns the user's own background knowledge, unchanged, followed by the guidance."""
    return place(own, guidance) if own else guidance
