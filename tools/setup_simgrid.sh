#!/usr/bin/env bash
# Builds SimGrid from its sources on PyPI into build/simgrid, without root, for systems that do not
# have it; after `make setup`, whose tools it uses. All else that SimGrid needs comes from PyPI too.
# Read from the environment: SIMGRID_VERSION; SMPI=ON for smpicc and smpirun also; JOBS; CXX.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
prefix=$root/build/simgrid
work=$root/build/simgrid-build
boost_headers=libboost-headers==1.88.0
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PATH="$root/.venv/bin:$PATH"
unset MAKEFLAGS MFLAGS MAKELEVEL PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_USER
SIMGRID_VERSION=${SIMGRID_VERSION:?is not set: call make setup-simgrid}
SMPI=${SMPI:-OFF}

fail() {
  printf 'setup-simgrid: %s\n' "$1" >&2
  exit 1
}

# logged NAME SENTENCE COMMAND..
logged() {
  local log=build/setup-simgrid-$1.log
  printf 'setup-simgrid: %s\n' "$2"
  "${@:3}" >"$log" 2>&1 || {
    grep -E -A 3 ' error: |CMake Error|ERROR: ' "$log" | head -n 40 >&2 || tail -n 20 "$log" >&2
    fail "could not finish '$2'; the whole log is in $log"
  }
}

# A set-up that was stopped goes on where it was.
# pip runs SimGrid's set-up for what it says of itself, which asks for more packages for a while.
fetch() {
  if [[ -f $work/fetched && $(<"$work/fetched") == "$key" ]]; then return; fi
  rm -rf "$work" && mkdir -p "$work" || return 1
  python -m pip download --no-deps --no-binary simgrid --dest "$work" "simgrid==$SIMGRID_VERSION" &&
    python -m pip install --no-deps --target "$work/boost" "$boost_headers" &&
    tar -xzf "$work/simgrid-$SIMGRID_VERSION.tar.gz" -C "$work" &&
    printf '%s' "$key" >"$work/fetched"
}

# CMake looks for Boost by this file alone from 3.30 on.
describe_boost() {
  local include=$work/boost/libboost_headers/include
  [[ -f $include/boost/version.hpp ]] || return 1
  printf 'set(Boost_INCLUDE_DIRS "%s")\n' "$include" >"$work/boost/BoostConfig.cmake"
  printf 'set(PACKAGE_VERSION "%s")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n' \
    "${boost_headers##*==}" >"$work/boost/BoostConfigVersion.cmake"
}

# From its own folder, since tests of the compiler leave files where they run.
configure() (
  describe_boost && cd "$work" &&
    cmake -G Ninja -S "$work/simgrid-$SIMGRID_VERSION" -B "$work/cmake" \
      -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
      -DBoost_DIR="$work/boost" -Dminimal-bindings=ON -Denable_smpi="$SMPI" \
      -Denable_python=OFF -Denable_java=OFF -Denable_documentation=OFF -Denable_sthread=OFF \
      -Denable_model-checking=OFF -Denable_debug=OFF -Denable_lto=OFF \
      -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
)

build() {
  cmake --build "$work/cmake" --parallel "${JOBS:-$(nproc)}"
}

put_in_place() {
  rm -rf "$prefix" && cmake --install "$work/cmake" --strip && [[ -f $prefix/lib/libsimgrid.so ]]
}

[[ $SMPI == ON || $SMPI == OFF ]] || fail "SMPI=$SMPI: give ON or OFF"
[[ -x .venv/bin/python ]] || fail "there is no .venv; run make setup"
key="$SIMGRID_VERSION $boost_headers SMPI=$SMPI $prefix"
# One with SMPI serves those who need none.
for fitting in "$key" "${key/SMPI=OFF/SMPI=ON}"; do
  if [[ -f $prefix/.setup && $(<"$prefix/.setup") == "$fitting" ]]; then exit 0; fi
done
logged fetch "fetching the sources of SimGrid $SIMGRID_VERSION and the headers of Boost" fetch
logged configure 'configuring SimGrid' configure
logged build 'building SimGrid, which takes about 10 minutes on 2 cores' build
logged install 'installing SimGrid into build/simgrid' put_in_place
printf '%s' "$key" >"$prefix/.setup"
rm -rf "$work"
