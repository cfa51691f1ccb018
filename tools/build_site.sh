#!/usr/bin/env bash
# Writes the documentation as pages into build/site; a link that leads nowhere is an error.
# mkdocs lives in an environment of its own, build/site-venv, made once for its requirements.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
environment=build/site-venv
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
if ! cmp -s tools/site_requirements.txt "$environment/requirements.txt"; then
  rm -rf "$environment"
  .venv/bin/python -m venv "$environment"
  "$environment/bin/pip" install --quiet --requirement tools/site_requirements.txt
  cp tools/site_requirements.txt "$environment/requirements.txt"
fi
NO_MKDOCS_2_WARNING=1 "$environment/bin/mkdocs" build --strict
printf 'site: open build/site/index.html\n'
