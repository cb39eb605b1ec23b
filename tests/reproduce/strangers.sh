#!/usr/bin/env bash
# Labels, names of communicators and names of files are a stranger's: in a written scenario they are data, in Lua and YAML.
set -u
. "$(dirname "$0")/common.bash"

# What a label may contain, a line each, as Lua has it in quotes.
cat >"$work/labels" <<'END2'
]] os.exit() --[[
]=] --
\"\n
\" } os.exit() --
' .. os.exit() .. '
\\\" .. os.exit()
# outcome: pass
: - { lua: \"os.exit()\" }
a\nos.exit()\nb
a\rb\0c\1d\127e
\27[31mred\27[0m
${os.exit()}
%s%n%d
\226\128\168U+2028\226\128\169U+2029\239\187\191U+FEFF
\194\133U+0085 \255\254 no UTF-8
END2
{
    echo 'scenario { ranks = 2 }'
    echo 'local x = cuda.buffer("float32", 16):fill(0)'
    number=0
    while IFS= read -r label; do
        number=$((number + 1))
        echo "local c$number = world:split { color = 0, name = \"$label\" }"
        echo "c$number:all_reduce(x, { label = \"$label\" })"
        echo "world:all_gather(x, { count = 4, label = \"$label\" })"
    done <"$work/labels"
    echo 'if rank == 0 then world:all_reduce(x) end'
    echo 'stream:sync()'
} >"$work/labels.lua"

# The name of the file is in the first comment.
name=$(printf 'a]]--"b'\''\nos.exit()\n#\177\342\200\250.lua')
mkdir "$work/made"
cp "$work/labels.lua" "$work/$name"
for ending in lua yaml; do
    status "record, $ending" 3 "$NCCLSCRIPT" run -q "$work/$name" --record "$work/made/r.$ending"
    expect "record, $ending" "$work/err" 'its run ends as the record shows: hang: skipped-call, rank 1$'
    status "record, $ending: run" 0 "$NCCLSCRIPT" run "$work/made/r.$ending"
    status "record, $ending: check" 0 "$NCCLSCRIPT" check "$work/made/r.$ending"
    status "shrink, $ending" 0 "$NCCLSCRIPT" shrink -q "$work/$name" -o "$work/made/s.$ending"
    status "shrink, $ending: run" 0 "$NCCLSCRIPT" run "$work/made/s.$ending"
    [ "$(grep -cE '^(--|#)' "$work/made/s.$ending")" -eq 1 ] || fail "shrink, $ending: the name of the file ends the comment"
    grep -qE '^[[:space:]]*os\.exit' "$work/made/r.$ending" && fail "record, $ending: a label became a statement"
    LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/made/r.$ending" && fail "record, $ending: has control characters"
done

# \ddd: a digit behind a control character is not taken for a part of it. Names keep their characters in Lua.
printf 'scenario { ranks = 2 }\nlocal c = world:split { color = 0, name = "a\\0012b" }\nc:all_reduce(cuda.buffer("float32", 4):fill(0))\nworld:all_reduce(cuda.buffer("float32", 4):fill(0))\n' \
    >"$work/digits.lua"
status "digits" 0 "$NCCLSCRIPT" run -q "$work/digits.lua" --record "$work/made/d.lua"
expect "digits" "$work/made/d.lua" 'name = "a\\0012b"'
status "digits: run" 0 "$NCCLSCRIPT" run "$work/made/d.lua"

finish strangers
