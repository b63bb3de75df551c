# Everything runs in .venv: made on first use with $(PYTHON), installed from constraints.txt, and installed
# again only when pyproject.toml or constraints.txt change (one stamp file per set of extras).
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Who times: an interpreter with torch gives the comparison (make bench BENCH_PYTHON=...).
BENCH_PYTHON ?= $(BIN)/python
# Who attacks: an interpreter with torch compares random programs with PyTorch (make attack ATTACK_PYTHON=... SEED=7).
ATTACK_PYTHON ?= $(BIN)/python
# What a change is compared with (make mutate SINCE=main).
SINCE ?= HEAD
SEED ?= $(shell date +%Y%m%d)
# What generates, verifies and formats code needs ruff alone; where the tools of the tests are, it is among them.
GENERATOR := $(if $(wildcard $(VENV)/stamp-test),$(VENV)/stamp-test,$(VENV)/stamp-generate)

# What an installation takes on disk, its dependencies included.
SIZE_demo := 0.6 GB
SIZE_test := 1.3 GB
heading = @printf '\n== %s\n\n' '$(1)'

.DEFAULT_GOAL := help
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help demo test read attack gen gen-check verify mutate mutate-last lint type bench gpu wheel docs clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/stamp-demo ## add an op in YAML, check it, generate it, train a network with it on real digits
	$(call heading,1. An op that specgrad lacks is one entry: examples/new_op/my_ops.yaml)
	@sed -n '/^- name/,$$p' examples/new_op/my_ops.yaml
	$(call heading,2. Its formulas are compared with finite differences; then its package is written)
	$(BIN)/python -m specgrad.codegen examples/new_op/my_ops.yaml --out examples/new_op/my_ops
	$(call heading,3. The same entry with a mistake in a gradient is refused: examples/new_op/wrong_ops.yaml)
	@grep -n '^  self:' examples/new_op/wrong_ops.yaml
	$(BIN)/python examples/new_op/refused.py
	$(call heading,4. A network with the op learns to read digits; so does one with ReLU)
	$(BIN)/python examples/new_op/train.py

test: read verify mutate-last ## everything CI runs: gen-check, lint, type, verify, mutate-last, pytest
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

read: $(VENV)/stamp-test ## gen-check, lint and type at once, each of which keeps one core busy
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target SIDE_BY_SIDE=1 type gen-check lint

attack: $(VENV)/stamp-test ## hostile calls, programs, files and moments, for about an hour; a seed a day
	SPECGRAD_ATTACK=full SPECGRAD_ATTACK_SEED=$(SEED) $(ATTACK_PYTHON) -m pytest -n 2 --dist worksteal tests/attack tests/extensions/distributed/test_faults.py

gen: $(GENERATOR) ## write generated/ and docs/ops from derivatives.yaml, and stubs from specgrad/torch_names.py
	$(BIN)/python -m codegen
	$(BIN)/python -m codegen pictures

gen-check: $(GENERATOR) ## is generated/ what derivatives.yaml says?
	$(BIN)/python -m codegen --check

verify: $(GENERATOR) ## check every formula of derivatives.yaml numerically
	$(BIN)/python -m codegen verify

mutate: $(VENV)/stamp-test ## change the entries that differ from SINCE's, one thing at a time: who notices?
	@rm -rf out/since && mkdir -p out/since
	git archive $(SINCE) derivatives.yaml $$(git ls-tree --name-only $(SINCE) tests/spec) | tar -x -C out/since
	$(BIN)/python -m codegen mutate --unlike out/since/derivatives.yaml

mutate-last: $(VENV)/stamp-test ## a sample of that for the last commit's entries: mistakes that a call shows are to be found
	@rm -rf out/before && mkdir -p out/before/tests
	git archive HEAD~1 derivatives.yaml $$(git ls-tree --name-only HEAD~1 tests/spec) 2>/dev/null | tar -x -C out/before \
		|| { cp derivatives.yaml out/before && cp -r tests/spec out/before/tests; }
	$(BIN)/python -m codegen mutate --unlike out/before/derivatives.yaml --sample 25 --max-count 12 --min-killed 0.95

lint: $(GENERATOR) ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

type: $(VENV)/stamp-test ## mypy
	$(BIN)/mypy

bench: $(VENV)/stamp-test ## 373 workloads, peak memory, import and start-up times; beside torch where it is installed
	$(BENCH_PYTHON) -m benchmarks

gpu: $(VENV)/stamp-test ## pack specgrad for a GPU machine without a network into out/gpu; ./gpu.sh there runs all stages
	$(BIN)/python -m benchmarks.gpu.pack out/gpu

wheel: $(VENV)/stamp-test ## a wheel for this platform and Python in dist/, with machine code for levels of processors
	$(BIN)/python -m codegen wheel --out dist

docs: $(VENV)/stamp-docs ## the documentation as a site in out/site/html; search needs a server, as the last line says
	$(BIN)/python -m codegen site
	@echo "$(BIN)/python -m http.server --directory out/site/html"

clean: ## remove everything that can be made again, .venv included
	rm -rf $(VENV) out build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf examples/new_op/my_ops examples/ops/my_ops examples/*_ops/src/*/generated
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/pip:
	@test -n "$(PYTHON)" || { echo "specgrad needs Python 3.11 or newer and found none; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/stamp-%: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "Installing specgrad[$*] into $(VENV)$(if $(SIZE_$*), ($(SIZE_$*) on disk)); this happens once"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$*]'
	@$(BIN)/python -m compileall -q codegen generated runtime nn specgrad
	@touch $@
