"""Makes src/memtree/schema.py from the specification of the service.

    python tools/generate.py            write it
    python tools/generate.py --check    end with 1 if it is stale
"""

from __future__ import annotations

import json
import keyword
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent.parent
SPEC = HERE.parent.parent / "server" / "openapi.json"
OUT = HERE / "src" / "memtree" / "schema.py"

HEAD = '''"""What goes over the wire. Made by tools/generate.py from server/openapi.json; do not edit."""

from __future__ import annotations

from typing import Any, Dict, Final, List, Literal, Optional, Tuple, TypedDict, Union

'''
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def kind(schema: Dict[str, Any]) -> str:
    """Returns the Python type of a schema. A schema without a type may be any JSON."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return "Union[" + ", ".join(kind(s) for s in schema["anyOf"]) + "]"
    if "enum" in schema:
        return "Literal[" + ", ".join(json.dumps(v) for v in schema["enum"]) + "]"
    given = schema.get("type", "any")
    if isinstance(given, list):
        one = [t for t in given if t != "null"]
        if len(one) != 1:
            raise SystemExit(f"tools/generate.py cannot say the type {given}; teach kind() how")
        return f"Optional[{kind({**schema, 'type': one[0]})}]"
    if given == "array":
        return f"List[{kind(schema.get('items', {}))}]"
    if given == "object":
        more = schema.get("additionalProperties")
        return f"Dict[str, {kind(more) if isinstance(more, dict) else 'Any'}]"
    return SIMPLE.get(given, "Any")


def field(name: str, schema: Dict[str, Any]) -> List[str]:
    said = str(schema.get("description", ""))
    note = [f"    # {said}"] if said else []
    return [*note, f"    {name}: {kind(schema)}"]


def typed(name: str, base: str, fields: Dict[str, Dict[str, Any]], total: bool) -> List[str]:
    """Returns a TypedDict as a class."""
    heads = [base or "TypedDict"] + ([] if total else ["total=False"])
    body = [row for n, s in fields.items() for row in field(n, s)]
    return [f"class {name}({', '.join(heads)}):", *(body or ["    pass"])]


def called(name: str, fields: Dict[str, Dict[str, Any]], total: bool) -> List[str]:
    """Returns a TypedDict as a call, which may have fields with the names of keywords."""
    rows = [f"    {json.dumps(n)}: {kind(s)!r}," for n, s in fields.items()]
    more = "" if total else ", total=False"
    return [f'{name} = TypedDict("{name}", {{', *rows, f"}}{more})"]


def model(name: str, schema: Dict[str, Any]) -> List[str]:
    """Returns a schema as one TypedDict, or as two: required and optional fields."""
    needs = set(schema.get("required", []))
    fields = schema.get("properties", {})
    must = {n: s for n, s in fields.items() if n in needs}
    may = {n: s for n, s in fields.items() if n not in needs}
    if any(keyword.iskeyword(n) for n in fields):
        if not must or not may:
            return called(name, fields, bool(must))
        return [*called(f"_{name}Must", must, True), "", "", *called(f"_{name}May", may, False), "", "",
                f"class {name}(_{name}Must, _{name}May):", "    pass"]
    if not may:
        return typed(name, "", must, True)
    if not must:
        return typed(name, "", may, False)
    return [*typed(f"_{name}", "", must, True), "", "", *typed(name, f"_{name}", may, False)]


def routes(spec: Dict[str, Any]) -> List[str]:
    rows = ["# The method and the path of each operation.", "ROUTES: Final[Dict[str, Tuple[str, str]]] = {"]
    for path, item in sorted(spec["paths"].items()):
        for method, what in sorted(item.items()):
            if "operationId" in what:
                rows.append(f'    "{what["operationId"]}": ("{method.upper()}", "{path}"),')
    return [*rows, "}"]


def bodies(spec: Dict[str, Any]) -> List[str]:
    rows = ["# The longest body of each operation in bytes.", "LONGEST: Final[Dict[str, int]] = {"]
    for _, item in sorted(spec["paths"].items()):
        for _, what in sorted(item.items()):
            if "x-max-body-bytes" in what:
                rows.append(f'    "{what["operationId"]}": {what["x-max-body-bytes"]},')
    return [*rows, "}"]


def generate(spec: Optional[Dict[str, Any]] = None) -> str:
    spec = spec or json.loads(SPEC.read_text("utf-8"))
    parts = [routes(spec), bodies(spec)]
    for name, schema in sorted(spec["components"]["schemas"].items()):
        parts.append(model(name, schema))
    return HEAD + "\n\n\n".join("\n".join(p) for p in parts) + "\n"


def main(args: List[str]) -> int:
    made = generate()
    if "--check" not in args:
        OUT.write_text(made, "utf-8")
        return 0
    if OUT.exists() and OUT.read_text("utf-8") == made:
        return 0
    print("src/memtree/schema.py is stale; run python tools/generate.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
