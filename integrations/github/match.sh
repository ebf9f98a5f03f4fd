#!/usr/bin/env bash
# Matches the logs of a build, for the action of action.yml: annotations, the step's summary, and a
# comment where that is wanted. Inputs come as variables and are only ever arguments.
set -euo pipefail
temp=${RUNNER_TEMP:?}
errdex=$temp/errdex/bin/errdex
[[ -x $errdex ]] || errdex=errdex

options=(--limit "${INPUT_LIMIT:-10}")
[[ -z ${INPUT_SERVER-} ]] || options+=(--server "$INPUT_SERVER")
[[ -z ${INPUT_BASELINE-} ]] || options+=(--baseline "$INPUT_BASELINE")
[[ -z ${INPUT_JUNIT-} ]] || options+=(--junit "$INPUT_JUNIT")
logs=()
if [[ -n ${INPUT_LOG-} ]]; then
    mapfile -t logs < <(grep -v '^[[:space:]]*$' <<<"$INPUT_LOG")
elif [[ -z ${INPUT_JUNIT-} ]]; then
    logs=("$temp/errdex-logs")
    mkdir -p "${logs[0]}"
    run="repos/${GITHUB_REPOSITORY:?}/actions"
    jobs=$(gh api --paginate "$run/runs/${GITHUB_RUN_ID:?}/attempts/${GITHUB_RUN_ATTEMPT:-1}/jobs" \
        --jq '.jobs[] | select(.conclusion == "failure") | .id')
    for job in $jobs; do
        gh api "$run/jobs/$job/logs" >"${logs[0]}/$job.log"
    done
    if [[ -z $jobs ]]; then
        echo 'No job of this run has failed yet.'
        exit 0
    fi
fi

match() { # 0 or 1: matched, with a record or without
    local code=0
    "$errdex" match "${options[@]}" "$@" -- "${logs[@]}" || code=$?
    ((code <= 1)) || return "$code"
}

match --format ndjson >"$temp/errdex.ndjson"
errors=$(wc -l <"$temp/errdex.ndjson")
unknown=$(grep -c '"outcome":"unknown"' "$temp/errdex.ndjson" || true)
printf 'errors=%d\nknown=%d\n' "$errors" "$((errors - unknown))" >>"${GITHUB_OUTPUT:?}"

match --format markdown >"$temp/errdex.md"
cat "$temp/errdex.md" >>"${GITHUB_STEP_SUMMARY:?}"
if [[ ${INPUT_COMMENT-} == true && -n ${INPUT_PULL_REQUEST-} && $errors -gt 0 ]]; then
    gh pr comment "$INPUT_PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$temp/errdex.md" ||
        echo '::warning::Errdex could not comment: is the permission pull-requests missing?'
fi
match --format github ${INPUT_FAIL_ON:+--fail-on "$INPUT_FAIL_ON"}
