"""What the package knows of the wire is what the specification says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import memtree.schema as schema

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "tools"))
import generate  # noqa: E402

SPEC = json.loads(generate.SPEC.read_text("utf-8"))


def test_the_types_are_up_to_date():
    assert generate.OUT.read_text("utf-8") == generate.generate(), "run python tools/generate.py"


def test_a_change_of_the_specification_is_seen(capsys, monkeypatch):
    changed = json.loads(json.dumps(SPEC))
    changed["components"]["schemas"]["Question"]["properties"]["mood"] = {"type": "string"}
    assert generate.generate(changed) != generate.OUT.read_text("utf-8")
    monkeypatch.setattr(generate, "generate", lambda: "stale")
    assert generate.main(["--check"]) == 1 and "stale" in capsys.readouterr().err


# What the clients send and read: operation, the fields that go out, the fields that come back.
USED = [
    ("guide", {"prompt", "observation", "scene", "scope", "agent", "runId"},
     {"trial", "abstained", "text", "hash", "items", "nearest", "note"}),
    ("risk", {"prompt", "judgment", "trial"}, {"p"}),
    ("checks", {"prompt"}, {"checks"}),
    ("expect", {"tests"}, {"tests"}),
    ("record", {"id", "run_id", "case_id", "attempt", "scene", "scope", "prompt", "observation", "judgment", "agent",
                "trial", "at", "ground_truth", "correct", "direction", "reason"},
     {"accepted", "duplicate", "receipts"}),
    ("relabel", {"evaluation"}, {"act"}),
    ("evolve", set(), {"id", "state", "problem"}),
    ("job", None, {"id", "state", "problem"}),
]


def fields(content):
    found = content["application/json"]["schema"]
    found = found.get("items", found)
    return set(SPEC["components"]["schemas"][found["$ref"].rsplit("/", 1)[1]]["properties"])


@pytest.mark.parametrize("operation, sent, read", USED, ids=[u[0] for u in USED])
def test_every_route_and_field_the_clients_use_is_in_the_specification(operation, sent, read):
    method, path = schema.ROUTES[operation]
    route = SPEC["paths"][path][method.lower()]
    good = next(r for status, r in route["responses"].items() if status in ("200", "202"))
    assert read <= fields(good["content"])
    if sent is not None:
        assert sent <= fields(route["requestBody"]["content"])


def test_what_the_clients_use_is_what_is_tested_here():
    import re
    text = "".join((HERE / "src" / "memtree" / f).read_text("utf-8") for f in ("client.py", "aio.py", "core.py"))
    named = set(re.findall(r'(?:_ask|request|_route)\("(\w+)"', text))
    assert named == {u[0] for u in USED}
