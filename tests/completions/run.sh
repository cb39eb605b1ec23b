#!/usr/bin/env bash
# Every command and every option of --help is in each shell's completion and in the manual page; bash and fish
# complete them, zsh reads its file.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PATH="$(dirname "$program"):$PATH" LC_ALL=C.UTF-8 HOME=$work
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

"$program" completions --directory "$work/shells" || fail "completions --directory"
"$program" man --directory "$work/man" || fail "man --directory"
for shell in bash:ncclscript zsh:_ncclscript fish:ncclscript.fish; do
    "$program" completions "${shell%%:*}" | cmp -s - "$work/shells/${shell#*:}" || fail "$shell: two texts"
done

mapfile -t commands < <("$program" help | sed -nE '/^Commands/,/^$/s/^  ([a-z]+).*/\1/p' | grep -vx help)
((${#commands[@]} > 10)) || fail "only ${#commands[@]} commands in help"
for command in "${commands[@]}"; do
    page=$work/man/ncclscript-$command.1
    [[ -s $page ]] || fail "$command has no manual page"
    grep -q "ncclscript.-$command " "$work/man/ncclscript.1" || fail "ncclscript.1 lacks $command"
    mapfile -t options < <("$program" "$command" --help | grep -oE '^ +(-[A-Za-z], |    )--[a-z_-]+' | grep -oE '\--.*')
    ((${#options[@]} > 0)) || fail "$command --help has no options"
    for option in "${options[@]}"; do
        grep -qF -- "${option//-/\\-}" "$page" || fail "the page of $command lacks $option"
        sed -n "/^    $command)/,/;;/p" "$work/shells/_ncclscript" | grep -qF -- "$option" || fail "zsh: $command lacks $option"
        grep -qE "seen_subcommand_from $command' -l ${option#--}( |\$)" "$work/shells/ncclscript.fish" ||
            fail "fish: $command lacks $option"
        grep -E "^ +$command:-\*\)" "$work/shells/ncclscript" | grep -qF -- " $option" || fail "bash: $command lacks $option"
    done
done

# ---- bash ----

. "$work/shells/ncclscript"
# completes WORD... : what Tab offers for the last word, in one line
completes() {
    COMP_WORDS=(ncclscript "$@") COMP_CWORD=$# COMPREPLY=()
    _ncclscript 2>/dev/null
    echo "${COMPREPLY[*]}"
}
expect() { # expect WANT WORD...
    local want=$1 got
    shift
    got=$(completes "$@")
    [[ $got == "$want" ]] || fail "bash: ncclscript $*: $got instead of $want"
}
mkdir "$work/here" && cd "$work/here" && touch hang.lua hang.yaml && mkdir suite
expect "diagnose" diag
expect "--policy" run --pol
expect "strict typical" run --policy ""
expect "typical" run --policy t
expect "typical" run --policy = t
expect "--draw=calls --draw=steps --draw=tree" run --draw=
[[ $(completes run ha | tr " " "\n" | sort | tr "\n" " ") == "hang.lua hang.yaml " ]] || fail "bash: files of run"
expect "all_reduce all_gather alltoall all" bench al
expect "skipped-call" explain skipp
expect "hang.lua" run --schedule x hang.l
expect "strict typical" exec --policy ""
[[ $(completes exec -- bas) == *bash* ]] || fail "bash: no programs after exec --"
expect "convert" help conv
expect "" run --ranks ""

# ---- the others ----

if command -v zsh >/dev/null; then
    zsh -n "$work/shells/_ncclscript" || fail "zsh does not read its file"
fi
if command -v fish >/dev/null; then
    got=$(fish --no-config -c "source $work/shells/ncclscript.fish; complete -C 'ncclscript run --policy '" | cut -f1 | tr '\n' ' ')
    [[ $got == "strict typical " ]] || fail "fish: --policy completes $got"
    got=$(fish --no-config -c "source $work/shells/ncclscript.fish; complete -C 'ncclscript diag'" | cut -f1)
    [[ $got == diagnose ]] || fail "fish: diag completes $got"
fi
if command -v man >/dev/null; then
    for page in "$work"/man/*.1; do
        warnings=$(MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [[ $warnings ]] && fail "$(basename "$page"): $warnings"
    done
fi

# ---- errors ----

"$program" completions ksh 2>"$work/err" && fail "completions ksh passes"
grep -q 'unknown shell `ksh`' "$work/err" || fail "completions ksh: $(cat "$work/err")"
"$program" man --directory /dev/null/x 2>/dev/null
[[ $? == 74 ]] || fail "a directory that cannot be made"
"$program" man nothing 2>/dev/null
[[ $? == 2 ]] || fail "man nothing"
echo "${#commands[@]} commands, $failed failures"
((failed == 0))
