# Every target installs and builds what it needs. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# Empty if the installed Node is new enough. Otherwise the Node of .nvmrc, which npm installs once into .node/.
NODE :=
ifneq ($(shell node packages/server/node-version.cjs 2>/dev/null && echo new),new)
NODE := .node/node_modules/.bin/node
OLD := $(shell node --version)
# npm looks for its global settings, such as a proxy, beside the Node that runs it.
export npm_config_globalconfig := $(shell npm config get globalconfig)
endif
export PATH := $(CURDIR)/node_modules/.bin:$(if $(NODE),$(CURDIR)/.node/node_modules/.bin:)$(PATH)
# Caches the compiled code of the compiler and the linter, which are larger than the project.
export NODE_COMPILE_CACHE := $(CURDIR)/.cache/node

INSTALLED := node_modules/.package-lock.json
# The targets that are verbs do what `npx contract-first VERB` does, from the sources of the command.
CLI := node packages/command/bin/contract-first.cjs
# Without the condition, Node would run what was last built of the packages.
TSX := tsx --conditions=@contract-first/source
CHECK := $(TSX) scripts/checks.ts

.PHONY: help help-all install generate client breaking check quick test-all recording modules format build pack test gate run dev migrate backup restore seed mock clean browser contract todo new mutants faults crash cluster alerts connections soak bodies growth bench documents sqlite consumers sbom image

DAILY := run dev new generate check quick test test-all
LISTED = awk -F ':.*\#\# ' -v names=' $(1) ' '/^[a-z-]+:.*\#\# / && (names == "  " || index(names, " " $$1 " ")) \
	  { printf "  make %-11s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
help:
	@$(call LISTED,$(DAILY) help-all)

install: $(INSTALLED) ## install the dependencies
$(INSTALLED): package.json package-lock.json | $(NODE)
	npm ci $(if $(NODE),--engine-strict=false)
	@touch $@

ifneq ($(NODE),)
# The package for this platform. The package `node` only selects it. This one contains the binary and runs no script.
# npm would look for its global settings in .node/ if that were its prefix.
$(NODE): .nvmrc
	@echo "Node $(OLD) is too old (package.json states the minimum): npm installs Node $$(cat .nvmrc) into .node/"
	@rm -rf .node && mkdir .node && echo '{ "private": true }' > .node/package.json $(if $(wildcard .npmrc),&& cp .npmrc .node)
	@package="$$(node -p '(process.platform + process.arch === "darwinarm64" ? "node-bin-" : "node-") + process.platform + "-" + process.arch')"; \
	cd .node && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
	  --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 "$$package@$$(cat ../.nvmrc)" >/dev/null || { rm -rf ../.node; exit 1; }
	@touch $@
endif

run: build ## build and serve
	@node --enable-source-maps dist/main.js

dev: build ## serve while you edit: check every change, then restart the server
	@$(CLI) dev

new: $(INSTALLED) ## create a standalone service: make new DIR=../museum DOC=path/to/museum.yaml NAME=museum
	@$(CLI) new $(if $(DOC),'$(DOC)') --dir '$(or $(DIR),$(error DIR is missing; example: make new DIR=../museum DOC=path/to/museum.yaml))' $(if $(NAME),--name '$(NAME)') $(if $(ALLOW_OUTSIDE),--allow-outside)

migrate: $(INSTALLED) ## apply pending database migrations and list them
	@$(CLI) migrate

backup: $(INSTALLED) ## back up the SQLite database while the server runs: make backup TO=/mnt/monday.db
	@$(CLI) backup '$(or $(TO),$(error make backup TO=/mnt/monday.db))'

restore: $(INSTALLED) ## restore the SQLite database from a backup: make restore FROM=/mnt/monday.db
	@$(CLI) restore '$(or $(FROM),$(error make restore FROM=/mnt/monday.db))'

seed: $(INSTALLED) ## seed the development database (src/seed.ts)
	@$(CLI) seed

mock: $(INSTALLED) ## serve any document: make mock DOC=path/to/openapi.yaml
	@$(CLI) mock '$(DOC)' $(if $(ALLOW_OUTSIDE),--allow-outside)

generate: $(INSTALLED) ## update generated/ and handler stubs from openapi/, and list the changes; ALL=1 lists every line
	@$(CLI) generate $(if $(ALL),--all)
	@$(TSX) scripts/pack/deployment.ts

client: $(INSTALLED) ## generate a typed client: make client OUT=client.ts DOC=path/to/openapi.yaml
	@$(CLI) client $(if $(DOC),'$(DOC)') $(if $(OUT),--out '$(OUT)') $(if $(ALLOW_OUTSIDE),--allow-outside)

breaking: $(INSTALLED) ## list the changes that break a client: make breaking BASE=git-ref
	@$(CLI) breaking '$(BASE)' $(if $(ALL),--all)

check: $(INSTALLED) ## check types, lint, imports, formatting and generated/, and list all findings
	@$(CHECK) code boundaries format generated

quick: $(INSTALLED) ## check types and lint, run the fast tests, name the tests left out
	@$(CHECK) code quick

recording: $(INSTALLED) ## record the first minute in a clone, for README
	@$(TSX) scripts/recording/main.ts

modules: $(INSTALLED) ## draw the imports between modules in CONTRIBUTING.md
	@$(TSX) scripts/boundaries.ts --draw

format: $(INSTALLED) ## format every file
	prettier --write --log-level warn .

test: $(INSTALLED) ## run the tests; AGAIN=1 also if nothing has changed
	@$(CHECK) test

test-all: test ## run the tests, then the slow ones (*.slow.test.ts) and those in a browser
	@$(CHECK) slow
	@$(CHECK) browser

browser: $(INSTALLED) ## test the documentation page in Chromium (or CHROMIUM=path)
	@$(CHECK) browser

gate: check test-all ## everything that must pass before a commit reaches main

contract: $(INSTALLED) ## run contract tests against this server, or any: make contract URL=http://127.0.0.1:8080 DOC=openapi.yaml
	@case '$(WRITE)' in '' | 1 | all) ;; *) echo "make contract: expected WRITE=1 or WRITE=all, got '$(WRITE)'" >&2; exit 2 ;; esac
	@$(CLI) contract $(if $(URL),--url '$(URL)' --doc '$(DOC)') $(if $(CREDENTIALS),--credentials '$(CREDENTIALS)') \
	  $(if $(WRITE),$(if $(filter all,$(WRITE)),--write-all,--write)) $(if $(PROFILE),--profile '$(PROFILE)') \
	  $(if $(WAIVERS),--waivers '$(WAIVERS)') $(if $(SERVE),--serve) $(ARGS)

todo: $(INSTALLED) ## list what remains to be written
	@$(CLI) todo

mutants: $(INSTALLED) ## run the contract tests against servers with one fault each
	@$(TSX) scripts/mutants/main.ts

faults: $(INSTALLED) ## run the tests against faults in product code; reports/faults.jsonl; ONLY=packages/server/src/runtime IGNORE=regex-of-suites WORKERS=2
	@$(TSX) scripts/faults/main.ts run --workers $(or $(WORKERS),1) $(if $(ONLY),--only '$(ONLY)') $(if $(IGNORE),--ignore '$(IGNORE)')

crash: build ## kill server and database under load; count lost plants
	@$(TSX) scripts/crash/main.ts --rounds $(or $(ROUNDS),50)

cluster: build ## kill, freeze, cut and switch over PostgreSQL machines under load; count lost plants; ROUNDS=20 ONLY=name,name
	@$(TSX) scripts/cluster/main.ts --rounds $(or $(ROUNDS),20) $(if $(ONLY),--only '$(ONLY)') $(if $(JOBS),--jobs $(JOBS)) $(if $(SAVE),--save)

connections: $(INSTALLED) ## walk through the states of a connection; WALKS=20000
	@$(TSX) scripts/connections/main.ts --walks $(or $(WALKS),20000)

alerts: build ## bring each alert of scripts/deploy/prometheus-rules.yaml about once
	@$(TSX) scripts/alerts/main.ts

soak: build bodies ## load the server for minutes, with hostile clients
	@$(TSX) scripts/soak/main.ts --seconds $(or $(SECONDS),180)

bodies: $(INSTALLED) ## send and read large bodies by curl, among clients that leave; SECONDS=60
	@$(TSX) scripts/bodies/main.ts --seconds $(or $(SECONDS),60)

growth: $(INSTALLED) ## measure the cost of hostile requests; reports/growth.txt
	@$(TSX) scripts/growth/main.ts $(ONLY)

BENCH := scripts/bench
bench: build pack $(BENCH)/node_modules/.package-lock.json ## measure the cost of requests here and in other servers; ONLY=plant,get
	@$(TSX) $(BENCH)/main.ts $(if $(SAVE),--save) $(if $(BEFORE),--before '$(BEFORE)') $(if $(DOCUMENTS),--documents '$(DOCUMENTS)') $(ONLY)
$(BENCH)/node_modules/.package-lock.json: $(BENCH)/package.json $(BENCH)/package-lock.json | $(INSTALLED)
	@cd $(BENCH) && npm ci --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

documents: $(INSTALLED) ## test the mock of public documents, or with NEW=1 `make new`; reports/documents/; ONLY=uspto,train-travel
	@$(if $(NEW),$(TSX) scripts/pack/main.ts >/dev/null)
	@$(TSX) scripts/documents/main.ts $(if $(NEW),$(NEW:1=new),mock) $(ONLY)

sqlite: $(INSTALLED) ## measure node:sqlite beside better-sqlite3
	@npm install --prefix .cache/sqlite --no-save --ignore-scripts --no-audit --no-fund --loglevel=error better-sqlite3@13.2.0 >/dev/null
	@$(TSX) scripts/sqlite/main.ts .cache/sqlite

consumers: $(INSTALLED) ## install the package by npm, pnpm and Yarn, alone and in services; publint, attw; ONLY=pnpm
	@$(TSX) scripts/pack/main.ts >/dev/null
	@$(TSX) scripts/consumers/main.ts $(if $(ONLY),'$(ONLY)')

sbom: $(INSTALLED) ## list the packages of the server; reports/sbom.cdx.json (CycloneDX)
	@mkdir -p reports
	npm sbom --package-lock-only --omit=dev -w packages/database -w packages/server --include-workspace-root --sbom-format=cyclonedx > reports/sbom.cdx.json

pack: $(INSTALLED) ## build the packages; .cache/pack/
	@$(TSX) scripts/pack/main.ts

image: ## build the image with the Node of .nvmrc
	docker build --build-arg NODE_VERSION="$$(cat .nvmrc)" --tag plant-store .

build: $(INSTALLED)
	node node_modules/typescript-7/bin/tsc -b packages/server/tsconfig.build.json && node node_modules/typescript-7/bin/tsc -p src

clean: ## remove builds, packages, reports and caches (not data/)
	rm -rf dist packages/*/dist reports node_modules .node .cache $(BENCH)/node_modules

help-all: ## list all targets
	@$(call LISTED)
