#!/usr/bin/env bash
# Builds dist/anabranch-*.whl for x86-64 Linux systems with glibc 2.28 or newer, and checks them.
# After `make setup`, whose MPIs it uses. Read from the environment: WHEEL_PYTHONS, the interpreters
# to build for; unless given, one each of 3.10, 3.11 and 3.12 or newer, of those that are there;
# `newest`: the last of these.
#
# The compiler is Zig's Clang: it links against the interface of whatever glibc it is told, and
# takes its own C++ runtime in. GCC cannot: its static C++ runtime needs the glibc of this machine.
# Only stacks are unwound by the system's libgcc_s, as those of the program in front of which the
# library is: an exception of the program's reductions passes through both.
# Zig keeps what it compiled (in ZIG_GLOBAL_CACHE_DIR, by default ~/.cache/zig), so that only the
# Python module is compiled for each interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
glibc=2.28
limit_bytes=$((8 * 1024 * 1024))
work=build/wheel
tools=$work/tools
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_ARGS CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER

fail() {
  printf 'wheel: %s\n' "$1" >&2
  exit 1
}

# logged NAME SENTENCE COMMAND..
logged() {
  local log=$work/$1.log
  printf 'wheel: %s\n' "$2"
  "${@:3}" >"$log" 2>&1 || {
    grep -E -A 3 'error: |undefined symbol' "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
    fail "could not finish '$2'; the whole log is in $log"
  }
}

# version PYTHON: as 3.12; fails where it cannot build a module in an environment of its own.
version() {
  "$1" -c '
import ensurepip, os, sys, sysconfig
headers = os.path.join(sysconfig.get_path("include"), "Python.h")
print("%d.%d" % sys.version_info[:2])
sys.exit(sys.version_info < (3, 10) or not os.path.isfile(headers))' 2>/dev/null
}

# One wheel serves 3.12 and all that are newer.
find_pythons() {
  local minor found
  for minor in 10 11 '1[2-9]'; do
    for found in $(compgen -c python3. | grep -x "python3\.$minor" | sort -u) .venv/bin/python \
      "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor.*/bin/python; do
      if [[ $(version "$found") == 3.$minor ]]; then
        printf '%s\n' "$found"
        break
      fi
    done
  done
}

# make_environment PYTHON FOLDER REQUIREMENTS: unless it is there already.
make_environment() {
  local key="$("$1" --version) $3"
  if [[ -f $2/stamp && $(<"$2/stamp") == "$key" ]]; then return; fi
  "$1" -m venv --clear "$2" && "$2/bin/python" -m pip install -r /dev/stdin <<<"$3" || return 1
  printf '%s' "$key" >"$2/stamp"
}

# write_compiler NAME LANGUAGE: leaves out the options for files of dependencies, with which Zig would
# not look at what it has kept. It looks at all headers itself.
write_compiler() {
  cat >"$work/$1" <<END
#!/bin/sh
is_name=
for word do
  shift
  if [ -n "\$is_name" ]; then is_name=; continue; fi
  case \$word in
    -MD) ;;
    -MT | -MF) is_name=1 ;;
    *) set -- "\$@" "\$word" ;;
  esac
done
exec "$root/$tools/bin/python" -m ziglang $2 -target x86_64-linux-gnu.$glibc -mcpu=baseline \\
  -idirafter "$root/$work/headers" "\$@"
END
  chmod +x "$work/$1"
}

# link_headers: Debian's Python.h names headers by a path that is relative to /usr/include, where Zig
# does not look.
link_headers() {
  local folder
  mkdir -p "$work/headers/x86_64-linux-gnu"
  for folder in /usr/include/x86_64-linux-gnu/python3.*; do
    if [[ -d $folder ]]; then ln -sfn "$folder" "$work/headers/x86_64-linux-gnu/"; fi
  done
}

# build PYTHON ENVIRONMENT
build() {
  make_environment "$1" "$2" \
    "$(grep -E '^(scikit-build-core|nanobind)=' tools/requirements.txt)" || return 1
  local defines=(
    ANABRANCH_MPICH_PREFIX="$root/.venv" ANABRANCH_OPENMPI_PREFIX="$root/.venv/openmpi"
    CMAKE_SHARED_LINKER_FLAGS="$unwinder" CMAKE_MODULE_LINKER_FLAGS="$unwinder"
    ANABRANCH_SIMGRID=OFF          # a library of this machine
    ANABRANCH_JSON_INCLUDE="$json" # one path, or Zig would compile all for each interpreter
  )
  rm -rf "$work/cmake"
  PATH="$root/.venv/bin:$PATH" CC="$root/$work/cc" CXX="$root/$work/c++" \
    SKBUILD_CMAKE_DEFINE=$(IFS=';' && printf '%s' "${defines[*]}") \
    "$2/bin/python" -m pip wheel --no-build-isolation --no-deps --wheel-dir "$work/built" \
    --config-settings "build-dir=$work/cmake" .
}

# The MPI is the one that a program runs with, hence never in the wheel. Any other library that
# is not part of the system would be taken in: then the wheel would have a folder anabranch.libs.
repair() {
  PATH="$root/$tools/bin:$PATH" auditwheel repair --plat "manylinux_${glibc/./_}_x86_64" --only-plat \
    --exclude 'libmpi.so.*' --wheel-dir dist "$work"/built/*.whl
}

check() {
  local wheel=$1 size contents
  size=$(stat -c %s "$wheel")
  contents=$(.venv/bin/python -m zipfile -l "$wheel")
  ((size <= limit_bytes)) || fail "$wheel has $size bytes; at most $limit_bytes are wanted"
  [[ $contents != *anabranch.libs* ]] || fail "$wheel holds libraries of this machine"
  for abi in mpich openmpi abi; do
    [[ $contents == *"anabranch/lib/libanabranch-$abi.so"* ]] || fail "$wheel lacks the ABI $abi"
  done
  printf 'wheel: %s, %d bytes\n' "$wheel" "$size"
}

[[ $(uname -m) == x86_64 ]] || fail "wheels are for x86_64, this machine is $(uname -m)"
[[ -x .venv/bin/python ]] || fail "there is no .venv; run make setup"
unwinder=$(cc -print-file-name=libgcc_s.so.1)
json=$(.venv/bin/python -c 'import nlohmann_json; print(nlohmann_json.__path__[0])')/include
[[ -f $unwinder ]] || fail "the compiler has no libgcc_s.so.1; install GCC"
mkdir -p "$work" dist
logged tools 'installing the compiler and auditwheel, unless they are there' \
  make_environment .venv/bin/python "$tools" "$(<tools/wheel_requirements.txt)"
link_headers
write_compiler cc cc
write_compiler c++ c++
rm -rf "$work/built" dist/*.whl
pythons=${WHEEL_PYTHONS:-$(find_pythons)}
if [[ $pythons == newest ]]; then pythons=$(find_pythons | tail -n 1); fi
for python in $pythons; do
  number=$(version "$python") ||
    fail "'$python' is no Python of version 3.10 or newer with venv and headers"
  logged "build-$number" "building with Python $number for glibc $glibc" \
    build "$python" "$work/python$number"
done
logged repair 'checking symbols and tags' repair
for wheel in dist/*.whl; do check "$wheel"; done
