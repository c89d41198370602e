# Every target installs and builds what it needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

INSTALLED := node_modules/.package-lock.json

.PHONY: help install generate breaking check format build test run dev mock clean browser contract mutants crash soak growth throughput bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## install the dependencies
$(INSTALLED): package.json package-lock.json
	npm ci
	@touch $@

run: build ## build and serve
	@node --enable-source-maps dist/main.js

dev: $(INSTALLED) ## serve what you edit: on every change check it and swap the server
	@tsx scripts/dev.ts

mock: $(INSTALLED) ## serve any document: make mock DOC=path/to/openapi.yaml
	@tsx scripts/mock.ts $(DOC)

generate: $(INSTALLED) ## openapi/ -> generated/ and stubs of handlers; says what changed
	@tsx scripts/generate.ts

breaking: $(INSTALLED) ## what would break a client of the contract at BASE=git-ref
	@tsx scripts/breaking.ts $(BASE)

check: $(INSTALLED) ## format, lint, types, and whether generated/ is fresh
	@tsx scripts/generate.ts --check
	tsc
	eslint .
	@prettier --check --log-level warn . || { echo 'run `make format`'; exit 1; }

format: $(INSTALLED) ## format every file as `check` wants it
	prettier --write --log-level warn .

test: build ## run every test
	jest --json --outputFile reports/jest.json

browser: $(INSTALLED) ## try the documentation page in Chromium (Debian's chromium, or CHROMIUM=path)
	jest --testMatch '**/tests/**/*.browser.ts' --json --outputFile reports/jest-browser.json

contract: $(INSTALLED) ## what the document promises, put to the server; reports/contract/index.html
	@tsx scripts/contract.ts $(if $(SERVE),--serve)

mutants: $(INSTALLED) ## the same suite against servers broken on purpose
	@tsx scripts/mutants.ts

crash: build ## kill server and database under load; count what was lost
	@tsx scripts/crash.ts --rounds $(or $(ROUNDS),50)

soak: build ## keep the server busy for minutes, among clients that mean no good
	@tsx scripts/soak.ts --seconds $(or $(SECONDS),180)

growth: $(INSTALLED) ## what requests cost that are made to cost much; reports/growth.txt
	@tsx tests/system/growth/main.ts $(ONLY)

throughput: build ## what durability costs under load
	@tsx scripts/throughput.ts

bench: build ## what a request costs, here and elsewhere; reports/bench/
	@npm ci --silent --prefix scripts/bench
	@node scripts/bench/run.mjs

build: $(INSTALLED)
	tsc -p src

clean: ## remove what can be made again (not data/)
	rm -rf dist reports node_modules scripts/bench/node_modules
