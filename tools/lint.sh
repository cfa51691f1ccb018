#!/usr/bin/env bash
# All checks that need no run. Each is tried, also after another has failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/.venv/bin:$PATH"
failed=()
mapfile -t own < <(find . -mindepth 1 -maxdepth 1 ! -name '.*' ! -name build ! -name dist)

check() {
  local name=$1
  shift
  printf 'lint: %s\n' "$name"
  "$@" || failed+=("$name")
}

check_cpp_format() {
  local unformatted
  unformatted=$(find "${own[@]}" -type f \( -name '*.[ch]pp' -o -name '*.[ch]' \) -print0 |
    xargs -0 -r clang-format --dry-run --Werror 2>&1 | grep ' error: ' | cut -d: -f1,2 | sort -u)
  [[ -z $unformatted ]] || { printf '%s: not formatted; make format\n' $unformatted >&2 && false; }
}

check_spelling() {
  find "${own[@]}" -type f \( -name '*.md' -o -name '*.[ch]pp' -o -name '*.h' -o -name '*.py' \) -print0 |
    xargs -0 -r codespell --ignore-words tools/spelling.txt
}

check_warnings() {
  cmake --preset debug >build/lint.log && cmake --build --preset debug >>build/lint.log && return
  grep -E 'error|warning|Error' build/lint.log | head -n 40 >&2
  printf 'lint: the whole log of the build is in build/lint.log\n' >&2
  return 1
}

check 'C++ formatting' check_cpp_format
check 'Python style' ruff check --quiet .
check 'Python formatting' ruff format --check --quiet .
check 'layers' python tools/check_layers.py
check 'circles of imports' python tools/check_circles.py
check 'spelling' check_spelling
check 'terms' python tools/check_words.py
check 'docs are fresh' python tools/check_docs_fresh.py
check 'no compiler warnings' check_warnings

if ((${#failed[@]})); then
  printf 'lint: failed: %s\n' "$(printf '%s; ' "${failed[@]}" | sed 's/; $//')" >&2
  exit 1
fi
printf 'lint: all checks pass\n'
