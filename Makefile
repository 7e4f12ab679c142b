# Two commands do all the set-up there is: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
REPO ?= $(CURDIR)
# Tests are spread over the cores, four at most: each has its own repositories.
SPREAD := -n auto --maxprocesses 4 --dist worksteal

# Where Pythons differ shows soonest in what reads files, and in what must be equal.
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
TESTS ?=

.PHONY: demo test others slow lint bench slopes measured man clean always

# An environment is of one Python: of another one it is made anew.
$(VENV)/python: always
	@$(PYTHON) -VV | cmp -s - $@ || { $(PYTHON) -m venv --clear $(VENV) && $(PYTHON) -VV > $@; }

$(VENV)/installed: pyproject.toml $(VENV)/python
	$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/tested: pyproject.toml $(VENV)/python
	$(BIN)/pip install -q --disable-pip-version-check -e '.[test]'
	@touch $@ $(VENV)/installed

# The main job on this very repository: index it, then ask.
demo: $(VENV)/installed
	@PATH="$(BIN):$$PATH" sh examples/demo.sh

test: $(VENV)/tested
	PATH="$(BIN):$$PATH" $(BIN)/python -m pytest $(SPREAD) $(TESTS)

# A part of the tests with each other Python that is promised, in an environment of its own, where one can be made.
others:
	@for each in $(PYTHONS); do \
		$$each -c 'import ensurepip' 2> /dev/null && [ "$$($$each -VV)" != "$$($(PYTHON) -VV)" ] || continue; \
		of="PYTHON=$$each VENV=$(VENV)/$$each"; \
		$(MAKE) $(VENV)/$$each/tested $$of || { echo "$$each: no environment, so nothing was tried"; continue; }; \
		$(MAKE) test $$of TESTS='tests/languages tests/test_laws.py tests/test_versions.py' || exit; \
	done

# What fetches other tools, or installs this one anew.
slow: $(VENV)/tested
	PATH="$(BIN):$$PATH" $(BIN)/python -m pytest $(SPREAD) -m slow

lint: $(VENV)/tested
	$(BIN)/ruff check .
	rm -rf $(VENV)/wheel build
	$(BIN)/pip install -q --disable-pip-version-check --no-deps --target $(VENV)/wheel .
	cd $(VENV)/wheel && $(BIN)/mypy --config-file $(CURDIR)/pyproject.toml -p oracl_git

# make bench REPO=path: CPU, wall, memory, and ratios to the floor measured in the same run. It measures
# what a user installs: an editable install finds its modules the long way, at every start.
bench: measured
	PATH="$(CURDIR)/$(VENV)/bench/bin:$$PATH" python tools/bench.py $(REPO)
	PATH="$(CURDIR)/$(VENV)/bench/bin:$$PATH" python tools/bench_lsp.py $(REPO)

# How cost grows with files, edges, history and the change, on generated repositories.
slopes: measured
	PATH="$(CURDIR)/$(VENV)/bench/bin:$$PATH" python tools/slopes.py

measured:
	$(PYTHON) -m venv $(VENV)/bench
	rm -rf build
	$(VENV)/bench/bin/pip install -q --disable-pip-version-check '.[test]'
	$(VENV)/bench/bin/pip install -q --disable-pip-version-check --no-deps --force-reinstall .

man: $(VENV)/installed
	$(BIN)/python -c "from oracl_git.cli.help import write_man, write_reference; write_man('docs/man'); write_reference('docs/reference')"
	$(BIN)/pip install -q --disable-pip-version-check -e '.[lsp,mcp]'
	$(BIN)/python -m oracl_git.lsp.reference docs/reference/language-server.md
	$(BIN)/python -m oracl_git.agent.reference docs/reference/mcp.md

clean:
	rm -rf $(VENV) build *.egg-info
