# Every target installs what it needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

INSTALLED := node_modules/.package-lock.json

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: install
install: $(INSTALLED) ## install the dependencies
$(INSTALLED): package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

.PHONY: generate
generate: $(INSTALLED) ## openapi/ -> generated/ and stubs of handlers; says what changed
	@tsx scripts/generate.ts

.PHONY: check
check: $(INSTALLED) ## format, lint, types, and whether generated/ is fresh
	@tsx scripts/generate.ts --check
	prettier --check --log-level warn .
	tsc
	eslint .

.PHONY: breaking
breaking: $(INSTALLED) ## what would break a client of the contract at BASE=git-ref
	@tsx scripts/breaking.ts $(BASE)

.PHONY: build
build: $(INSTALLED) ## compile src/ to dist/
	@tsc -p src

.PHONY: test
test: build ## run every test
	jest

.PHONY: run
run: build ## build and serve
	@node --enable-source-maps dist/main.js

.PHONY: dev
dev: $(INSTALLED) ## serve what you edit: generates, type-checks and swaps the server on every change
	@tsx scripts/dev.ts

.PHONY: clean
clean: ## remove what can be made again (not data/)
	rm -rf dist reports node_modules
