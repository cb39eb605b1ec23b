#!/usr/bin/env bash
# Jobs of many processes as launchers start them: a shell that sets the variables of one, multiprocessing of Python, and the
# launchers of MPI that are installed.
set -u
. tests/exec/common.bash
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export NCCLSCRIPT_QUIET=1 JOB_FILE=$out/id
client=$(realpath "${clients}processes")
# As root, and with more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
line() {
    echo "(tests/exec/processes\\.c:$(grep -n "line: $1 \\*/" tests/exec/processes.c | cut -d : -f 1)|[a-z_]+\\+0x[0-9a-f]+)"
}
reduce=$(line reduce) broadcast=$(line broadcast) join=$(line join)

# try "STATUS ..." COMMAND...: under exec. No process may be left: all have the variable in their environment.
marks=0 options=()
try() {
    local status=$1 got mark left i folder
    shift
    marks=$((marks + 1))
    mark=$$.$marks
    rm -f "$JOB_FILE"
    name="$*"
    JOB_MARK=$mark timeout 100 "${exec[@]}" --stall 1h "${options[@]}" -- "$@" >"$out/stdout" 2>"$out/stderr"
    got=$?
    [[ " $status " = *" $got "* ]] || fail "$name: exit status $got, not $status"
    for ((i = 0; i < 300; i++)); do
        left=
        for folder in /proc/[0-9]*; do
            grep -qzx "JOB_MARK=$mark" "$folder/environ" 2>/dev/null && left="$left ${folder#/proc/}"
        done
        [ -n "$left" ] || return
        sleep 0.1
    done
    fail "$name: processes are left: $left"
    kill -9 $left
}

# launched LAUNCHER...: it gets the program behind its words.
launched() {
    local mode r
    for mode in right late; do
        try 0 "$@" "$client" $mode 3
        silent
        for r in 0 1 2; do
            says "rank $r of 3: ok"
        done
    done
    try 3 "$@" "$client" skip 3
    reports '^HANG  .*exec_processes  3 ranks, sim, seed 0(: its cause is likely, not certain)?$'
    reports "^    rank 1  call 2 is Broadcast float32 x 8 root 0 +$broadcast\$"
    reports "^  why   rank 1 left out one call on comm1: call 2 of the others at $reduce, its own call 2 is the one at $broadcast\$"
    # A launcher may end all ranks as soon as one of them dies, so the status is its own or that of a hang.
    try "$died" "$@" "$client" exits 3
    reports "rank 1 (was stopped|was ended) by |^ncclscript: rank 1 \(process [0-9]+\) was ended by "
    # Whoever died for a reason of its own is named alone, whichever end came first.
    try "$died 11 139" "$@" "$client" segv 3
    reports "rank 1 was ended by |^ncclscript: rank 1 \(process [0-9]+\) was ended by "
    ! grep -q 'signal 11' "$out/stderr" || leaves_out '^ncclscript: rank [02] .* was ended by '
}

# ---- a launcher that sets variables ----

cat >"$out/launch" <<'END_OF_LAUNCHER'
#!/usr/bin/env bash
# launch SIZE RANK PROGRAM MODE RANKS: the names of its variables
size=$1 rank=$2 ranks=${!#}
shift 2
for ((r = 0; r < ranks; r++)); do
    env "$size=$ranks" "$rank=$r" "$@" &
    processes[r]=$!
done
status=0
for process in "${processes[@]}"; do
    wait "$process" || status=$?
done
exit $status
END_OF_LAUNCHER
chmod +x "$out/launch"
died=3 # the ranks that are left wait for it
while read -r size rank; do
    launched "$out/launch" $size $rank
done <<'END_OF_NAMES'
OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
PMI_SIZE PMI_RANK
PMIX_SIZE PMIX_RANK
SLURM_STEP_NUM_TASKS SLURM_PROCID
WORLD_SIZE RANK
END_OF_NAMES
# A launcher that looks at its devices has a machine of its own, and the first line comes once.
NCCLSCRIPT_QUIET='' try 0 "$client" launch right 3
reports '^ncclscript: this is no GPU: '
[ "$(wc -l <"$out/stderr")" -eq 1 ] || fail "$name: more than one line"
# Without such a variable a process that calls before the others are started seems to be the only one.
options=(--processes many)
launched "$out/launch" OTHER_SIZE RANK
try 3 "$out/launch" OTHER_SIZE RANK "$client" never_joins 3
reports "^    rank 0  waits in ncclCommInitRank\(\) +$join\$"
reports '^  why   2 of 3 ranks joined comm1 with ncclCommInitRank, rank 1 did not$'

options=()

# ---- Python ----

if command -v python3 >/dev/null; then
    skipped=$(grep -n '# line: skipped' tests/exec/many.py | cut -d : -f 1)
    broadcast=$(grep -n '# line: broadcast' tests/exec/many.py | cut -d : -f 1)
    try 0 "${sanitized[@]}" python3 tests/exec/many.py 3
    silent
    for r in 0 1 2; do
        says "^rank $r of 3: ok\$"
    done
    try 3 "${sanitized[@]}" python3 tests/exec/many.py 3 skip
    reports "^    rank 1  call 2 is Broadcast float32 x 8 root 0 +tests/exec/many\.py:$broadcast\$"
    reports '^  why   rank 1 left out one call on comm1'
    # Graphs: captured and launched in each process.
    captured=$(grep -n '# line: captured' tests/exec/many.py | cut -d : -f 1)
    try 0 "${sanitized[@]}" python3 tests/exec/many.py 3 graph
    silent
    try 3 "${sanitized[@]}" python3 tests/exec/many.py 3 less
    reports "^    rank 0  call 2 is AllReduce float32 x 8 sum +tests/exec/many\.py:$captured\$"
    reports '^  why   rank 1 left out one call on comm1.*is in a graph that tests/exec/many\.py:[0-9]+ launches$'
else
    echo "without python3, multiprocessing is not tried"
fi
broadcast=$(line broadcast)

# ---- MPI ----

has_mpi=false
for mpirun in mpirun.openmpi mpirun.mpich mpirun; do
    command -v $mpirun >/dev/null || continue
    [ $mpirun = mpirun ] && $has_mpi && continue
    has_mpi=true
    died="3 4 9 143"
    launched $mpirun -np 3
done
$has_mpi || echo "without mpirun, the launchers of MPI are not tried"

finish "launchers"
