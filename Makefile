# Two commands on a fresh machine: make demo, make test.
# It needs Debian, root, npm or bun, make, gcc and go.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The pinned runtime, in the cache; fetched once. Nothing is installed outside the cache and the
# checkout, except for missing Debian packages, which a target names.
BUN = $(shell scripts/bootstrap.sh)

.PHONY: help
help: ## Show the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/' | column -t -s $$'\t'

.PHONY: setup
setup: node_modules/.setup ## Install the needs of the other targets

node_modules/.setup: package.json bun.lock $(wildcard packages/*/package.json) scripts/bootstrap.sh
	@test -n "$(BUN)" || { echo "make: there is no runtime: scripts/bootstrap.sh has said why" >&2; exit 1; }
	@echo "install the packages of npm"
	@$(BUN) install --frozen-lockfile --no-summary
	@touch $@

.PHONY: build
build: setup ## Compile the programs into dist/bin
	@$(BUN) scripts/build.ts

.PHONY: bundle
bundle: setup ## Make the wrapper's self-contained bundle in dist/bundle
	@$(BUN) scripts/bundle.ts

.PHONY: images
images: setup ## Make the images for amd64 and arm64 as OCI layouts in dist/images
	@$(BUN) scripts/ensure-commands.ts
	@$(BUN) e2e/harness/guests/ensure-guest-tools.ts
	@$(BUN) scripts/images.ts

.PHONY: push
push: setup ## Push the images of dist/images: make push REGISTRY=registry.example/svc
	@$(BUN) scripts/push.ts "$(REGISTRY)"

.PHONY: release
release: images ## Make all that is published into dist/release (REGISTRY, SVC_SOURCE_URL, MINISIGN_KEY)
	@$(BUN) scripts/release.ts

.PHONY: bpf
bpf: setup ## Compile the kernel side of the agent into dist/bpf (clang-19)
	@$(BUN) scripts/ensure-commands.ts
	@$(BUN) scripts/build/bpf.ts

.PHONY: root
root:
	@test "$$(id -u)" = 0 || { \
	  echo "make: demo needs root: it searches a program's memory as an attacker with root would" >&2; \
	  echo "hint: run it as root, for example: sudo make demo" >&2; exit 1; }
	@test -d "$${XDG_CACHE_HOME:-$$HOME/.cache}/svc/results" || { \
	  echo "demo: the first run takes about three minutes on two cores: it fetches 500 MB and"; \
	  echo "demo: compiles the wrapper's engine. Later runs take seconds, also in other clones."; }

.PHONY: demo
demo: root setup ## Show the main job: a real OpenBao, a real program
	@$(BUN) scripts/demo.ts

.PHONY: check
check: setup ## Types, lint, format, layout, prose, generated files, the Go library on six systems
	@$(BUN) scripts/test.ts check

.PHONY: quick
quick: setup ## Before each commit, 3 minutes: checks, unit tests of changes, three stories
	@$(BUN) scripts/test.ts quick

.PHONY: check-engine
check-engine: setup ## Format, lint and tests of the engine's crates
	$(BUN) scripts/engine/check-engine.ts

.PHONY: test
test: setup ## All but heavy servers; unit tests of PACKAGE=wrapper, or of changes with CHANGED=1
ifneq ($(PACKAGE)$(CHANGED),)
	@$(BUN) scripts/test-packages.ts $(PACKAGE)
else
	@$(BUN) scripts/test.ts fast
endif

.PHONY: simulate
simulate: setup ## The wrapper on simulated machines: SEEDS=1000000, SEED=7 for one, PLANTED=1, TELL=1
	@$(BUN) scripts/simulate.ts $(if $(SEEDS),--seeds=$(SEEDS)) $(if $(PLANTED),--planted) $(if $(TELL),--tell) $(SEED)

.PHONY: e2e
e2e: setup ## The tests with heavy servers
	@$(BUN) scripts/test.ts heavy

.PHONY: e2e-kernel
e2e-kernel: setup ## The kernel agent on Debian's kernels, in QEMU
	@$(BUN) scripts/test.ts kernel

.PHONY: e2e-limits
e2e-limits: setup ## A start under each resource limit, and with each system call refused
	@$(BUN) scripts/test.ts sweep

.PHONY: e2e-cluster
e2e-cluster: setup ## Pods in a real cluster: kubelet, containerd, runc, OpenBao, the charts
	@$(BUN) scripts/test.ts cluster

.PHONY: ci
ci: setup ## All of test, e2e and e2e-cluster in one plan, besides the checks of quick
	@$(BUN) scripts/test.ts ci

.PHONY: soak
soak: setup ## Half an hour of attacks, agents killed and programs at work, in QEMU (SOAK_MINUTES)
	@$(BUN) scripts/ensure-commands.ts
	@$(BUN) scripts/build.ts
	@$(BUN) e2e/kernels/soak/soak.ts

.PHONY: coverage
coverage: setup ## The lines that unit tests and the simulator run (PACKAGE=wrapper, FILES=1)
	@$(BUN) scripts/coverage.ts $(if $(FILES),--files) $(PACKAGE)

.PHONY: mutation
mutation: setup ## Change the code in small ways, and see whether tests notice (SAMPLE, SEED, FOLDER)
	@$(BUN) scripts/mutation.ts $(if $(SAMPLE),--sample=$(SAMPLE)) $(if $(SEED),--seed=$(SEED)) $(FOLDER)

.PHONY: vulncheck
vulncheck: setup ## Compare the Go library with the known vulnerabilities, which it asks the network for
	@$(BUN) scripts/vulncheck.ts

.PHONY: audit
audit: setup ## Compare the lock files with the known vulnerabilities, which it asks the network for
	@$(BUN) scripts/audit.ts

.PHONY: bench
bench: build ## Measure; asserts nothing
	@$(BUN) bench/run.ts

.PHONY: bench-library
bench-library: setup ## Measure the Go library; asserts nothing
	@$(BUN) bench/library.ts

.PHONY: format
format: setup ## Format and apply safe fixes
	node_modules/.bin/biome check --write .
	go -C go fmt ./...

.PHONY: lint
lint: setup ## Lint only
	node_modules/.bin/biome lint .

.PHONY: generate
generate: setup ## Write the generated reference pages, charts and headers
	$(BUN) scripts/generate.ts

.PHONY: clean
clean: ## Remove the build results; the cache stays
	rm -rf dist node_modules packages/*/node_modules
