# Commands for setup, development and CI. `make help` lists them.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
export PORT

.DEFAULT_GOAL := help
.PHONY: help run serve editor test test-postgresql stress bench lighthouse faults machines recipes install-drill lint format lock clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/.installed ## Start the site on 127.0.0.1:$PORT (8000), set up on first use
	@$(BIN)/python -c 'import socket; socket.create_server(("127.0.0.1", int("$(PORT)"))).close()' 2>/dev/null || { echo "Port $(PORT) of 127.0.0.1 cannot be used: another program has it, or it is not a number up to 65535. Try: make run PORT=8001"; exit 1; }
	@[ -e db.sqlite3 ] || echo "Preparing the database …"
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py load_catalogue fixtures/catalogue.json --if-empty
	@echo
	@echo "  Ship or Skip   http://127.0.0.1:$(PORT)/"
	@echo "  Editors' desk  http://127.0.0.1:$(PORT)/admin/"
	@echo "  An editor account: make editor"
	@echo "  Stop with Ctrl-C."
	@echo
	@exec $(BIN)/python manage.py runserver --skip-checks 127.0.0.1:$(PORT)

serve: .venv/.installed ## Serve it as in production on 127.0.0.1:$PORT, with $WORKERS processes (default: one per core)
	@exec deploy/serve

editor: .venv/.installed ## Make an account for the editors' desk (asks for name, role and password)
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py make_editor

test: .venv/.installed-dev ## Run all tests on SQLite and in Chromium, and on PostgreSQL those that may differ there
	@$(BIN)/python -m tests.everything

TEST_POSTGRES_URL ?= postgres://postgres@127.0.0.1:5432/postgres
# The tests of a server depend on their order: one process runs them, as in `make test`.
test-postgresql: .venv/.installed-dev ## Run all tests but the browser's on PostgreSQL: before a release
	@DATABASE_URL="$(TEST_POSTGRES_URL)" $(BIN)/pytest -n 2 -m "not browser" --ignore=tests/deploy tests
	@DATABASE_URL="$(TEST_POSTGRES_URL)" $(BIN)/pytest tests/deploy

stress: .venv/.installed-dev ## Vote with 200 visitors while a worker is killed; no vote may be lost
	@$(BIN)/python -m tests.stress

bench: .venv/.installed-dev ## Measure the site's speed under load; prints the table of docs/performance.md
	@$(BIN)/python -m tests.bench

lighthouse: .venv/.installed-dev ## Run Lighthouse as a phone, three times for each kind of page; all scores must be 100
	@$(BIN)/python -m tests.lighthouse

faults: .venv/.installed-dev ## Make database, cache and workers fail while simulated visitors read and vote
	@$(BIN)/python -m tests.faults

machines: .venv/.installed-dev ## Lose one of several machines after another, as root: site, replica, primary
	@$(BIN)/python -m tests.faults.machines

RECIPES = pgbouncer caddy haproxy promtool restic
recipes: .venv/.installed-dev ## Try the recipes for other programs: PgBouncer, Caddy, HAProxy, Prometheus, restic
	@for program in $(RECIPES); do PATH="$$PATH:/usr/sbin" command -v $$program >/dev/null || { echo "$$program is missing. On Debian: apt-get install pgbouncer caddy haproxy prometheus restic"; exit 1; }; done
	@DATABASE_URL="$(TEST_POSTGRES_URL)" $(BIN)/pytest tests/deploy/test_proxies.py tests/deploy/test_monitoring.py tests/operations/test_pgbouncer.py tests/operations/test_backup_copies.py

install-drill: .venv/.installed-dev ## Install the site in an empty Debian 12 by the commands of docs/operations.md (root)
	@$(BIN)/python -m tests.install_drill

lint: .venv/.installed-dev ## Check style, layers, types and templates
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/mypy . deploy/upgrade
	@$(BIN)/djlint --lint --quiet templates
	@$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0

format: .venv/.installed-dev ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

LOCK = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet
lock: .venv/.installed-dev ## Lock the newest versions that pyproject.toml allows
	@$(LOCK) --upgrade pyproject.toml --group dev -o requirements-dev.lock
	@$(LOCK) --constraint requirements-dev.lock pyproject.toml -o requirements.lock

clean: ## Remove the virtual environment and generated files, but not the database
	rm -rf .venv var/bundles var/static .mypy_cache .ruff_cache

# pip is the last file that venv makes: without it a virtual environment is not finished.
.venv/bin/pip:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON). Install Python 3.11 or later, or try: make PYTHON=python3.11 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("Python 3.11 or later is needed; this is %s. Try: make PYTHON=python3.11 ..." % sys.version.split()[0])'
	@[ -w . ] || { echo "You may not write in this folder: $(CURDIR). Its owner has to run this, or make a copy of your own."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python has no venv. On Debian: apt-get install python3-venv. Then run this again."; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { echo "The virtual environment .venv could not be made. The lines above say why; then run this again."; exit 1; }

LOG = .venv/install.log
NOT_INSTALLED = { tail -n 1 $(LOG); echo "The packages were not installed. Is the package registry reachable, and is there room on the disk? $(LOG) has all lines. Then run this again."; exit 1; }
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 1 --require-hashes --requirement
.venv/.installed: requirements.lock | .venv/bin/pip
	@echo "Installing what the site needs into .venv …"
	@$(INSTALL) requirements.lock >$(LOG) 2>&1 || $(NOT_INSTALLED)
	@touch $@

# uv, which writes the lock files, installs the packages in a third of pip's processor time. It does
# not read pip's settings. If it fails, because packages come from another registry, pip installs them.
.venv/.installed-dev: requirements-dev.lock | .venv/bin/pip
	@echo "Installing what developers need into .venv …"
	@sed -n '/^uv==/,/[^\\]$$/p' $< > .venv/uv.lock
	@$(INSTALL) .venv/uv.lock >$(LOG) 2>&1 || $(NOT_INSTALLED)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --requirement $< >$(LOG) 2>&1 || $(INSTALL) $< >$(LOG) 2>&1 || $(NOT_INSTALLED)
	@touch $@ .venv/.installed
