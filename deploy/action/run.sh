#!/usr/bin/env bash
# Takes in what test tools reported, lets memory learn from it, and writes a summary. It reads INPUT_* and works on any
# CI server; see docs/ci.md. It never fails a job, but for what INPUT_FAIL_ON names: memory is no reason to.
set -u

program=${INPUT_MEMTREE:-memtree}
store=${INPUT_FOLDER:-.memtree}
run=${INPUT_RUN:-}
summary=${INPUT_SUMMARY:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/memtree-summary-$$.md}
most=1000000 # bytes: GitHub refuses summaries of more than 1 MiB

# What tests and agents wrote comes into the log. GitHub must not take it for commands.
quiet_commands() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    word=memtree-$RANDOM$RANDOM$RANDOM$RANDOM
    echo "::stop-commands::$word"
  fi
}
loud_commands() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::$word::"; fi
}

warnings=()
warn() { warnings+=("$1"); }

call() { command -- "$program" --store "$store" --lang "${INPUT_LANG:-en}" "$@"; }

find_program() {
  if command -v -- "$program" >/dev/null 2>&1; then return 0; fi
  if command -v go >/dev/null 2>&1; then
    GOBIN="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/memtree-bin"
    export GOBIN
    if go install "github.com/memtree/memtree/cmd/memtree@${INPUT_VERSION:-latest}"; then
      program=$GOBIN/memtree
      return 0
    fi
  fi
  return 1
}

# ingest takes in one line of INPUT_REPORTS: a format, and a file or a pattern.
ingest() {
  local format=${1%%[[:space:]]*} pattern files flags=() IFS=
  pattern=${1#"$format"}
  pattern=${pattern#"${pattern%%[![:space:]]*}"}
  shopt -s nullglob globstar
  files=($pattern)
  shopt -u nullglob globstar
  if [ ${#files[@]} -eq 0 ] && [ -e "$pattern" ]; then files=("$pattern"); fi
  if [ ${#files[@]} -eq 0 ]; then
    warn "memtree: no report was found for a line of reports; look at its format and its path"
    return
  fi
  if [ -n "$run" ]; then flags+=(--run "$run"); fi
  if [ -n "${INPUT_TRUTH:-}" ]; then flags+=(--truth "$INPUT_TRUTH"); fi
  call ingest --quiet "${flags[@]}" -- "$format" "${files[@]}"
  case $? in
    0) ;;
    3) warn "memtree: a part of a report was not understood; the log says which" ;;
    *) warn "memtree: a report was not taken in; the log says why" ;;
  esac
}

work() {
  if ! find_program; then
    warn "memtree: the program is not there, so nothing was done; name it with the input memtree"
    return 0
  fi
  if [ ! -e "$store/FORMAT.json" ] && ! call init --quiet; then
    warn "memtree: no store could be made; the log says why"
    return 0
  fi
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    if [ -n "$line" ]; then ingest "$line"; fi
  done <<<"${INPUT_REPORTS:-}"
  if [ "${INPUT_EVOLVE:-true}" = true ]; then
    call evolve --quiet >/dev/null || warn "memtree: memory did not learn from this; the log says why"
  fi
  local flags=(--seen "$store.seen.json")
  if [ -n "$run" ]; then flags+=(--run "$run"); fi
  if [ -n "${INPUT_FAIL_ON:-}" ]; then flags+=(--fail-on "$INPUT_FAIL_ON" --above "${INPUT_ABOVE:-0.5}"); fi
  call report "${flags[@]}" >"$summary"
  local code=$?
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then head -c "$most" "$summary" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "summary=$summary" >>"$GITHUB_OUTPUT"; fi
  if [ -z "${GITHUB_STEP_SUMMARY:-}" ] && [ -z "${INPUT_SUMMARY:-}" ]; then cat "$summary"; fi
  if [ $code -ne 0 ] && [ ! -s "$summary" ]; then
    warn "memtree: there is no summary; the log says why"
    return 0
  fi
  if [ -n "${INPUT_FAIL_ON:-}" ]; then return $code; fi
  return 0
}

quiet_commands
work
code=$?
loud_commands
for w in ${warnings[@]+"${warnings[@]}"}; do
  if [ -n "${GITHUB_ACTIONS:-}" ]; then echo "::warning::$w"; else echo "$w" >&2; fi
done
exit $code
