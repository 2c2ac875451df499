PYTHON ?= python3
PORT ?= 8501
OPEN ?= 1
WATCH ?= 0
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
CREATED := $(VENV)/.created
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-compile -c constraints.txt
# TORCH_INDEX serves torch alone, such as PyTorch's index of CPU builds; all else is from the usual index.
TORCH_INDEX ?=
TORCH := $(if $(TORCH_INDEX),$(PIP_INSTALL) --no-deps --index-url $(TORCH_INDEX) torch,:)
# pip would compile on one core, and the packages' own tests. Some files are no Python: no failure.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/(tests?|testing|_inductor)/' $(VENV)/lib \
  >/dev/null 2>&1 || true
# Said before a download; what is there already is not downloaded again.
ENCODERS := "Two encoders are part of it: all-MiniLM-L6-v2 (84 MB) and, on Linux and on Macs with an Apple \
  processor, multilingual-e5-small in 4 bits (91 MB). torch is the largest part: 200 MB for processors \
  (make run TORCH_INDEX=...), and gigabytes with CUDA, which pip takes on Linux."
BY_FILE := --dist loadscope --no-loadscope-reorder
# Each worker imports and computes anew what tests share: one for each of two cores.
WORKERS := -n 2 $(BY_FILE)
# Many slow tests drive a browser, and these often wait: three workers keep two cores busy.
SLOW_WORKERS := -n 3 $(BY_FILE)
# The mathematics, the words, the structure, and each page once; nothing else that reads models.
QUICK := $(addprefix tests/,pages/test_smoke.py data evaluate figures linalg measure projection transform vectors \
  $(addprefix test_,errors.py house.py lazy_import.py palette.py words.py)) --ignore-glob='*flow*' -m "not (model or data or slow or long)" --hypothesis-profile=check

# Without a display Streamlit opens no browser by itself, so OPEN=1 leaves the choice to it.
HEADLESS := $(if $(filter 0,$(OPEN)),--no-browser)
WATCHING := $(if $(filter 1,$(WATCH)),STREAMLIT_SERVER_FILE_WATCHER_TYPE=auto STREAMLIT_SERVER_RUN_ON_SAVE=true)

.PHONY: help run test test-slow test-long check format bench docs screenshot scripts pin simplified clean chromium
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

run: $(RUN_READY) ## serve the app (PORT=8501; OPEN=0 opens no browser; WATCH=1 reloads what you edit)
	@$(WATCHING) $(BIN)/python -m geometry app --port $(PORT) $(HEADLESS)

# `make bench class` measures; alone, `make class` serves.
ifneq (bench,$(firstword $(MAKECMDGOALS)))
.PHONY: class
class: $(RUN_READY) ## serve a class on the local network: address, QR code, rooms (PORT=8501)
	$(BIN)/python -m pages.common.classroom.serve $(PORT)
endif

# The workers already use every core: threads inside them would take three times as long.
test test-slow test-long check: export OMP_NUM_THREADS := 1
# Every server and worker would compile the project anew.
test test-slow test-long check: export PYTHONDONTWRITEBYTECODE :=
test: $(DEV_READY) chromium ## every test but the slow ones, the browser's too (ARGS= goes to pytest)
	$(BIN)/python -m pytest $(WORKERS) --ignore=tests/pages/test_smoke.py -m "not (slow or long)" $(ARGS)

test-slow: $(DEV_READY) chromium ## the slow tests: statistics over many seeds, training, UMAP
	$(BIN)/python -m pytest $(SLOW_WORKERS) -m "slow and not long" $(ARGS)

test-long: $(DEV_READY) chromium ## the long tests, by hand (CONTRIBUTING.md says when)
	$(BIN)/python -m pytest -n 3 -m long $(ARGS)
	$(BIN)/python -m pytest $(WORKERS) -m "not (slow or long)" -k properties --hypothesis-profile=many

check: $(DEV_READY) ## format, lint, types, import contracts, quick tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 $(BY_FILE) $(QUICK) $(ARGS)

format: $(DEV_READY) ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# `make bench load` measures bench/load.py alone: a name after `bench` is no target.
ifeq (bench,$(firstword $(MAKECMDGOALS)))
NAMED := $(filter $(basename $(notdir $(wildcard bench/*.py))),$(MAKECMDGOALS))
.PHONY: $(NAMED)
$(NAMED): bench ; @:
endif
bench: $(DEV_READY) chromium ## every figure in docs/benchmarks.md, beside its peer (make bench load: some)
	$(BIN)/python -m bench $(NAMED) $(ARGS)

docs: $(DEV_READY) ## build the site of the documents in build/site, and run its notebooks
	$(BIN)/sphinx-build -c docs -d build/doctrees -n -W --keep-going . build/site $(ARGS)

screenshot: $(DEV_READY) chromium ## take the pictures of the documents from the running app
	$(BIN)/python -m tests.browser.screenshot

scripts: $(DEV_READY) ## bundle the components' scripts into assets/components/built (needs Node and npm)
	npm ci --ignore-scripts --no-audit --no-fund --silent
	$(BIN)/python -m deploy.scripts

pin: $(DEV_READY) ## write what is installed, the table of licences, and the digests of images
	$(BIN)/python -m deploy.pin

simplified: $(DEV_READY) ## write assets/text/zh-Hans and README.zh-Hans.md from those of zh-Hant
	$(BIN)/python -m deploy.simplified

clean: ## remove caches and build outputs; the environment stays (delete .venv to start over)
	rm -rf build dist docs/api *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name $(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

chromium: $(DEV_READY)
	@$(BIN)/python tests/browser/chromium.py

$(CREATED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and '$(PYTHON)' is missing or older." >&2; \
	  echo "Name another: make $(or $(firstword $(MAKECMDGOALS)),run) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "The environment could not be made. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@touch $@

# A stamp is written last: an install that failed leaves none, and the next run tries again.
$(RUN_READY): requirements.txt constraints.txt $(CREATED)
	@echo "Installing what the app needs (some minutes the first time)"
	@echo $(ENCODERS)
	@rm -f $@
	@$(TORCH)
	@$(PIP_INSTALL) -r requirements.txt
	@$(COMPILE)
	@touch $@

$(DEV_READY): requirements-dev.txt requirements-docs.txt requirements-scale.txt requirements-hdf5.txt requirements-tsne.txt requirements-notebook.txt requirements.txt constraints.txt $(CREATED)
	@echo "Installing what the app and its tests need (some minutes the first time)"
	@echo $(ENCODERS)
	@rm -f $@
	@$(TORCH)
	@$(PIP_INSTALL) -r requirements-dev.txt
	@$(COMPILE)
	@touch $(RUN_READY) $@
