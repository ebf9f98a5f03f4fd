#!/usr/bin/env bash
# Installs Errdex beside the build, with its records, for the action of action.yml. With the argument
# `key`, only names what the installation depends on, by which it is cached.
set -euo pipefail
source=${GITHUB_ACTION_PATH:?}
place=${RUNNER_TEMP:?}/errdex

if [[ ${1-} == key ]]; then
    python3 --version
    digest=$(cd "$source" && cat pyproject.toml data/*.yaml data/causes/*.yaml |
        cat - <(python3 --version) | sha256sum | cut -c 1-16)
    echo "key=$digest" >>"${GITHUB_OUTPUT:?}"
elif [[ ! -x $place/bin/errdex ]]; then
    python3 -m venv "$place"
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check "$source"
fi
