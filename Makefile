# Every target sets up what it needs in .venv first. Another interpreter: make PYTHON=python3.12 test
PYTHON ?= python3
PYTEST_ARGS ?=
BIN := .venv/bin
# each core takes whole files while it can, so that what their tests share is made once
TWO_CORES := -n 2 --dist worksteal
MJLAB := .venv-mjlab/bin
NEWTON := .venv-newton/bin
MADDENING := .venv-maddening/bin
MJX := .venv-mjx/bin
SIMS := .venv-mjlab/.mjlab .venv-physx/.physx .venv-newton/.newton .venv-maddening/.maddening .venv-webots/.webots .venv-mjx/.mjx .venv-ray/.ray
LICENCES_OF_SIMS = for sim in mjlab physx newton maddening webots mjx ray; do .venv-$$sim/bin/python tools/licences.py $$sim || exit 1; done
STUDIO := .venv-studio/bin
# tests start hundreds of programs: each would compile the package anew if Python kept nothing
unexport PYTHONDONTWRITEBYTECODE
# the documentation is built with MkDocs 1, as pyproject.toml says
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo studio test test-long test-sims test-studio properties check licences format bench docs clean

help: ## say what each target does
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

demo: .venv/.demo ## take one motor from its datasheet to every simulator; leaves an HTML page in out/
	$(BIN)/python examples/demo.py

studio: .venv-studio/.studio ## open the studio in a browser; make studio STUDIO_ARGS="--port 9000"
	$(STUDIO)/backemf studio $(STUDIO_ARGS)

test: .venv/.dev ## run the tests; make test PYTEST_ARGS="-k thermal" runs some
	$(BIN)/python -m pytest $(TWO_CORES) $(PYTEST_ARGS)

test-long: .venv/.dev ## run the cases that make test leaves out: more random motors, every part on every engine, all examples
	$(BIN)/python -m pytest $(TWO_CORES) -m long $(PYTEST_ARGS)

test-sims: $(SIMS) ## run the tests inside real simulators and on a Ray cluster, each in an environment of its own
	$(LICENCES_OF_SIMS)
	@# two at a time, the longest first; what each has printed comes when it has ended
	@printf '%s\n' mjlab mjx newton physx maddening ray webots | xargs -P 2 -I SIM sh -c ' \
	  told=$$(mktemp); .venv-SIM/bin/python -m pytest -m "" tests_sims/SIM $(PYTEST_ARGS) > $$told 2>&1; end=$$?; \
	  echo "tests_sims/SIM"; cat $$told; rm $$told; exit $$end'

test-studio: .venv-studio/.studio ## go through the studio's pages in Debian's Chromium
	$(STUDIO)/python tools/licences.py studio
	$(STUDIO)/python -m pytest -m "" tests_studio $(PYTEST_ARGS)

MINUTES ?= 60
SEED ?= 0
properties: .venv/.dev .venv-newton/.newton ## try random motors for an hour on two cores; make properties MINUTES=5 SEED=7 tries others, for less
	$(BIN)/python -m properties --minutes $(MINUTES) --seed $(SEED) --table out/properties.md
	$(NEWTON)/python -m properties --only-engines --engines warp --minutes 5 --seed $(SEED) --record out/properties-warp-$(SEED).jsonl

check: .venv/.dev ## format, lint, types, documentation with every link, and licences
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/mkdocs build --strict --quiet
	$(BIN)/python tools/licences.py dev

licences: .venv/.dev .venv-studio/.studio $(SIMS) ## list what is installed with its licence; fails on one that is not permissive without a reason in licences.toml
	$(BIN)/python tools/licences.py dev
	$(STUDIO)/python tools/licences.py studio
	$(LICENCES_OF_SIMS)

format: .venv/.dev ## rewrite the code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/.dev .venv-studio/.studio .venv-mjlab/.mjlab .venv-newton/.newton .venv-maddening/.maddening .venv-mjx/.mjx ## measure speed and memory, beside MuJoCo, mjlab, Newton, MIME and MJX
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/native_code.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/webots_controller.py
	$(MJLAB)/python benchmarks/mjlab_actuators.py
	$(NEWTON)/python benchmarks/newton_actuators.py
	$(MADDENING)/python benchmarks/mime_nodes.py
	$(MJX)/python benchmarks/mjx_motors.py
	$(BIN)/python benchmarks/identification.py
	$(STUDIO)/python benchmarks/studio.py
	$(BIN)/python benchmarks/sizing.py

docs: .venv/.dev ## build the documentation into site/
	$(BIN)/mkdocs build --strict

clean: ## remove the environments and everything that was built
	rm -rf .venv .venv.lock .venv-mjlab .venv-mjlab.lock .venv-physx .venv-physx.lock .venv-newton .venv-newton.lock .venv-maddening .venv-maddening.lock .venv-webots .venv-webots.lock .venv-mjx .venv-mjx.lock .venv-ray .venv-ray.lock .venv-studio .venv-studio.lock build dist out site .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two environments in one folder: the demo is a plain install with USD, without PyTorch, MuJoCo and the documentation tools.
.venv/.demo .venv/.dev: .venv/.%: pyproject.toml constraints-cpu.txt constraints-cuda.txt tools/environment.py
	$(PYTHON) tools/environment.py $*

# Simulators pin versions of PyTorch, MuJoCo and JAX that are not ours, so each has a folder of its own, and so have Ray and the studio.
.venv-mjlab/.mjlab .venv-physx/.physx .venv-newton/.newton .venv-maddening/.maddening .venv-webots/.webots .venv-mjx/.mjx .venv-ray/.ray .venv-studio/.studio: .venv-%: pyproject.toml constraints-cpu.txt constraints-cuda.txt tools/environment.py
	$(PYTHON) tools/environment.py $(patsubst .%,%,$(notdir $@))
.venv/.demo: constraints-demo.txt
.venv/.dev: constraints.txt
.venv-mjlab/.mjlab: constraints-mjlab.txt
.venv-physx/.physx: constraints-physx.txt
.venv-newton/.newton: constraints-newton.txt
.venv-maddening/.maddening: constraints-maddening.txt
.venv-webots/.webots: constraints-webots.txt
.venv-mjx/.mjx: constraints-mjx.txt
.venv-ray/.ray: constraints-ray.txt
.venv-studio/.studio: constraints-studio.txt
