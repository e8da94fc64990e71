#!/usr/bin/env bash
# Serves a small tree and has schemathesis ask every route of the specification at random.
# It needs python3; what it installs goes into a folder of its own, which is removed.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'kill "${service:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install 'schemathesis>=4,<5'
go build -o "$work/memtree" ./cmd/memtree
"$work/memtree" init --quiet --store "$work/store" > /dev/null
"$work/memtree" record --quiet fixtures/shop.jsonl fixtures/tau.jsonl --store "$work/store" > /dev/null
token=$("$work/memtree" token add --quiet --name schemathesis --scope admin --store "$work/store")
"$work/memtree" serve --store "$work/store" --listen 127.0.0.1:0 2> "$work/log" &
service=$!
until address=$(grep -om1 'http://127[0-9.]*:[0-9]*' "$work/log"); do sleep .1; done
# What is left out: null for a field that may be missing is taken as missing, and what only memory knows to
# be wrong (an id that is no memory) is refused with 422 by a schema that cannot say so.
cd "$work" # it keeps what it found beside where it runs
"$work/venv/bin/schemathesis" run "$address/openapi.json" -H "Authorization: Bearer $token" --max-time "${SECONDS_IN_ALL:-240}" \
  -c not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method,ignored_auth,use_after_free
