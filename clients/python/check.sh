#!/bin/sh
# Types and tests of the Python client, in a venv of its own. PYTHON names another python than python3.
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
	echo "the Python client needs python3 (3.9 or later) with venv, which is not here: nothing of it was tried"
	exit 0
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".[dev${MEMTREE_BROWSER_USE:+,browser-use}]"
.venv/bin/python tools/generate.py --check
.venv/bin/python -m mypy
.venv/bin/python -m pytest -q "$@"
.venv/bin/python pack.py dist
