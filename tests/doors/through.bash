#!/usr/bin/env bash
# through.bash START BUG RANKS DOOR...: one bug, started in one way, seen through these doors: a row of judge.jq for each. START `ranks`
# is the scenario. KEEP is a folder that keeps the reports.
set -u
here=tests/doors
start=$1 bug=$2 ranks=$3
shift 3
build=$(dirname "$NCCLSCRIPT") libraries=$(dirname "$NCCLSCRIPT")/lib/ncclscript
program=$build/tests/doors/doors_program
work=${KEEP:-$(mktemp -d)}/$start.$bug.$ranks
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "${work%/*}"' EXIT
export NCCLSCRIPT_QUIET=1 DOORS_ID=$work/id OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset "${!NCCL_@}" CUDA_VISIBLE_DEVICES RANK WORLD_SIZE

truth() { # truth DOOR: verdict, culprits, classes
    awk -v at="$1/$start" -v bug="$bug" '
        function fits(want, is) { return want == "*" || index("|" want "|", "|" is "|") }
        $1 == bug { split($2, want, "/"); split(at, is, "/")
            if (fits(want[1], is[1]) && fits(want[2], is[2])) { print $3, $4, $5; exit } }' $here/bugs.txt
}

# judge DOOR: of the report in $work/DOOR.json, the last one of a program, and of all that was printed.
judge() {
    local want phantoms
    want=$(truth "$1")
    [ "${want%% *}" = none ] && return
    phantoms=$(bash $here/phantoms.bash "$ranks" "$work/$1".{json,txt,html} 2>/dev/null | tee "$work/$1.phantoms" | wc -l)
    jq -c 'select(.verdict)' "$work/$1.json" 2>/dev/null | tail -n 1 >"$work/last"
    [ -s "$work/last" ] || echo '{"verdict":"none","findings":[]}' >"$work/last"
    jq -r --arg door "$1" --arg start "$start" --arg bug "$bug" --argjson ranks "$ranks" --argjson phantoms "$phantoms" \
        --arg want "$want" -f $here/judge.jq "$work/last"
}

# again DOOR FILE: the scenario that was written of DOOR's report, as a row: does it end as DOOR's report says? (Of several cycles each
# may be found.)
again() {
    local door=$1-written record want phantoms
    want=$(truth "$1")
    [ "${want%% *}" = none ] && return
    record=$(jq -c 'select(.verdict)' "$work/$1.json" 2>/dev/null | tail -n 1)
    [[ $record = *'"verdict":"empty"'* ]] && return # there is nothing to write
    timeout 60 "$NCCLSCRIPT" run --format json --no-times "$2" >"$work/$door.json" 2>"$work/$door.err"
    [ -s "$work/$door.json" ] || echo '{"verdict":"none","findings":[]}' >"$work/$door.json"
    timeout 60 "$NCCLSCRIPT" run -v --no-times --html "$work/$door.html" "$2" >"$work/$door.txt" 2>&1
    phantoms=$(bash $here/phantoms.bash "$ranks" "$work/$door".{json,txt,html} 2>/dev/null | wc -l)
    jq -r --arg door "$door" --arg start "$start" --arg bug "$bug" --arg want "$want" --argjson record "${record:-null}" --argjson phantoms "$phantoms" '
        def first_of: [.findings[]? | select(.level == "error")][0] // {};
        def member: if $start | IN("threads", "one") then (.device // .comm_rank // .rank) else .rank end;
        first_of as $is | ($record | first_of) as $was |
        ([$is.culprits[]?.rank] | unique) as $named | ([$was.culprits[]? | member] | unique) as $meant |
        [$door, $start, $bug, .verdict, ($named | map(tostring) | join(",") | if . == "" then "-" else . end), $is.rule // "-",
         .certainty, .verdict == $record.verdict,
         ($named == $meant or ($want | split(" ")[1] == "any" and $named != [] and $meant != [])), $is.rule == $was.rule, false, false, $phantoms] |
        map(if . == true then 1 elif . == false then 0 else . end) | @tsv' "$work/$door.json"
}

launch=() kind=$start
case $start in
mpirun)
    kind=launched
    launch=(bash tests/job/launch.bash "$ranks")
    command -v mpirun.openmpi >/dev/null && launch=(mpirun.openmpi --oversubscribe -np "$ranks") ;;
esac
job=("${launch[@]}" "$program" "$kind" "$bug" "$ranks")

in_exec() { # in_exec DOOR.KIND ARGUMENT...: reports are on standard error
    rm -f "$DOORS_ID"
    timeout 100 "$NCCLSCRIPT" exec -n "$ranks" --stall 1h --timeout "${LIMIT:-5s}" "${@:2}" >"$work/out" 2>"$work/$1"
}

diagnose() { # diagnose DOOR WHAT
    timeout 60 "$NCCLSCRIPT" diagnose --format json "$2" >"$work/$1.json" 2>"$work/$1.err"
    timeout 60 "$NCCLSCRIPT" diagnose -v --html "$work/$1.html" --force --scenario "$work/$1.lua" "$2" >"$work/$1.txt" 2>&1
    judge "$1"
    again "$1" "$work/$1.lua"
}

for door; do
    case $door in
    exec)
        in_exec exec.json --format json --record "$work/exec.lua" -- "${job[@]}"
        in_exec exec.txt -v --html "$work/exec.html" -- "${job[@]}"
        judge exec
        again exec "$work/exec.lua" ;;
    exec-record)
        in_exec under.json -- "$NCCLSCRIPT" record -o "$work/recorded" -- "${job[@]}"
        diagnose exec-record "$work/recorded" ;;
    record) # a thread that sleeps: no hang is certain, and the job is killed, but not while it starts
        export NCCLSCRIPT_GPUS=$ranks NCCLSCRIPT_TIMEOUT=2s
        case $start in
        threads | one) LD_LIBRARY_PATH=$libraries timeout 100 "$NCCLSCRIPT" record -o "$work/alone" -- "${job[@]}" idle ;;
        *) LIMIT=2s in_exec under.json -- "$NCCLSCRIPT" record -o "$work/alone" -- "${job[@]}" idle ;;
        esac >"$work/out" 2>&1
        unset NCCLSCRIPT_GPUS NCCLSCRIPT_TIMEOUT
        diagnose record "$work/alone" ;;
    run)
        scenario=(-n "$ranks" --set "bug=$bug" $here/program.lua)
        "$NCCLSCRIPT" run --format json --no-times --record "$work/run.lua" "${scenario[@]}" >"$work/run.json" 2>"$work/run.err"
        "$NCCLSCRIPT" run -v --html "$work/run.html" "${scenario[@]}" >"$work/run.txt" 2>&1
        judge run
        again run "$work/run.lua" ;;
    fr | log | calls)
        "$NCCLSCRIPT" run -q --dump "$door" "$work/$door" -n "$ranks" --set "bug=$bug" $here/program.lua >/dev/null 2>&1
        diagnose "$door" "$work/$door" ;;
    esac
done
