#!/bin/sh
# Compares the map with pages, elements and ways that were counted by hand, on two applications, and tries the selectors
# that the map gives for one build on the next one. Needs python3, node, npm, chromium and a registry of Python packages
# (ten minutes). The benchmark's pages are in $MEMTREE_SHARED/data/gui/app.
set -eu
cd "$(dirname "$0")"
export E2E_BROWSER="${E2E_BROWSER:-$(command -v chromium)}"
work=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null || true; rm -rf "$work"' EXIT INT TERM
pages="breadcrumb calendar cart counter data-table form gallery loading login notification profile slider steps switch tabs todo tooltip"

gui="${MEMTREE_SHARED:-../../../shared}/data/gui/app"
if [ -d "$gui" ]; then
  node static.mjs "$gui" 8940 & pids="$pids $!"
  node static.mjs "$gui" 8939 -v2 & pids="$pids $!"
  sleep 1
  node measure.mjs gui $(for p in "" $pages; do echo "http://127.0.0.1:8940/$p?session=$$"; done)
  node nextbuild.mjs http://127.0.0.1:8940 http://127.0.0.1:8939 / $(for p in $pages; do echo "/$p"; done)
fi

python3 -m venv "$work/trac"
"$work/trac/bin/pip" -q install 'setuptools<70' trac==1.6
"$work/trac/bin/trac-admin" "$work/env" initenv Shop sqlite:db/trac.db >/dev/null
"$work/trac/bin/trac-admin" "$work/env" permission add anonymous TRAC_ADMIN
"$work/trac/bin/python" - "$work/env" <<'PY'
import sys
from trac.env import open_environment
from trac.ticket.model import Ticket
env = open_environment(sys.argv[1])
for summary, kind in [('The cart forgets its items', 'defect'), ('Invoices as PDF', 'enhancement'), ('Clean the old branches', 'task')]:
    t = Ticket(env)
    for name, value in dict(summary=summary, type=kind, reporter='ann', status='new', milestone='milestone1', component='component1').items():
        t[name] = value
    t.insert()
PY
"$work/trac/bin/tracd" --port 8941 --hostname 127.0.0.1 -s "$work/env" >/dev/null 2>&1 & pids="$pids $!"
sleep 3
node measure.mjs trac http://127.0.0.1:8941/

port=8952
for version in 2.4.0 2.6.0; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" -q install "roundup==$version"
  mkdir "$work/$version.d"
  (cd "$work/$version.d" && exec "$work/$version/bin/python" -c "
import os, sys
os.getuid = os.geteuid = lambda: 1000  # it refuses to run as root, as in a container
sys.argv = ['roundup-demo', '-b', 'sqlite', '-t', 'classic', '-p', '$port', '-H', '127.0.0.1', 'demo']
from roundup.scripts.roundup_demo import run
run()") >/dev/null 2>&1 & pids="$pids $!"
  port=$((port + 1))
done
sleep 8
E2E_PAGES=25 E2E_LOGIN="/demo/ __login_name demo __login_password demo" node nextbuild.mjs http://127.0.0.1:8952 http://127.0.0.1:8953 \
  /demo/ /demo/issue /demo/user /demo/keyword /demo/file /demo/msg /demo/query /demo/user3
