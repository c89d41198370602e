# Every target installs and builds what it needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# Empty where the machine's Node is new enough. Else the Node of .nvmrc, which npm brings into .node/, once.
NODE :=
ifneq ($(shell node scripts/node-version.mjs 2>/dev/null && echo new),new)
NODE := .node/node_modules/.bin/node
OLD := $(shell node --version)
endif
export PATH := $(CURDIR)/node_modules/.bin:$(if $(NODE),$(CURDIR)/.node/node_modules/.bin:)$(PATH)
# The compiler and the linter are larger than the project: Node keeps their compiled code.
export NODE_COMPILE_CACHE := $(CURDIR)/.cache/node

INSTALLED := node_modules/.package-lock.json

.PHONY: help install generate breaking check quick loop rooms format build test gate run dev mock clean browser contract mutants crash soak growth bench sbom

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## install the dependencies
$(INSTALLED): package.json package-lock.json | $(NODE)
	npm ci $(if $(NODE),--engine-strict=false)
	@touch $@

ifneq ($(NODE),)
# The package of this platform, of which the package `node` is an index. It holds the program and runs no script.
$(NODE): .nvmrc
	@echo "Node $(OLD) is too old (package.json has the oldest): npm brings Node $$(cat .nvmrc) into .node/"
	@rm -rf .node
	@npm install --prefix .node --no-save --ignore-scripts --loglevel error "$$(node -p \
	  '(process.platform + process.arch === "darwinarm64" ? "node-bin-" : "node-") + process.platform + "-" + process.arch')@$$(cat .nvmrc)" >/dev/null
	@touch $@
endif

run: build ## build and serve
	@node --enable-source-maps dist/main.js

dev: $(INSTALLED) ## serve what you edit: on every change check it and swap the server
	@tsx scripts/dev/main.ts

mock: $(INSTALLED) ## serve any document: make mock DOC=path/to/openapi.yaml
	@tsx scripts/mock/main.ts $(DOC)

generate: $(INSTALLED) ## openapi/ -> generated/ and stubs of handlers; lists the changes
	@tsx scripts/generate/main.ts

breaking: $(INSTALLED) ## list what would break a client of the contract at BASE=git-ref
	@tsx scripts/breaking/main.ts $(BASE)

check: $(INSTALLED) ## format, lint, types, and whether generated/ is fresh: all findings at once
	@tsx scripts/gate/main.ts code walls format generated

quick: $(INSTALLED) ## a faster verdict: types, lint, units, contract, memory and SQLite; names the tests left out
	@tsx scripts/gate/main.ts code quick

loop: $(INSTALLED) ## go once round the loop in a copy, and draw it for README
	@tsx tests/system/loop/main.ts

rooms: $(INSTALLED) ## draw which room imports which, in CONTRIBUTING.md
	@tsx scripts/gate/walls.ts --draw

format: $(INSTALLED) ## format every file as `check` wants it
	prettier --write --log-level warn .

test: $(INSTALLED) ## run every test; AGAIN=1 also where nothing has changed since they passed
	@tsx scripts/gate/main.ts test

browser: $(INSTALLED) ## try the documentation page in Chromium (Debian's chromium, or CHROMIUM=path)
	@tsx scripts/gate/main.ts browser

gate: check test browser ## everything that must pass before a commit reaches main

contract: $(INSTALLED) ## put the document's promises to the server; reports/contract/index.html
	@tsx tests/contract/main.ts $(if $(SERVE),--serve)

mutants: $(INSTALLED) ## the same suite against servers broken on purpose
	@tsx tests/system/mutants/main.ts

crash: build ## kill server and database under load; count what was lost
	@tsx tests/system/crash/main.ts --rounds $(or $(ROUNDS),50)

soak: build ## keep the server busy for minutes, among hostile clients
	@tsx tests/system/soak/main.ts --seconds $(or $(SECONDS),180)

growth: $(INSTALLED) ## measure what costly requests cost beside innocent ones; reports/growth.txt
	@tsx tests/system/growth/main.ts $(ONLY)

BENCH := tests/system/bench
bench: build $(BENCH)/node_modules/.package-lock.json ## measure what requests cost here and elsewhere; ONLY=plant,get
	@tsx $(BENCH)/main.ts $(if $(SAVE),--save) $(ONLY)
$(BENCH)/node_modules/.package-lock.json: $(BENCH)/package.json $(BENCH)/package-lock.json | $(INSTALLED)
	@npm ci --silent --prefix $(BENCH)
	@touch $@

sbom: $(INSTALLED) ## list the packages of the server; reports/sbom.cdx.json (CycloneDX)
	@mkdir -p reports
	npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx > reports/sbom.cdx.json

build: $(INSTALLED)
	tsc -p src

clean: ## remove what can be made again (not data/)
	rm -rf dist reports node_modules .node .cache $(BENCH)/node_modules
