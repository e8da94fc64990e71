"""The package as pip installs it, in a folder that does not refer to this one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))
import pack  # noqa: E402

README = (HERE / "README.md").read_text("utf-8")
TYPED = '''
from memtree import Case, Client, Guidance
memory = Client()
g: Guidance = memory.guide({"prompt": "x", "scope": {"product": "shop"}})
@memory.wrap(risk=True)
def run_case(case: Case) -> int:
    return len(case["prompt"])
n: int = run_case({"prompt": "x"})
'''
MISTAKES = '''
memory.guide({})
memory.guide({"prompt": "x", "mood": "good"})
m: str = run_case({"prompt": "x"})
'''


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    pytest.importorskip("build", reason="the package build is not installed: packing is not tried")
    return pack.pack(tmp_path_factory.mktemp("dist"), "1.2.3")


@pytest.fixture(scope="module")
def stranger(packed, tmp_path_factory):
    """A fresh venv with nothing but the wheel."""
    folder = tmp_path_factory.mktemp("stranger")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "v")], check=True)
    python = folder / "v" / ("Scripts" if os.name == "nt" else "bin") / "python"
    wheel = next(str(f) for f in packed if f.suffix == ".whl")
    subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel],
                   check=True)
    return folder, str(python)


def test_the_wheel_and_the_source_hold_what_they_should(packed):
    assert [f.name for f in packed] == ["memtree-1.2.3-py3-none-any.whl", "memtree-1.2.3.tar.gz"]
    names = zipfile.ZipFile(packed[0]).namelist()
    code = {n for n in names if not n.startswith("memtree-1.2.3.dist-info/")}
    assert code == {f"memtree/{f.name}" for f in (HERE / "src/memtree").iterdir() if f.suffix in (".py", ".typed")}
    assert "memtree/py.typed" in code and any(n.endswith("LICENSE") for n in names)
    about = next(zipfile.ZipFile(packed[0]).read(n).decode() for n in names if n.endswith("METADATA"))
    needs = re.findall(r"^Requires-Dist: (?!.*extra ==)(.*)$", about, re.M)
    assert needs == [] and "Requires-Python: >=3.9" in about
    assert not [n for n in tarfile.open(packed[1]).getnames() if "test" in n.replace("pytest", "") or "cache" in n]


def test_the_program_of_the_readme_is_short_and_warns_a_stranger(stranger, serve):
    folder, python = stranger
    program = README.split("```python\n")[1].split("```")[0]
    lines = [x for x in program.splitlines() if x.strip()]
    assert len(lines) < 15, len(lines)
    env = {"PATH": os.environ["PATH"], "MEMTREE_URL": serve().url, "MEMTREE_DEADLINE": "5000"}
    for _ in range(5):  # chance may hold the last run out
        done = subprocess.run([python, "-c", program], cwd=folder, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        before, warned = done.stdout.split("Check that the total of cart 7 is right")
        assert "cart 6" in before
        if warned.strip():
            break
    assert warned.startswith("\n\n<memory-context>\n") and "total" in warned.lower(), done.stdout


def test_the_types_come_with_the_package(stranger):
    folder, python = stranger
    pytest.importorskip("mypy", reason="mypy is not installed: the types are not tried")
    for name, program, good in (("good.py", TYPED, True), ("bad.py", TYPED + MISTAKES, False)):
        (folder / name).write_text(program)
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-executable", python, name],
                              cwd=folder, capture_output=True, text=True)
        assert (done.returncode == 0) == good, done.stdout
        assert good or done.stdout.count("error:") == 3, done.stdout


@pytest.mark.parametrize("go, python", [
    ("v1.4.0", "1.4.0"), ("1.4.0+dirty", "1.4.0"), ("v1.4.0-rc.1", "1.4.0rc1"), ("v1.4.0-beta2", "1.4.0b2"),
    ("v0.9.1-0.20260102030405-abcdef012345+dirty", "0.9.1.dev20260102030405"),
    ("v0.0.0-20260102030405-abcdef012345", "0.0.0.dev20260102030405"), ("(devel)", "0.0.0"),
])
def test_versions_are_those_of_the_product(go, python):
    assert pack.version(go) == python


def test_a_version_that_python_cannot_spell_is_refused():
    with pytest.raises(SystemExit, match="v1.0.0-night"):
        pack.version("v1.0.0-night")
