#!/usr/bin/env bash
# Runs the tests that start no programs on a core and Python module built with
# -fsanitize=address,undefined, but for those marked deep: more of what others run already.
# The sanitizers' runtimes must come first in the process, hence LD_PRELOAD; Python itself leaks on
# purpose, hence no leak check. `-S` keeps the editable install of .venv out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$PWD/.venv/bin/python
package=$PWD/build/sanitize/site/anabranch

export PATH="$PWD/.venv/bin:$PATH"
cmake --preset sanitize >build/sanitize.log && cmake --build --preset sanitize >>build/sanitize.log ||
  { tail -n 60 build/sanitize.log >&2 && exit 1; }
rm -rf "$package"
mkdir -p "$package"
find "$PWD/python/anabranch" -mindepth 1 -maxdepth 1 ! -name __pycache__ -exec ln -s -t "$package" {} +
cp build/sanitize/_core.*.so src/evidence/evidence.json "$package/"

runtimes=$(for library in asan ubsan stdc++; do "${CXX:-c++}" -print-file-name="lib$library.so"; done)
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
# Folders of src/ that need no MPI, and what of Python hands much to the core and back.
folders=(schedule plan collectives evidence platform execution algorithms verify model select)
folders+=(planning explain)
processes="$(nproc)*popen//python=$python -S"
# A report ends the process: it must reach the terminal, hence no capture of file descriptors.
LD_PRELOAD=$(tr '\n' ' ' <<<"$runtimes") PYTHONPATH="$(dirname "$package"):$packages" \
  ASAN_OPTIONS=detect_leaks=0:malloc_context_size=10 UBSAN_OPTIONS=print_stacktrace=1 \
  "$python" -S -m pytest --dist loadfile --tx "$processes" --capture=sys -p no:cacheprovider \
  -m "not deep" "${folders[@]/#/tests/}" "$@"
