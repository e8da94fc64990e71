# memtree: `make` lists what there is to make.
GO      ?= go
T       ?= 30s
TOOL     = $(GO) tool -modfile=tools/go.mod
ALONE    = assertion|curation|effect|enhance/midscene|internal/judgment|internal/plot|internal/stat|ledger|tree# no goroutine, no lock
BUILDER  = clients/python/.venv/bin/python# has the package build
COMMA    = ,
MODULES  = quality/browser quality/peers store/json/peers# what only measurements need; static sees that their go.sum is whole
TARGETS  = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build release demo test check static lint cross race bench shared scale quality verdicts sim judge prove words cluster voices faults mutants fuzz reports routes browser explore clients
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/memtree, without debugging symbols
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/memtree ./cmd/memtree

release: ## dist/: archives for six platforms, npm packages, wheels (where python3 is), SHA256SUMS
	@[ -x $(BUILDER) ] || { command -v python3 >/dev/null && python3 -m venv $(dir $(BUILDER)).. && $(BUILDER) -m pip install -q build; } || true
	$(GO) run ./deploy/release -python "$$([ -x $(BUILDER) ] && echo $(BUILDER))"

demo: ## the main job, on a made-up sample
	@CGO_ENABLED=0 $(GO) run ./cmd/memtree demo

test: ## every test, but for the long measurements of risk, which make quality has
	CGO_ENABLED=0 $(GO) test -shuffle=on -skip '^TestQualityRisk' ./...

check: static ## format, vet, lint, tidy, builds, layer table, README, specification
	$(GO) test -run 'TestLayers|TestReadme' .
	$(GO) test -run TestSpec ./server

static: lint ## check without what make test runs too
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run gofmt -w on these"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	@for m in $(MODULES); do (cd $$m && $(GO) list -deps -test ./... >/dev/null) || exit 1; done
	@$(MAKE) cross TARGETS="darwin/arm64 windows/amd64"

lint: ## golangci-lint, pinned in tools/go.mod
	$(TOOL) golangci-lint run ./...

cross: ## builds for six platforms, without cgo (check takes two, one of each other system)
	@for t in $(TARGETS); do echo "build $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./... || exit 1; done

race: ## every test once more, shorter, with the race detector, but for measurements and command lines (needs a C compiler; RACED="PACKAGES": these alone)
	$(GO) test -race -short -shuffle=on -skip 'Quality|Readme|Learned$$|TakenBack|Redact|Poison|Promises|SalvageCrashes|^Test(Stories$$|Prove$$|Action|LLMCheck|Replay)' \
	  $(or $(RACED),$$($(GO) list ./... | grep -vE '/($(ALONE))$$'))

bench: ## speed and memory, in benchstat's form, then search beside bleve and bm25s (SCALE=s10000,s100000,s1000000)
	$(GO) test -run '^$$' -bench . -benchmem ./...
	cd store/json/peers && $(GO) test -run '^$$' -bench . -benchtime 2000x
	@quality/peers/run.sh $(or $(SCALE),s10000$(COMMA)s100000)

quality: ## retrieval and analysis measured on ../shared/data, as golden tables, then search beside bleve and bm25s
	@test -d "$${MEMTREE_SHARED:-../shared}/data" || { echo "make quality measures on $${MEMTREE_SHARED:-../shared}/data, which is not here; set MEMTREE_SHARED"; exit 1; }
	$(GO) test -count=1 -timeout 60m -v -run 'Quality|Coverage' ./prompts ./quality ./retrieval ./internal/cue ./formation ./internal/guard ./evolution ./evolution/gate ./risk ./look ./estimate
	@quality/peers/run.sh moztrap-dev,gitbugs-dev,afqmc-dev,bustm-dev,banking-dev

verdicts: ## every bar of finding and correcting wrong verdicts in one table: figure, bar, and what can be reached (some minutes)
	@test -d "$${MEMTREE_SHARED:-../shared}/data" || { echo "make verdicts measures on $${MEMTREE_SHARED:-../shared}/data, which is not here; set MEMTREE_SHARED"; exit 1; }
	@$(GO) test -count=1 -run '^Test(Coverage|QualityTokens|Adversary)$$' ./estimate ./look
	@$(GO) test -count=1 -timeout 60m -v -run '^TestQualityRiskBars$$' ./risk

sim: ## which memories help, and when the breaker opens, on made-up agents (some minutes)
	MEMTREE_SIM=1 $(GO) test -count=1 -timeout 60m -v -run '^TestSim' ./quality/sim

judge: ## what guidance does to a real model's verdicts; never in CI (docs/judge.md)
	@test -n "$$MEMTREE_JUDGE" || { echo "make judge asks a model: set MEMTREE_JUDGE=http://127.0.0.1:8095 and MEMTREE_JUDGE_MODEL=FILE; docs/judge.md says how to start one"; exit 1; }
	@test -f "$${MEMTREE_SHARED:-../shared}/data/gui/judge/items.json" || { echo "make judge measures on $${MEMTREE_SHARED:-../shared}/data/gui/judge, which is not here; set MEMTREE_SHARED"; exit 1; }
	$(GO) test -count=1 -timeout 6h -v -run '^TestJudge$$' ./quality/judge

browser: ## the pages in a real Chromium: keys, every page, hostile texts, axe (ten minutes; needs chromium and npm)
	cd quality/browser && npm ci --ignore-scripts --no-audit --no-fund && $(GO) test -count=1 -timeout 60m -v .

explore: ## a walk through the pages in a real Chromium, killed and gone on with, and a test that the map writes (two minutes; needs chromium and npm)
	cd clients/explorer && npm i --no-audit --no-fund --no-save playwright-core @playwright/test && E2E_BROWSER=$${E2E_BROWSER:-$$(command -v chromium)} node e2e.mjs

prove: ## that the store keeps what it accepts: crashes, faults, damage, kills (half an hour)
	@cd store/json && MEMTREE_PROVE=$${MEMTREE_PROVE:-100} $(GO) test -count=1 -timeout 60m -run '^TestProve$$'

cluster: ## ten kinds of faults done to three nodes under Patroni, 100,000 commits each, and each named mistake of the store (an hour; needs root, etcd-server, postgresql, iproute2, curl, python3-pip; MEMTREE_KINDS="kill full": these, MEMTREE_OPERATIONS=N: fewer)
	cd store/postgres && export WORK=$${WORK:-/var/tmp/memtree-cluster} && trap 'cluster/cluster.sh down' EXIT && cluster/cluster.sh up && \
	MEMTREE_CLUSTER='postgres://postgres@10.77.0.1,10.77.0.2,10.77.0.3/postgres?sslmode=disable' MEMTREE_FAULTS=$${MEMTREE_FAULTS:-3m} \
	$(GO) test -count=1 -timeout 3h -v -run '^Test(Cluster|TenantProbes|Killed)$$' . && \
	MEMTREE_FAULTS=6s MEMTREE_MUTANTS=1 $(GO) test -count=1 -timeout 30m -v -run '^TestMutants$$' .

shared: ## the bars of the shared store: intake, commits, jobs, lag, guidance beside a folder's, 100,000 questions for another tenant's data (a minute)
	MEMTREE_FAULTS=1s $(GO) test -count=1 -v -run '^TestTenantProbes$$' ./store/postgres
	$(GO) test -run '^$$' -bench . ./store/postgres ./internal/jobs/shared
	$(GO) test -run '^$$' -bench Shared .

scale: ## a thousand trees and two million runs on one server, and 100 million made cases grouped by an external sort (an hour, 6 GB of disk; MEMTREE_TREES, MEMTREE_EACH, MEMTREE_FORMED, MEMTREE_CASES)
	MEMTREE_TREES=$${MEMTREE_TREES:-1000} MEMTREE_CASES=$${MEMTREE_CASES:-100000000} $(GO) test -count=1 -timeout 4h -v ./quality/scale

words: ## that what a person takes back was never seen, and what they refuse is never given: 10,000 random sequences each (an hour)
	MEMTREE_WORDS=1 $(GO) test -count=1 -timeout 6h -run '^Test(TakenBackWasNeverSeen|NoIsNo)$$' .

voices: ## how notes, tasks and runs of writers are read that nothing was learned from (half a minute)
	MEMTREE_VOICES=1 $(GO) test -count=1 -timeout 60m -v -run '^Test(Voices|Runs)KeptBack$$' ./internal/cue

faults: ## each fault of a model's provider, on every provider: what is lost, what is asked again (two minutes)
	MEMTREE_FAULTS=1 $(GO) test -count=1 -timeout 20m -v -run '^Test(Embed)?FaultTable$$' ./llm/langchain

reports: ## reports of 100 MB of each format: memory under 200 MiB, and the time (half an hour; MEMTREE_BIG=MB)
	MEMTREE_BIG=$${MEMTREE_BIG:-100} $(GO) test -count=1 -timeout 3h -v -run "^TestBig" ./quality/reports

routes: ## every route of the service asked at random, by its specification (needs python3; some minutes)
	server/testdata/schemathesis.sh

mutants: ## each named mistake of the store's protocol, and which test sees it
	@cd store/json && MEMTREE_MUTANTS=1 $(GO) test -count=1 -timeout 30m -run '^TestMutants$$'

fuzz: ## every fuzz target in turn, T=30s each
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz); do \
	  echo "fuzz $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(T) -fuzzminimizetime 10x $$p || exit 1; done; done

clients: ## the TypeScript and Python clients: types, build, tests against a real service, packages (needs node, python3)
	@clients/python/check.sh
	@command -v npm >/dev/null || { echo "the TypeScript clients need node and npm, which are not here: nothing of them was tried"; exit 0; }; \
	cd clients && npm ci --no-audit --no-fund && npm run build --workspaces && npm run check --workspaces && npm test --workspaces && node pack.mjs dist
