#!/usr/bin/env bash
# Feeds the readers READER (all if empty) with CASES changed files of their corpus, told by SEED:
# those in C++ in programs built with the sanitizers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/.venv/bin:$PATH"

cmake --preset sanitize >build/fuzz.log && cmake --build --preset sanitize --target fuzz >>build/fuzz.log ||
  { tail -n 60 build/fuzz.log >&2 && exit 1; }
# shellcheck disable=SC2086 # READER may name several
exec .venv/bin/python tests/fuzz/fuzz.py --targets build/sanitize/tests/fuzz --cases "${CASES:-1000}" \
  --seed "${SEED:-1}" ${READER:-}
