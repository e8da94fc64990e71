# memtree: `make` lists what there is to make.
GO      ?= go
T       ?= 30s
TOOL     = $(GO) tool -modfile=tools/go.mod
TARGETS  = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build demo test check lint cross race bench quality sim judge prove mutants fuzz
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## bin/memtree
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/memtree ./cmd/memtree

demo: ## the main job, on a made-up sample
	@CGO_ENABLED=0 $(GO) run ./cmd/memtree demo

test: ## every test that needs nothing outside the repository
	CGO_ENABLED=0 $(GO) test -shuffle=on ./...

check: lint cross ## format, vet, lint, tidy, layer table, README, builds
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run gofmt -w on these"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) test -run 'TestLayers|TestReadme' .

lint: ## golangci-lint, pinned in tools/go.mod
	$(TOOL) golangci-lint run ./...

cross: ## builds for six platforms, without cgo
	@for t in $(TARGETS); do echo "build $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./... || exit 1; done

race: ## every test again with the race detector, but for measurements (needs a C compiler)
	$(GO) test -race -shuffle=on -skip 'Quality|Readme|Learned$$' ./...

bench: ## speed and memory, in benchstat's form
	$(GO) test -run '^$$' -bench . -benchmem ./...
	cd store/json/peers && $(GO) test -run '^$$' -bench . -benchtime 2000x

quality: ## retrieval and analysis measured on ../shared/data, as golden tables
	@test -d "$${MEMTREE_SHARED:-../shared}/data" || { echo "make quality measures on $${MEMTREE_SHARED:-../shared}/data, which is not here; set MEMTREE_SHARED"; exit 1; }
	$(GO) test -count=1 -v -run 'Quality' ./quality ./cue ./formation ./guard ./evolution ./evolution/gate ./risk

sim: ## which memories help, and when the breaker opens, on made-up agents (some minutes)
	MEMTREE_SIM=1 $(GO) test -count=1 -timeout 60m -v -run '^TestSim' ./effect/sim

judge: ## what guidance does to a real model's verdicts; never in CI (docs/judge.md)
	@test -n "$$MEMTREE_JUDGE" || { echo "make judge asks a model: set MEMTREE_JUDGE=http://127.0.0.1:8095 and MEMTREE_JUDGE_MODEL=FILE; docs/judge.md says how to start one"; exit 1; }
	@test -f "$${MEMTREE_SHARED:-../shared}/data/gui/judge/items.json" || { echo "make judge measures on $${MEMTREE_SHARED:-../shared}/data/gui/judge, which is not here; set MEMTREE_SHARED"; exit 1; }
	$(GO) test -count=1 -timeout 6h -v -run '^TestJudge$$' ./quality/judge

prove: ## that the store keeps what it accepts: crashes, faults, damage, kills (half an hour)
	@cd store/json && MEMTREE_PROVE=$${MEMTREE_PROVE:-100} $(GO) test -count=1 -timeout 60m -run '^TestProve$$'

mutants: ## each named mistake of the store's protocol, and which test sees it
	@cd store/json && MEMTREE_MUTANTS=1 $(GO) test -count=1 -timeout 30m -run '^TestMutants$$'

fuzz: ## every fuzz target in turn, T=30s each
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz); do \
	  echo "fuzz $$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(T) -fuzzminimizetime 10x $$p || exit 1; done; done
