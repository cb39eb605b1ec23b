# Shared by the scripts of this folder: where the programs are, how one is run, what is looked for.
[ -z "${TSAN_OPTIONS:-}" ] ||
    { echo "skipped: a thread of ThreadSanitizer's own sleeps, so no hang is certain there"; exit 77; }
unset "${!NCCLSCRIPT_@}" CUDA_VISIBLE_DEVICES
exec=("$NCCLSCRIPT" exec)
clients=$(dirname "$NCCLSCRIPT")/tests/exec/exec_
libraries=$(dirname "$NCCLSCRIPT")/lib/ncclscript
# A sanitizer's runtime must be there before the program.
runtime=$(ldd "$libraries/libncclscript-sim.so" | awk '/lib(clang_rt\.)?[at]san/ { print $3; exit }')
sanitized=(env ${runtime:+"LD_PRELOAD=$runtime" ASAN_OPTIONS=detect_leaks=0})
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0
# A place in the program of a test. Without libdw it is an address in a function.
for source in hang mistakes pollers silent; do
    declare "in_$source=(tests/exec/$source\\.c:[0-9]+|[a-z_]+\\+0x[0-9a-f]+)"
done

fail() {
    printf 'FAIL %s\n' "$1"
    sed 's/^/    /' "$out/stdout" "$out/stderr"
    failures=$((failures + 1))
}

# run NAME STATUS COMMAND...; then says/reports/silent look at what came.
run() {
    name=$1
    local want=$2 got
    shift 2
    timeout 100 "$@" >"$out/stdout" 2>"$out/stderr"
    got=$?
    [ "$got" -eq "$want" ] || fail "$name: exit status $got, not $want"
}
says() { grep -qE -- "$1" "$out/stdout" || fail "$name: standard output lacks: $1"; }
reports() { grep -qE -- "$1" "$out/stderr" || fail "$name: standard error lacks: $1"; }
leaves_out() { ! grep -qE -- "$1" "$out/stderr" || fail "$name: standard error has: $1"; }
silent() { [ ! -s "$out/stderr" ] || fail "$name: standard error is not empty"; }

# build FILE COMMAND...: a program that the test makes itself.
build() {
    name="building ${1##*/}"
    "${@:2}" -o "$1" >"$out/stdout" 2>"$out/stderr" || { fail "$name"; return 1; }
}

finish() {
    [ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
    echo "$1: ok"
    exit 0
}
