# Needs Python 3.11 to 3.13 and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A mirror may be slow or gone for a moment, and another process may hold apt's lock.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 10 --timeout 60
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=5 -o DPkg::Lock::Timeout=300
# Ends the recipe once the system's package is installed.
INSTALL = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		for pause in 0 10 30 60; do \
			sleep $$pause; $(APT) update && $(APT) install -y $(1) >/dev/null && exit 0; done; fi
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate --no-header --python-version 3.11 pyproject.toml
# Those that pyproject.toml promises.
PYTHONS := 3.11 3.12 3.13
PORT ?= 8000
HOST ?= 127.0.0.1
QUICK := not slow and not browser and not tools
# Tests start hundreds of processes, each of which would compile all modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help serve test quick spark pythons lowest wheel check format bench lock audit clean chromium postgres java docs

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# One stamp for what serving needs, one for what testing needs on top of it.
$(VENV)/serves: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v < (3, 14) else "Errdex needs Python 3.11 to 3.13, and %s is %d.%d. Name another with: make PYTHON=python3.12 ..." % (sys.executable, v[0], v[1]))'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/tests: $(VENV)/serves requirements-dev.lock
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

serve: $(VENV)/serves ## Install, load data/ and serve it on http://127.0.0.1:8000
	$(BIN)/errdex ingest data --dataset starter --prune
	$(BIN)/errdex serve --host $(HOST) --port $(PORT)

# PySpark alone is half a gigabyte.
$(VENV)/sparks: $(VENV)/tests requirements-spark.lock
	$(PIP) --require-hashes -r requirements-spark.lock
	@touch $@

# What tests/browser drives; where it cannot be installed without asking, one line says what to do.
chromium:
	@for name in chromium chromium-browser google-chrome-stable google-chrome chrome; do \
		command -v $$name >/dev/null && exit 0; done; \
	$(call INSTALL,chromium); \
	echo "The tests of the website need Chromium: install it (sudo apt install chromium) and try again." >&2; exit 1

# What tests/store starts for itself; without it, those tests are skipped, and fail in CI.
postgres:
	@for place in $$(echo "$$PATH" | tr : ' ') /usr/lib/postgresql/*/bin; do \
		[ -x "$$place/initdb" ] && exit 0; done; \
	$(call INSTALL,postgresql); \
	echo "Without PostgreSQL (sudo apt install postgresql), the tests that need it are skipped." >&2

# What Spark runs on.
java:
	@command -v java >/dev/null && exit 0; \
	$(call INSTALL,default-jre-headless); \
	echo "Spark needs Java 17 or newer: install it (sudo apt install default-jre-headless) and try again." >&2; exit 1

test: check chromium postgres ## Lint, types, imports, then every test
	$(BIN)/python -m pytest -n auto

quick: $(VENV)/tests ## The tests that need neither a browser, other programs nor patience
	$(BIN)/python -m pytest -n auto -m "$(QUICK)"

spark: $(VENV)/sparks java ## The tests of errdex.spark, which need half a gigabyte of packages and Java
	$(BIN)/python -m pytest tests/spark

# Where pyenv is, its Pythons are found without being on the PATH.
pythons: $(VENV)/tests ## The quick tests with each Python that is promised and that is here
	@for version in $(PYTHONS); do \
		python=$$(PATH="$$(printf '%s:' $${PYENV_ROOT:-$$HOME/.pyenv}/versions/*/bin)$$PATH" \
			$(BIN)/uv python find --no-python-downloads --system $$version 2>/dev/null) \
			|| { echo "Python $$version is not installed."; continue; }; \
		echo "Python $$version: $$python"; \
		$(BIN)/uv venv --quiet --clear --python "$$python" build/python$$version && \
		$(BIN)/uv pip install --quiet --python build/python$$version --require-hashes -r requirements-dev.lock && \
		$(BIN)/uv pip install --quiet --python build/python$$version --no-build-isolation --no-deps -e . && \
		build/python$$version/bin/python -m pytest -n auto -m "$(QUICK)" || exit 1; done

lowest: $(VENV)/tests ## The quick tests with the oldest packages that pyproject.toml allows
	$(BIN)/uv venv --quiet --clear --seed --python $(BIN)/python build/lowest
	$(BIN)/uv pip install --quiet --compile-bytecode --python build/lowest/bin/python --resolution lowest-direct -r pyproject.toml --extra dev
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	build/lowest/bin/python -m pytest -n auto -m "$(QUICK)"

wheel: $(VENV)/serves ## Build dist/errdex-*.whl, with the starter database in it
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1580601600) \
		$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .

check: $(VENV)/tests ## Lint, types and import contracts alone
	$(BIN)/ruff check app tests bench
	$(BIN)/ruff format --check app tests bench
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/tests ## Put the code into its standard form
	$(BIN)/ruff check --fix app tests bench
	$(BIN)/ruff format app tests bench

bench: $(VENV)/tests ## Measure beside peers in one run; writes BENCHMARKS.md. SHARE=0.1 shows a first look
	$(PIP) --require-hashes -r requirements-bench.lock
	$(BIN)/python -m bench $(SHARE)

docs: $(VENV)/tests ## Write the pages of docs/ that follow from the code
	$(BIN)/python -m tests.docs.generated

lock: $(VENV)/tests ## Pin what pyproject.toml asks for, with hashes
	$(LOCK) --extra server --extra postgres --extra mcp --extra otlp --extra build -o requirements.lock
	$(LOCK) --extra dev -o requirements-dev.lock
	$(LOCK) --extra server --extra bench -o requirements-bench.lock
	$(LOCK) --extra spark --constraint requirements-dev.lock -o requirements-spark.lock

audit: $(VENV)/tests ## Ask for known weaknesses of the locked packages
	for lock in requirements requirements-dev requirements-bench requirements-spark; do \
		$(BIN)/uv tool run --quiet pip-audit==2.10.1 --disable-pip --require-hashes --strict -r $$lock.lock || exit 1; done

clean: ## Remove what was installed or built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
