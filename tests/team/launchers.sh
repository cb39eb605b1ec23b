#!/usr/bin/env bash
# A job of 4 processes under the launchers that are installed, and under a shell that sets the variables of others.
set -u
job=${NCCLSCRIPT%/*}/tests/team/team_job
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
# What PMIx's library keeps is not ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export XDG_RUNTIME_DIR=$out/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset NCCLSCRIPT_TOKEN
failed=0 launchers=0

fail() {
    printf '%s\n' "$*" "$(cat "$out/stdout" "$out/stderr")"
    failed=1
}

# meets COMMAND...: all four processes say that all went well, and leave nothing.
meets() {
    "$@" >"$out/stdout" 2>"$out/stderr" || { fail "$*: exit status $?"; return; }
    [ "$(grep '^ok' "$out/stdout" | sort | tr '\n' ' ')" = "ok 0 ok 1 ok 2 ok 3 " ] || fail "$*: not all have met"
    [ -z "$(ls "$XDG_RUNTIME_DIR")" ] || fail "$*: $(ls "$XDG_RUNTIME_DIR") is left"
}

# A port that was free a moment ago.
port() {
    echo $((10000 + (RANDOM + $$) % 10000))
}

# ---- a shell ----

# starts NUMBER... -- VARIABLE=VALUE...: the processes of these numbers. %n in a value is the process's number.
starts() {
    local numbers=() n status=0 pids=()
    while [ "$1" != -- ]; do
        numbers+=("$1")
        shift
    done
    shift
    for n in "${numbers[@]}"; do
        env "${@//%n/$n}" "$job" "${patience:-60}" &
        pids+=($!)
    done
    for n in "${pids[@]}"; do
        wait "$n" || status=1
    done
    return $status
}
export -f starts
export job
shell() {
    timeout 100 bash -c 'starts "$@"' starts "$@"
}

torchrun=(RANK=%n WORLD_SIZE=4 LOCAL_RANK=%n LOCAL_WORLD_SIZE=4 MASTER_ADDR=localhost "MASTER_PORT=$(port)" TORCHELASTIC_RUN_ID=$$)
slurm=(SLURM_PROCID=%n SLURM_STEP_NUM_TASKS=4 SLURM_LOCALID=0 SLURM_NODEID=%n "SLURM_STEP_TASKS_PER_NODE=1(x4)"
    "SLURM_STEP_NODELIST=localhost,node[1-3]" "SLURM_JOB_ID=$$" SLURM_STEP_ID=0)
meets shell 3 1 0 2 -- "${torchrun[@]}"
meets shell 0 1 2 3 -- "${torchrun[@]}" TORCHELASTIC_USE_AGENT_STORE=True
meets shell 3 2 1 0 -- "${torchrun[@]}" LOCAL_WORLD_SIZE=1 LOCAL_RANK=0
meets shell 3 2 1 0 -- "${torchrun[@]}" LOCAL_WORLD_SIZE=1 LOCAL_RANK=0 TORCHELASTIC_USE_AGENT_STORE=True
meets shell 3 0 1 2 -- "${slurm[@]}"
meets shell 0 3 1 2 -- "${slurm[@]}" NCCLSCRIPT_TOKEN=0123456789abcdef
meets shell 0 3 1 2 -- "${torchrun[@]}" LOCAL_WORLD_SIZE=1 LOCAL_RANK=0 NCCLSCRIPT_TOKEN=0123456789abcdef

patience=2 timeout 100 bash -c 'patience=2; starts "$@"' starts 0 1 -- "${torchrun[@]}" >"$out/stdout" 2>"$out/stderr"
for n in 0 1; do
    grep -q "^$n: processes 2, 3 of 4 have not joined within 2 s" "$out/stdout" || fail "two processes are missing: $n does not say so"
done

# ---- launchers ----

for openmpi in mpirun.openmpi mpirun; do
    "$openmpi" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || continue
    launchers=$((launchers + 1))
    run=(timeout 100 "$openmpi" --allow-run-as-root --oversubscribe -np 4)
    meets "${run[@]}" "$job"
    # Without the local numbers only PMIx leads there; without PMIx, the file.
    meets "${run[@]}" env -u OMPI_COMM_WORLD_LOCAL_SIZE "$job"
    meets "${run[@]}" env -u PMIX_RANK "$job"
    meets "${run[@]}" "$job" 60 "localhost:$(port)"
    getent hosts "$(hostname)" >/dev/null &&
        meets "${run[@]}" env NCCLSCRIPT_TOKEN=0123456789abcdef "$job" 60 "$(hostname):$(port)"
    break
done
for mpich in mpirun.mpich mpiexec.hydra; do
    command -v "$mpich" >/dev/null || continue
    launchers=$((launchers + 1))
    meets timeout 100 "$mpich" -np 4 "$job"
    # On one host the file leads there, else PMI.
    meets timeout 100 "$mpich" -np 4 env -u MPI_LOCALNRANKS "$job"
    meets timeout 100 "$mpich" -np 4 sh -c "$job; exit \$?"
    meets timeout 100 "$mpich" -np 4 "$job" 60 "localhost:$(port)"
    break
done

[ "$failed" -eq 0 ] || exit 1
[ "$launchers" -gt 0 ] || { echo "left out: no mpirun is installed"; exit 77; }
echo "$launchers launchers"
