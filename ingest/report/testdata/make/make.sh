#!/bin/sh
# Makes the sample reports beside this folder with the tools that write them.
#
#   make.sh NODE PYTHON OUT
#
# NODE is a folder with the packages of versions.txt in node_modules, PYTHON the bin folder of an environment with those
# of PyPI, OUT the folder of the samples. What tells of the machine is taken out by strip.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
node=$(cd "$1" && pwd) python=$(cd "$2" && pwd) out=$(mkdir -p "$3" && cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here"/*/ "$work"
for d in "$work"/*/; do ln -s "$node/node_modules" "$d/node_modules"; done
mkdir -p "$out/junit" "$out/playwright" "$out/allure"

(cd "$work/playwright"
 for run in plain:cart flaky:flaky projects:cart setup:setup; do
   shape=${run%%:*} file=${run##*:}
   SHAPE=$shape PLAYWRIGHT_JSON_OUTPUT_NAME=$shape.json PLAYWRIGHT_JUNIT_OUTPUT_NAME=$shape.xml \
     npx playwright test "$file.spec.ts" --reporter=json,junit || true
   cp $shape.json "$out/playwright/$shape.json"
   cp $shape.xml "$out/junit/playwright-$shape.xml"
   if [ $shape != setup ]; then
     SHAPE=$shape ALLURE="$work/allure-playwright-$shape" npx playwright test "$file.spec.ts" || true
   fi
 done)
(cd "$work/pytest"
 "$python/pytest" -q -p no:cacheprovider --junitxml="$out/junit/pytest-cart.xml" --alluredir="$work/allure-pytest-cart" \
   test_cart.py || true
 "$python/pytest" -q -p no:cacheprovider --junitxml="$out/junit/pytest-orders.xml" \
   --alluredir="$work/allure-pytest-orders" test_orders.py || true
 "$python/pytest" -q -p no:cacheprovider -o junit_family=xunit1 --junitxml="$out/junit/pytest-xunit1.xml" \
   test_orders.py || true)
(cd "$work/jest" && JEST_JUNIT_OUTPUT_FILE="$out/junit/jest.xml" npx jest --reporters=jest-junit || true)
(cd "$work/vitest" && npx vitest run --reporter=junit --outputFile="$out/junit/vitest.xml" || true)

python3 "$here/server.py" 8123 &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
sleep 1
(cd "$work/promptfoo"
 mkdir -p "$out/promptfoo"
 for f in rubric judge broken many; do
   PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_CONFIG_DIR="$work/promptfoo/config" \
     "$node/node_modules/.bin/promptfoo" eval -c $f.yaml --no-cache --no-table --no-progress-bar \
     -o "$out/promptfoo/$f.json" || true
 done)

(cd "$work/midscene"
 CHROME=${CHROME:-/usr/bin/chromium} MIDSCENE_MODEL_BASE_URL=http://127.0.0.1:8123/v1 MIDSCENE_MODEL_API_KEY=none \
   MIDSCENE_MODEL_NAME=tiny MIDSCENE_MODEL_FAMILY=qwen3-vl node run.mjs "$out/midscene")

"$python/python" "$here/inspect_logs.py" "$out"
"$python/python" "$here/deepeval_runs.py" "$out"
"$python/python" "$here/tables.py" "$out"

for d in "$work"/allure-*/; do # the results alone: what they attach is not read
  name=$(basename "$d"); name=${name#allure-}
  mkdir -p "$out/allure/$name"
  rm -f "$out/allure/$name"/*
  cp "$d"/*-result.json "$out/allure/$name"
done
"$python/python" "$here/strip.py" "$out" "$work"
