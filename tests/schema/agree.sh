#!/usr/bin/env bash
# The JSON Schema that `schema` prints must accept what the loader accepts and refuse what it refuses,
# as seen by Python's YAML and JSON Schema libraries.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$NCCLSCRIPT" schema >"$work/schema.json" || exit 1
mapfile -t scenarios < <(find scenarios tests/twins tests/notation "$here/good" "$here/bad" -name '*.yaml' -o -name '*.yml' |
    LC_ALL=C sort)

# The system's Python has the packages of the system where another one stands before it.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema, ruamel.yaml' 2>/dev/null || continue
    PYTHONDONTWRITEBYTECODE=1 "$python" "$here/agree.py" "$work/schema.json" "${scenarios[@]}"
    exit
done
echo "left out: Python has no jsonschema or no ruamel.yaml"
exit 77
