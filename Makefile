# A newcomer needs two lines: `make demo` and `make test`. `make help` lists the rest.

PYTHON ?= $(firstword $(foreach p,python3 python3.14 python3.13 python3.12 python3.11,$(shell $(p) -c 'import sys; print("$(p)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
ROOMS := groundwork cypher literature ingest knowhd fuzzygraph truthhypo
BIN := .venv/bin
MODELS := .venv-models/bin
PYTEST_ARGS ?=
# Three processes share the tests, since the one that has the servers mostly waits; tests/workers.py says how.
WORKERS := -n 3
BENCH_ARGS ?=
# Nothing here asks a model hub for anything: models come from installed packages.
export HF_HUB_OFFLINE := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-models check format docs bench notebooks servers lock clean

help:  ## list these recipes
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: .venv/.app  ## judge three statements on the sample release, in embedded stores
	@$(BIN)/truthhypo demo

test: .venv/.dev check  ## the quick tests, real servers included
	@$(BIN)/python -m pytest $(WORKERS) -m "not models" $(PYTEST_ARGS)

test-all: .venv/.dev check  ## the quick and the slow tests, as in CI
	@$(BIN)/python -m pytest $(WORKERS) -m "slow or not models" $(PYTEST_ARGS)

test-models: .venv-models/.models  ## what needs torch, in an environment of its own
	@$(MODELS)/python -m pytest -m models $(PYTEST_ARGS)

check: .venv/.dev  ## lint, format, types, layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(addprefix -p ,$(ROOMS))
	@$(BIN)/lint-imports

format: .venv/.dev  ## format the code and mend what ruff can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: .venv/.dev  ## build the documentation site into .cache/site; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -f docs/site/mkdocs.yml
	@echo "open .cache/site/index.html"

bench: .venv/.dev  ## measure ours beside the plain ways, one after the other (long; see MEASURED.md)
	@for name in normalise concepts documents load release; do \
	  $(BIN)/python -m benchmarks $$name --json .cache/performance/$$name.json $(BENCH_ARGS) || exit 1; \
	done

notebooks: .venv/.dev  ## run the notebooks of docs, and keep their new outputs
	@$(BIN)/python -m tests.notebooks

servers: .venv/.dev  ## real Neo4j (with Browser) and Elasticsearch on loopback, until Ctrl-C
	@$(BIN)/python -m tests.servers

lock: .venv/.dev  ## resolve the dependencies anew into requirements/*.lock
	@$(BIN)/uv lock --upgrade
	@$(BIN)/uv export -q --frozen --no-emit-project --no-header --extra serve --extra bench --extra manuscripts --no-dev -o requirements/app.lock
	@$(BIN)/uv export -q --frozen --no-emit-project --no-header --extra serve --extra bench --extra manuscripts --extra ann --group dev -o requirements/dev.lock
	@$(BIN)/uv export -q --frozen --no-emit-project --no-header --extra serve --extra bench --extra manuscripts --extra ann --extra models --extra spark --extra py2neo --group dev --group models-test -o requirements/models.lock

clean:  ## remove environments and caches
	rm -rf .venv .venv-models .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# An environment holds exactly what its lock says, checked by hash, and this project in place. All of it is compiled at
# once: where Python may write no bytecode, as in many containers, each command would compile it anew, for seconds.
.venv/.app: requirements/app.lock requirements/uv.txt pyproject.toml
	@$(call environment,.venv,app)

.venv/.dev: requirements/dev.lock requirements/uv.txt pyproject.toml
	@$(call environment,.venv,dev)
	@touch .venv/.app

.venv-models/.models: requirements/models.lock requirements/uv.txt pyproject.toml
	@$(call environment,.venv-models,models)

define environment
	test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: none of python3, python3.11-3.14 is one" >&2; exit 2; }; \
	test -x $(1)/bin/python || $(PYTHON) -m venv $(1) || { echo "python -m venv failed: on Debian and Ubuntu install python3-venv" >&2; exit 2; }; \
	echo "installing $(2) into $(1) (once)" >&2; \
	$(1)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/uv.txt && \
	$(1)/bin/uv pip install -q --compile-bytecode --python $(1)/bin/python --require-hashes -r requirements/$(2).lock && \
	$(1)/bin/uv pip install -q --python $(1)/bin/python --no-deps -e . && \
	$(1)/bin/python -m compileall -q $(ROOMS) && \
	touch $(1)/.$(2)
endef
