#!/bin/sh
# Makes the sample reports beside this folder with the tools that write them.
#
#   make.sh NODE OLD PYTHON OUT
#
# NODE and OLD are folders with the packages of versions.txt in node_modules, PYTHON the bin folder of an environment with
# those of PyPI, OUT the folder of the samples. Go, Java with Ant, Maven and Surefire, and a Chromium (CHROME) are there
# already. What tells of the machine is taken out by strip.py; count.py writes what the tools' own summaries say.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
node=$(cd "$1" && pwd) old=$(cd "$2" && pwd) python=$(cd "$3" && pwd) out=$(mkdir -p "$4" && cd "$4" && pwd)
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
 done
 SHAPE=projects npx playwright test cart.spec.ts flaky.spec.ts --list --reporter=json > "$out/playwright/list.json")
(cd "$work/pytest"
 "$python/pytest" -q -p no:cacheprovider --junitxml="$out/junit/pytest-cart.xml" --alluredir="$work/allure-pytest-cart" \
   test_cart.py || true
 "$python/pytest" -q -p no:cacheprovider --junitxml="$out/junit/pytest-orders.xml" \
   --alluredir="$work/allure-pytest-orders" test_orders.py || true
 "$python/pytest" -q -p no:cacheprovider -o junit_family=xunit1 --junitxml="$out/junit/pytest-xunit1.xml" \
   test_orders.py || true)
(cd "$work/jest" && JEST_JUNIT_OUTPUT_FILE="$out/junit/jest.xml" npx jest --reporters=jest-junit || true)
(cd "$work/vitest" && npx vitest run --reporter=junit --outputFile="$out/junit/vitest.xml" || true)
(cd "$work/vitest" && ALLURE="$work/allure-vitest" npx vitest run --config allure.config.mjs || true)
(cd "$work/mocha"
 (rm node_modules && ln -s "$old/node_modules" node_modules
  MOCHA_FILE="$out/junit/mocha.xml" node node_modules/mocha/bin/mocha.js --reporter mocha-junit-reporter cart.cjs || true)
 rm node_modules && ln -s "$node/node_modules" node_modules
 npx mocha --reporter allure-mocha --reporter-option resultsDir="$work/allure-mocha" cart.cjs || true)
(cd "$work/node" && node --test --test-reporter=junit --test-reporter-destination="$out/junit/node.xml" cart.test.cjs || true)
(cd "$work/behave"
 "$python/behave" -q --junit --junit-directory "$work/behave-junit" || true
 cp "$work"/behave-junit/*.xml "$out/junit/behave.xml"
 "$python/behave" -q -f allure_behave.formatter:AllureFormatter -o "$work/allure-behave" features || true)
(cd "$work/gotest"
 mv cart_test.go.txt cart_test.go && printf 'module shop.test/cart\n\ngo 1.24\n' > go.mod
 go run gotest.tools/gotestsum@v1.13.0 --junitfile "$out/junit/gotestsum.xml" ./... || true
 go test -v ./... 2>&1 | go run github.com/jstemmer/go-junit-report/v2@v2.1.0 -out "$out/junit/go-junit-report.xml")
(cd "$work/ant"
 jars=/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar
 ant -q -Djars=$jars || true
 cp TEST-CartTest.xml "$out/junit/ant.xml" && cp TESTS-TestSuites.xml "$out/junit/ant-all.xml"
 mkdir target && cp -r classes target/test-classes && mkdir target/classes
 mvn -q -o -Dmaven.repo.local=/usr/share/maven-repo -Dmaven.test.failure.ignore -Dsurefire.rerunFailingTestsCount=1 \
   org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test || true
 cp target/surefire-reports/TEST-CartTest.xml "$out/junit/surefire.xml"
 cp target/surefire-reports/TEST-OrdersTest.xml "$out/junit/surefire-orders.xml")
mkdir -p "$out/map"
(cd "$work/pytest" && "$python/pytest" -q -p no:cacheprovider --json-report --json-report-omit=collectors \
   --json-report-file="$out/map/pytest-json-report.json" test_cart.py || true)
(cd "$work/jest" && npx jest --json --outputFile="$out/map/jest.json" || true)

rm "$work/playwright/node_modules" && ln -s "$old/node_modules" "$work/playwright/node_modules"
(cd "$work/playwright"
 for run in plain:cart flaky:flaky; do
   shape=${run%%:*} file=${run##*:}
   SHAPE=$shape PLAYWRIGHT_JSON_OUTPUT_NAME=old.json PLAYWRIGHT_JUNIT_OUTPUT_NAME=old.xml \
     node node_modules/@playwright/test/cli.js test "$file.spec.ts" --reporter=json,junit || true
   cp old.json "$out/playwright/old-$shape.json" && cp old.xml "$out/junit/playwright-old-$shape.xml"
 done
 SHAPE=plain ALLURE="$work/allure-playwright-old" node node_modules/@playwright/test/cli.js test cart.spec.ts || true)

python3 "$here/server.py" 8123 &
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
sleep 1
(cd "$work/promptfoo"
 mkdir -p "$out/promptfoo"
 for f in rubric judge broken many broke; do
   PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_CONFIG_DIR="$work/promptfoo/config" \
     "$node/node_modules/.bin/promptfoo" eval -c $f.yaml --no-cache --no-table --no-progress-bar \
     -o "$out/promptfoo/$f.json" || true
 done)

(cd "$work/midscene"
 CHROME=${CHROME:-/usr/bin/chromium} MIDSCENE_MODEL_BASE_URL=http://127.0.0.1:8123/v1 MIDSCENE_MODEL_API_KEY=none \
   MIDSCENE_MODEL_NAME=tiny MIDSCENE_MODEL_FAMILY=qwen3-vl \
   sh -c 'node run.mjs "$1" && node summary.mjs "$1"' - "$out/midscene")

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
"$python/python" "$here/count.py" "$out" > "$out/counts.csv"
