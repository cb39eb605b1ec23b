#!/usr/bin/env bash
# The keys of a scenario stand in three places: the schema of YAML (src/notation/schema.c), what Lua's
# scenario{} reads (src/script), and the annotations of both for editors (lua/library). They have the same keys.
set -u
export LC_ALL=C
: "${NCCLSCRIPT:?the path of the binary}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 keys=0

in_yaml() { # TABLE: its rows but those of YAML alone
    sed -n "/^\(static \)\?const struct ncs_schema_field $1\[\] = {/,/^};/p" src/notation/schema.c |
        grep -oE '(ROW\(|^    \{ )"[a-z_]+"' | grep -oE '[a-z_]+"$' | tr -d '"'
}

in_annotations() { # CLASS [FIELD]: the fields of a class, or of the table that a field of it may be
    sed -n "/^---@class ncclscript.$1\$/,/^\$/p" lua/library/ncclscript.d.lua | sed 's/ # .*//' |
        if [[ ${2:-} ]]; then
            sed -n "s/^---@field $2? [^{]*{\(.*\)}.*/\1/p" | grep -oE '[a-z_]+\??:' | tr -d '?:'
        else
            sed -nE 's/^---@field ([a-z_]+).*/\1/p'
        fi
}

reads() { # KEY BEFORE BEHIND: only the key counts here, not its value
    echo "scenario { $2 $1 = {} $3 }" >"$work/key.lua"
    ! "$NCCLSCRIPT" check "$work/key.lua" 2>&1 | grep -qF 'no such key'
}

# same TABLE CLASS FIELD BEFORE BEHIND WITHOUT: where in a scenario the table stands; keys of YAML alone. The
# name of a scenario is Lua's about.
same() {
    in_yaml "$1" | grep -vxE "$6" | sed 's/^scenario$/about/' | sort >"$work/yaml"
    in_annotations "$2" "$3" | sort >"$work/annotations"
    [[ -s $work/yaml ]] || { echo "src/notation/schema.c: no table $1"; failed=1; }
    diff --label "schema.c, $1" --label "ncclscript.d.lua, $2 $3" -u "$work/yaml" "$work/annotations" || failed=1
    while read -r key; do
        keys=$((keys + 1))
        reads "$key" "$4" "$5" || reads "$key" "$4 error = 'lua'," "$5" || # some go with an error alone
            { echo "scenario{} does not read $key of $2 $3"; failed=1; }
    done <"$work/yaml"
}

same needs declaration needs 'needs = {' '}' -
same sim declaration sim 'sim = {' '}' -
same bug declaration bug 'bug = {' '}' -
same outcome outcome '' 'outcome = {' '}' when
same hang outcome hang 'outcome = { hang = {' '} }' -
same wrong outcome wrong 'outcome = { wrong = {' '} }' -
same finding outcome finding 'outcome = { finding = {' '} }' -
same ncs_schema_top declaration '' '' '' 'let|streams|events|comms|buffers|ops|windows|steps'
echo "$keys keys"
((keys > 50 && failed == 0))
