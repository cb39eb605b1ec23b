# Shared by the scripts of this folder: `run` and `shrink` on files of their own, and what came.
: "${NCCLSCRIPT:?the path of the binary}"
cd "$(dirname "${BASH_SOURCE[1]}")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    printf 'FAIL %s\n' "$1"
    failures=$((failures + 1))
}

# expect NAME FILE PATTERN
expect() { grep -qE -- "$3" "$2" || { fail "$1: lacks: $3"; sed 's/^/    /' "$2" | head -40; }; }

# status NAME WANTED COMMAND...: standard output in out, standard error in err
status() {
    local name=$1 want=$2 got
    shift 2
    timeout 100 "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" -eq "$want" ] || { fail "$name: exit status $got, not $want"; cat "$work/err" | head -20; }
}

finish() {
    [ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
    echo "$1: ok"
}

# job NAME: a training job of 8 ranks in which rank 5 skips one all-reduce.
job() {
    cat >"$work/$1" <<'END'
scenario { ranks = 8 }
local x, y = cuda.buffer("float32", 100000), cuda.buffer("float32", 16)
local tp = world:split { color = rank // 4, name = "tp" }
for step = 1, 20 do
  tp:all_reduce(y)
  tp:all_gather(y)
  if not (rank == 5 and step == 12) then world:all_reduce(y, { op = "max" }) end
  world:all_reduce(x)
end
stream:sync()
END
}
