# For tests that count instructions, which depend on no clock and no neighbour. Sourced.
: "${NCCLSCRIPT:?the path of the binary}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 77; }
[[ $(uname -m) = x86_64 ]] || { echo "the bounds are those of x86-64"; exit 77; }
if grep -qaE '__asan_init|__tsan_init' "$NCCLSCRIPT"; then echo "a sanitizer counts, too"; exit 77; fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# count ARGUMENTS...: the instructions of one run. `within` may have further options of callgrind; `status` is the run's, 0 if unset.
count() {
    valgrind --tool=callgrind ${within:-} --callgrind-out-file="$work/out" "$NCCLSCRIPT" "$@" 2>"$work/err" >"$work/text"
    [ $? -eq "${status:-0}" ] || { cat "$work/err" "$work/text" >&2; return 1; }
    sed -n 's/.*Collected : *//p' "$work/err"
}
