"""Where guidance goes."""

from __future__ import annotations

from typing import Literal, Optional

Placement = Literal["append", "prepend", "separate"]


def place(prompt: str, guidance: str, where: Placement = "append") -> str:
    """Puts guidance beside a prompt, as it was served, a blank line between them.

    Without guidance, and with ``separate``, the prompt is returned alone.
    """
    if not guidance or where == "separate":
        return prompt
    return f"{guidance}\n\n{prompt}" if where == "prepend" else f"{prompt}\n\n{guidance}"


def join(own: Optional[str], guidance: str) -> str:
    """Joins the user's own background knowledge, as it is, with the guidance after it."""
    return place(own, guidance) if own else guidance
