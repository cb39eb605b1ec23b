#!/usr/bin/env bash
# A job of 3 processes on two hosts: networks of their own, each with a name of its own, joined by a cable. Needs root.
set -u
job=${NCCLSCRIPT%/*}/tests/team/team_job
out=$(mktemp -d) || exit 1
a=team$$a b=team$$b
trap 'ip netns del $a 2>/dev/null; ip netns del $b 2>/dev/null; rm -rf "$out"' EXIT
export NCCLSCRIPT_TOKEN=0123456789abcdef
failed=0

network() { # network NAME ADDRESS
    ip -n "$1" addr add "$2/24" dev cable && ip -n "$1" link set cable up && ip -n "$1" link set lo up
}
{
    ip netns add $a && ip netns add $b &&
        ip -n $a link add cable type veth peer name cable netns $b &&
        network $a 10.77.0.1 && network $b 10.77.0.2 && ip netns exec $b unshare -u true
} >"$out/made" 2>&1 || { echo "left out: no networks can be made: $(head -n 1 "$out/made")"; exit 77; }

# job PATIENCE ARGUMENT VARIABLE=VALUE...: process 0 is on the first host, the others on the second. %n is a process's number.
job() {
    local patience=$1 argument=$2 n at pids=()
    shift 2
    for n in 2 1 0; do
        at=$b
        [ $n = 0 ] && at=$a
        timeout 100 env "${@//%n/$n}" \
            ip netns exec $at unshare -u sh -c "hostname host$at; exec \"\$@\"" sh "$job" "$patience" $argument &
        pids+=($!)
    done
    wait "${pids[@]}"
} >"$out/stdout" 2>"$out/stderr"

fail() {
    printf '%s\n' "$*" "$(cat "$out/stdout" "$out/stderr")"
    failed=1
}

meets() {
    job 60 "$@"
    [ "$(sort "$out/stdout" | tr '\n' ' ')" = "ok 0 ok 1 ok 2 " ] || fail "$*"
}

openmpi=(OMPI_COMM_WORLD_RANK=%n OMPI_COMM_WORLD_SIZE=3 OMPI_MCA_ess_base_jobid=1)
meets "" SLURM_PROCID=%n SLURM_STEP_NUM_TASKS=3 SLURM_STEP_NODELIST=10.77.0.1,10.77.0.2 SLURM_JOB_ID=5 SLURM_STEP_ID=0
meets "" RANK=%n WORLD_SIZE=3 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500
meets "" RANK=%n WORLD_SIZE=3 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=1 TORCHELASTIC_USE_AGENT_STORE=True
meets 10.77.0.1:29600 "${openmpi[@]}"

job 2 10.77.0.9:29600 "${openmpi[@]}"
grep -q '^0: processes 1, 2 of 3 have not joined within 2 s' "$out/stdout" || fail "a wrong host: process 0"
for n in 1 2; do
    grep -q "^$n: process 0 (host 10.77.0.9, port 29600) cannot be reached: " "$out/stdout" || fail "a wrong host: process $n"
done
job 2 10.77.0.1:29600 NCCLSCRIPT_TOKEN= "${openmpi[@]}"
for n in 0 1 2; do
    grep -q "^$n: the processes of a job that meet at a port of a network need a secret" "$out/stdout" || fail "no secret: process $n"
done
job 2 "" "${openmpi[@]}"
for n in 0 1 2; do
    grep -q "^$n: Open MPI does not say where process 0 is to be found (--rendezvous HOST:PORT" "$out/stdout" || fail "no way: process $n"
done
exit $failed
