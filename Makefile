# Two commands matter: `make run` and `make test`. Both bring the servers they need. `make` lists the rest.

BIN  := bin/switchyard
LAB  := bin/lab
TAGS := -tags nomsgpack
# Stamp the revision into the binaries if git can read the checkout. Git refuses a checkout that belongs to another user.
VCS  := -buildvcs=$(shell git status >/dev/null 2>&1 && echo true || echo false)
# -trimpath keeps the paths of the building machine out of programs. Tests and lint use it too, so that packages are compiled once.
export GOFLAGS := $(GOFLAGS) -trimpath
PKGS ?= ./...
TOOL := go tool -modfile=ops/tools/go.mod
LINT := $(TOOL) golangci-lint

.DEFAULT_GOAL := help
.PHONY: help run dev stop build screens lab test e2e race-all chaos lint format audit tidy generate verify bench smoke

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and run everything, on private PostgreSQL and Redis servers unless DATABASE_URL and REDIS_URL are set
	@$(BIN) up

dev: lab ## run everything, and build and start it again whenever a file of the source changes
	@$(LAB) dev -- go build $(TAGS) $(VCS) -o $(BIN) ./cmd/switchyard

stop: build ## stop private servers that were left running (after a kill -9)
	@$(BIN) devstack down
	@$(BIN) devstack down --test

# The files of the dashboard, which the binary embeds. npm installs their packages in the versions that the lock file names. Without
# npm, the binary is built without a dashboard.
WEB  := api/dashboard/web
PAGE := api/dashboard/dist/index.html

$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	@command -v npm >/dev/null || go run ./ops/devstack/npm
	@npm ci --ignore-scripts --no-audit --no-fund --silent --prefix $(WEB) && touch $@

$(PAGE): $(shell find $(WEB)/src api/dashboard/bundle -type f) $(WEB)/index.html $(wildcard api/openapi/page/protect.*)
	@{ $(MAKE) -s $(WEB)/node_modules/.package-lock.json && go run ./api/dashboard/bundle; } || \
		echo "the dashboard is left out of this build: its packages could not be installed with npm; the rest works" >&2

build: $(PAGE) ## build bin/switchyard, and bin/sy for customers
	@echo "building $(BIN) (the first time takes some minutes)"
	@go build $(TAGS) $(VCS) -o $(BIN) ./cmd/switchyard
	@go build $(VCS) -ldflags='-s -w' -o bin/sy ./cmd/sy # without the tables for debuggers; stack traces stay

lab: build
	@go build $(TAGS) $(VCS) -o $(LAB) ./cmd/lab

# suite starts PostgreSQL and Redis, runs tests, and prints the slowest. It needs no dashboard and no npm. It is built first,
# because `go run` does not pass SIGTERM on.
SUITE := go build $(TAGS) $(VCS) -o bin/suite ./ops/lab/suite && bin/suite $(if $(RUN),-run '$(RUN)') -packages '$(PKGS)'

test: ## run the unit, store, API and worker tests on PostgreSQL and Redis; PKGS=./db/... and RUN=Name for some
	@$(SUITE) test

e2e: lab ## run the other tests: browsers, kills, certificates, ClickHouse, race detector; PART=browser, faults, edge, clickhouse, clients or race; PKGS and RUN too
	@$(SUITE) $(or $(PART),e2e)

# Without GORACE, each test program would sleep for a second before it ends.
race-all: lab ## run the tests of all packages with the race detector (about an hour; make e2e PART=race tests only the packages that share memory)
	@$(EVERYTHING) GORACE="atexit_sleep_ms=50 $$GORACE" go test -race -vet=off $(TAGS) -timeout 90m -p 1 $(PKGS)

# EVERYTHING starts all servers and runs a command with them. SWITCHYARD_TEST_PART=all makes a test command run the tests of all parts.
EVERYTHING := $(BIN) devstack exec --test -- $(LAB) clickhouse -- env CGO_ENABLED=1 SWITCHYARD_TEST_PART=all \
	SWITCHYARD_TEST_BINARY=$(CURDIR)/$(BIN)

# CHAOS lists the packages with tests that kill processes, empty Redis, send hostile answers or count a month. `make chaos` runs
# these tests in their long form, one package after another.
CHAOS := ./api/click ./models/cond ./models/correction ./db ./db/clickhouse ./db/botscan ./db/clickcopy ./db/conversion ./db/ingest ./db/spend ./db/report ./cmd/switchyard/cli ./ops/lab/e2e/... ./workers/domain ./workers/webhook ./workers/egress \
	./ops/lab/bench/market

chaos: lab ## the fault tests in their long form, with what they measured (about half an hour)
	@$(EVERYTHING) SWITCHYARD_CHAOS=1 go test -vet=off $(TAGS) -count=1 -p 1 -parallel 1 \
		-timeout 90m -v -run '$(or $(RUN),Fault|Arrives|Killed|Away|Hostile|Isolat|Schedule|Attempts|Private|Rebinding|Redeliver|Month|Spans|Big|Neighbour|Random|Order|Flood|Equal|Limits|Copy|Outlives|Cold)' $(CHAOS)
	@echo "make chaos: all fault tests passed"

screens: build ## pictures of every screen of the dashboard, in both themes and two widths, into screens/
	@SWITCHYARD_SCREENS=$(CURDIR)/screens $(SUITE) -run '^TestDashboard' browser
	@echo "make screens: the pictures are in screens/"

LAYOUT := cd $(WEB) && node_modules/.bin/prettier --log-level warn
LAID   := src eslint eslint.config.js

lint: $(PAGE) ## run golangci-lint (the first time builds it, some minutes), and check the types, layout, hooks and imports of the dashboard; PKGS=./db/... for some packages
	@$(LINT) run $(PKGS)
	@if [ -x $(WEB)/node_modules/.bin/tsc ]; then $(WEB)/node_modules/.bin/tsc -p $(WEB) && $(LAYOUT) --check $(LAID) || \
		{ echo "make lint: the types or the layout are wrong; make format corrects the layout" >&2; exit 1; }; fi
	@if [ -x $(WEB)/node_modules/.bin/eslint ]; then cd $(WEB) && node_modules/.bin/eslint src; fi

format: $(WEB)/node_modules/.package-lock.json ## lay out the source of the dashboard as make lint wants it
	@$(LAYOUT) --write $(LAID)

# VULNDB is the database of known vulnerabilities. If vuln.go.dev cannot be reached, unpack https://vuln.go.dev/vulndb.zip and
# name the directory: VULNDB=file:///path.
VULNDB   ?= https://vuln.go.dev
# The licences that linked libraries may have. None of them demands the source of the service itself.
LICENCES := MIT,MIT-0,ISC,BSD-2-Clause,BSD-3-Clause,Apache-2.0,MPL-2.0
# The licence of segmentio/asm is MIT-0, which go-licenses does not recognise.
IGNORED  := --ignore switchyard --ignore github.com/segmentio/asm

audit: ## look for known vulnerabilities (VULNDB=file:///path without network), check licences, and that the API versions were checked within a year
	@go run ./ops/audit
	@$(TOOL) govulncheck -db $(VULNDB) $(TAGS) ./...
	@GOFLAGS="$$GOFLAGS -tags=nomsgpack" $(TOOL) go-licenses report ./cmd/switchyard $(IGNORED) 2>/dev/null | \
		awk -F, '{printf "%-70s %s\n", $$1, $$3}'
	@GOFLAGS="$$GOFLAGS -tags=nomsgpack" $(TOOL) go-licenses check ./cmd/switchyard $(IGNORED) \
		--allowed_licenses=$(LICENCES) 2>/dev/null || { echo "a licence is not among $(LICENCES)" >&2; exit 1; }
	@echo "make audit: no known vulnerability is called, every licence is among $(LICENCES), the API versions were checked"

tidy: ## check that go.mod and go.sum name what is imported and nothing else
	@go mod tidy -diff
	@go -C ops/tools mod tidy -diff

# The golden files hold what clients read from the service, byte by byte. The API's document contains the examples, so the examples
# are written first.
GOLDEN := $(BIN) devstack exec --test -- go test $(TAGS) -count=1 ./ops/lab/e2e/api
# esbuild makes the page tag's script. Without the build tag esbuild, this test is left out.
TAG := go test $(TAGS),esbuild -count=1 ./api/click/tag

generate: ## write the generated files again: golden files, types of the dashboard, go.mod and go.sum
	@go test -count=1 ./models/measure -run '^TestGenerated$$' -update
	@go test -count=1 ./models/money -run '^TestGenerated$$' -update
	@$(MAKE) -s build
	@go mod tidy
	@go -C ops/tools mod tidy
	@$(TAG) -run '^TestBuild' -update
	@go test $(TAGS) -count=1 ./api -run '^TestTypes' -update
	@go test $(TAGS) -count=1 ./models/botdata -run '^TestClouds$$' -update
	@$(GOLDEN) -run '^TestGoldenExamples' -update
	@$(GOLDEN) -run '^TestGolden' -update
	@go test -count=1 ./api/clients -run '^TestGenerated' -update

# Four kinds of functions have no caller in the programs, and verify does not report them: the lab's control of processes and the
# fakes of third parties, which tests call, the clients that customers use, and the tables from which the dashboard's types are generated.
TABLES := models/correction/columns.go\|: Names$$\|: TypeNames$$

verify: build tidy ## fail when golden files, go.mod or go.sum are stale, or when a function has no caller
	@dead=$$($(TOOL) deadcode $(TAGS) ./cmd/... ./ops/audit) || exit 1; \
		! echo "$$dead" | grep . | grep -v '^ops/lab/\|^api/clients/go/\|test/[a-z]*.go\|$(TABLES)'
	@$(GOLDEN) -run '^TestGolden'
	@go test -count=1 ./api/clients -run '^TestGenerated'
	@$(TAG)

bench: lab ## measure against goals (about twenty minutes); PART=redirect, sustain, flood, many, foreign, placements, jobs, bots, figures, scale or tls for a part
	@$(LAB) bench $(PART)

smoke: lab ## send real traffic through the whole chain and compare every figure; CLICKS=local: with clicks copied to ClickHouse
	@$(if $(filter local,$(CLICKS)),$(LAB) clickhouse --) $(LAB) smoke

