#!/usr/bin/env bash
# The pages of `explain`: every scenario that a page prints is taken from its text and run, and must end
# as the page says, with the one finding that it names and no other; `check` finds nothing in any but in
# those that end with an error, which it may foresee.
set -u
unset "${!NCCL_@}" # the simulator heeds them
: "${NCCLSCRIPT:?the path of the binary}"
command -v jq >/dev/null || { echo "left out: there is no jq"; exit 77; }
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir pages scenarios
failed=0
complain() { echo "$*"; failed=$((failed + 1)); }

"$program" explain --format json >all.json || exit 1
jq -e -s 'length > 200 and all(.[]; .schema == "ncclscript.explain/1" and (.meaning | length) > 0
    and (.what | length) > 0)' all.json >/dev/null || complain "explain --format json: not all pages are there"

mapfile -t topics < <(jq -r .topic all.json)
for topic in "${topics[@]}"; do
    "$program" explain "$topic" >"pages/$topic" || complain "$topic: has no page"
    awk -v file="scenarios/$topic.lua" '
        /^A scenario / { says = $0; sub(/^A scenario \(/, "", says); sub(/\)$/, "", says); next }
        /^  run it: / { says = says; on = 0; done = 1 }
        says && !done { sub(/^  /, ""); text = text $0 "\n" }
        END { sub(/\n+$/, "\n", text); if (says) { printf "%s", text >file; print says } }' \
        "pages/$topic" >says
    [[ -s says ]] || continue
    sed 's/, finding / /' says >"pages/$topic.ends"
    [[ ${ASAN_OPTIONS:-} && -s alone ]] && continue # a process each, all of which do the same
    "$program" explain --scenario "$topic" >alone || complain "$topic: --scenario has none"
    cmp -s alone "scenarios/$topic.lua" || complain "$topic: --scenario is not what the page prints"
done


# What has a scenario, and all that has to.
jq -r 'select(.scenario) | .topic' all.json | sort >want
(cd scenarios && ls) | sed 's/\.lua$//' | sort >got
diff want got || complain "pages whose scenario was not found in their text"
jq -r 'select(.kind != "word" and .kind != "exit" and .kind != "variable" and (.scenario | not)) | .topic' all.json | sort >without
printf '%s\n' never-destroyed waiting | diff - without || complain "pages without a scenario"

# The same text is run once: functions of a family share theirs.
mkdir runs
(cd scenarios && sha256sum ./*.lua) | sort | awk '!seen[$1]++ { print $2 }' |
    while read -r file; do cp "scenarios/$file" runs/; done

mapfile -t quiet < <(cd runs && for file in *.lua; do
    grep -q '^error' "../pages/${file%.lua}.ends" || echo "runs/$file"
done)
((${#quiet[@]} > 60)) || complain "only ${#quiet[@]} scenarios end without an error"
"$program" check "${quiet[@]}" >check.out 2>&1 || { cat check.out; complain "check finds mistakes"; }
seeds=(0 1 2)
[[ ${NCCLSCRIPT_SEEDS:-} ]] && seeds=("${seeds[@]:0:NCCLSCRIPT_SEEDS}")
for seed in "${seeds[@]}"; do
    "$program" run --timeout 60s --format json --seed $seed runs >runs.json 2>err </dev/null
    cat err
    jq -r '[(.scenario | sub(".*/"; "") | sub(".lua$"; "")), .verdict] + [.findings[].rule] |
        join(" ")' runs.json >ran
    (($(wc -l <ran) == $(find runs -name '*.lua' | wc -l))) || complain "seed $seed: not all were run"
    while read -r topic what; do
        [[ $what == "$(cat "pages/$topic.ends")" ]] ||
            complain "$topic, seed $seed: the page says $(cat "pages/$topic.ends"), it is $what"
    done <ran
done
echo "$(wc -l <ran) scenarios of ${#topics[@]} pages, $failed failed"
((failed == 0))
