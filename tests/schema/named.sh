#!/usr/bin/env bash
# scenarios/scenario.schema.json is what `schema` prints, and the first line of every YAML scenario
# says to editors where it is.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
schema=scenarios/scenario.schema.json
ran=0 failed=0
if ! diff -u --label $schema --label 'ncclscript schema' $schema <("$NCCLSCRIPT" schema); then
    echo "again: $NCCLSCRIPT schema >$schema"
    failed=1
fi
while IFS= read -r file; do
    ran=$((ran + 1))
    path=$(sed -nE '1s/^# yaml-language-server: \$schema=([^ ]+)$/\1/p' "$file")
    [[ $path && $(realpath -q "$(dirname "$file")/$path") == $(realpath "$schema") ]] && continue
    echo "$file: its first line does not name $schema: # yaml-language-server: \$schema=..."
    failed=$((failed + 1))
done < <(find scenarios -name '*.yaml' -o -name '*.yml' | LC_ALL=C sort)
echo "$ran scenarios, $failed complaints"
((ran > 0 && failed == 0))
