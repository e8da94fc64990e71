"""Packs the wheel and the source with the version of the product: python pack.py FOLDER.

The version is what ``memtree version`` says, as Python spells it; where memtree has none, it is
0.0.0. MEMTREE_BIN names a build; else memtree is built from the source beside. It needs ``build``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PRE = {"alpha": "a", "beta": "b", "rc": "rc"}


def version(said: str) -> str:
    """Converts a version of Go to Python's format: v1.4.0-rc.1 to 1.4.0rc1, a commit to .dev and its time."""
    found = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?", said)
    if not found:
        return "0.0.0"
    number, more = found[1], found[2] or ""
    commit = re.search(r"(?:^|\.)(\d{14})-[0-9a-f]{12}$", more)
    if commit:
        return f"{number}.dev{commit[1]}"
    pre = re.fullmatch(r"(alpha|beta|rc)\.?(\d+)", more)
    if more and not pre:
        raise SystemExit(f"pack.py cannot spell the version {said} in Python; use alpha, beta or rc and a number")
    return f"{number}{PRE[pre[1]]}{pre[2]}" if pre else number


def product() -> str:
    binary = os.environ.get("MEMTREE_BIN")
    command = [binary] if binary else ["go", "run", "./cmd/memtree"]
    env = {**os.environ, "CGO_ENABLED": "0"}
    out = subprocess.run([*command, "version", "--json"], cwd=ROOT, env=env, check=True, capture_output=True)
    return str(json.loads(out.stdout)["version"])


def pack(to: Path, as_version: str, python: str = sys.executable) -> List[Path]:
    """Packs into a folder from a copy, so that nothing is left in this one. Returns the files."""
    with tempfile.TemporaryDirectory(prefix="memtree-py-") as temporary:
        copy, out = Path(temporary) / "memtree", Path(temporary) / "out"
        no_cache = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(HERE / "src", copy / "src", ignore=no_cache)
        shutil.copy(HERE / "README.md", copy)
        shutil.copy(ROOT / "LICENSE", copy)
        about = (HERE / "pyproject.toml").read_text("utf-8")
        marked = re.sub(r'^version = "0\.0\.0".*$', f'version = "{as_version}"', about, count=1, flags=re.M)
        (copy / "pyproject.toml").write_text(marked, "utf-8")
        done = subprocess.run([python, "-m", "build", "--outdir", str(out), str(copy)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"python -m build failed:\n{done.stdout}{done.stderr}")
        to.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(f, to)) for f in sorted(out.iterdir())]


def main(args: List[str], said: Optional[str] = None) -> int:
    for made in pack(Path(args[0] if args else "dist"), version(said or product())):
        print(f"{made} {made.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
