#!/usr/bin/env bash
# doctor --hosts: jobs of 4 processes that this script starts itself, with the variables of a launcher, and jobs under an
# installed launcher. The drop-in libraries stand for real ones.
set -u
program=$(realpath "${NCCLSCRIPT:?the path of the binary}") || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
export XDG_RUNTIME_DIR=$out/run NCCLSCRIPT_GPUS=4
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset NCCLSCRIPT_TOKEN "${!NCCL_@}" "${!CUDA_@}" "${!UCX_@}" "${!FI_@}"
libraries=${program%/*}/lib/ncclscript
doctor=("$program" doctor --hosts --nccl-lib "$libraries/libnccl.so.2" --cudart-lib "$libraries/libcudart.so.13")
failed=0 jobs=0

fail() {
    printf '%s\n' "$1:" "$(head -n 30 "$out"/stdout.* "$out"/stderr.*)"
    failed=1
}

# openmpi N, torchrun N: the variables of process N.
openmpi() {
    launched=(OMPI_COMM_WORLD_RANK="$1" OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK="$1" OMPI_COMM_WORLD_LOCAL_SIZE=4
              OMPI_MCA_ess_base_jobid="$$.$jobs")
}
torchrun() {
    launched=(RANK="$1" WORLD_SIZE=4 LOCAL_RANK="$1" LOCAL_WORLD_SIZE=4 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500
              TORCHELASTIC_RUN_ID="$$.$jobs")
}

# job LAUNCHER [VARIABLE=VALUE...] [-- OPTION...]: process 3 has the variables; the options are for all.
job() {
    local launcher=$1 variables=() n
    shift
    while (($#)) && [ "$1" != -- ]; do variables+=("$1"); shift; done
    shift $(($# > 0))
    jobs=$((jobs + 1))
    rm -f "$out"/std* "$out"/status.*
    for n in 3 1 0 2; do
        $launcher $n
        [ $n = 3 ] && launched+=("${variables[@]}")
        { timeout 100 env "${launched[@]}" "${doctor[@]}" "$@" >"$out/stdout.$n" 2>"$out/stderr.$n"; echo $? >"$out/status.$n"; } &
    done
    wait
}

# ends STATUS: all four have it, and only process 0 has printed a report.
ends() {
    local n
    for n in 0 1 2 3; do
        [ "$(cat "$out/status.$n")" = "$1" ] || fail "$2: process $n has ended with $(cat "$out/status.$n"), not $1"
        [ $n = 0 ] || [ ! -s "$out/stdout.$n" ] || fail "$2: process $n has printed"
    done
    ! grep -q 'Sanitizer:' "$out"/stderr.* || fail "$2: a sanitizer has found something"
    [ -z "$(ls "$XDG_RUNTIME_DIR")" ] || fail "$2: $(ls "$XDG_RUNTIME_DIR") is left"
}

has() {
    grep -qxe "$1" "$out/stdout.0" || fail "no line $1"
}

for launcher in openmpi torchrun; do
    job $launcher
    ends 0 "$launcher, equal"
    has 'processes   4 on 1 host: .* (0..3)'
    has 'NCCL        2.32.3 on all'
    has 'GPUs        4 x .* on all'
    has 'in all      nothing differs that matters'
    has 'real runs   possible: scenarios of up to 4 ranks; .*'

    job $launcher NCCL_ALGO=Tree NCCL_NSOCKS_PERTHREAD=2 CUDA_VISIBLE_DEVICES=1 NCCLSCRIPT_NCCL_VERSION=2.28.9
    ends 1 "$launcher, one differs"
    has "must agree  NCCL's version: 2.32.3 in processes 0, 1, 2; 2.28.9 in process 3"
    has 'must agree  NCCL_ALGO: not set in processes 0, 1, 2; Tree in process 3'
    has 'differs     NCCL_NSOCKS_PERTHREAD: not set in processes 0, 1, 2; 2 in process 3'
    has 'may differ  CUDA_VISIBLE_DEVICES: not set in processes 0, 1, 2; 1 in process 3'
done

# A process with more variables than a message holds.
job torchrun NCCL_LONG_A="$(printf '%0100000d' 0)" NCCL_LONG_B="$(printf '%0100000d' 0)"
ends 1 "long variables"
has 'note        too large to be compared: some variables of process 3'
grep -q '^differs     NCCL_LONG_[AB]:$' "$out/stdout.0" || fail "long variables"
[ "$(wc -L <"$out/stdout.0")" -lt 400 ] || fail "a long line"

job openmpi CUDA_VISIBLE_DEVICES=
ends 1 "no GPU in one"
has 'real runs   not possible: process 3: no GPU.*'

job openmpi -- --nccl-lib nowhere/libnccl.so.2
ends 1 "no NCCL"
has 'real runs   not possible: all processes: --nccl-lib: no file .nowhere/libnccl.so.2.'

job torchrun NCCL_PROTO=LL -- --format json
ends 1 "JSON"
if command -v jq >/dev/null; then
    [ "$(jq -c '[.schema, .processes, .differences[0].key, .differences[0].severity, .real_runs, .gpus, .exit]' "$out/stdout.0")" = \
      '["ncclscript.doctor-hosts/1",4,"NCCL_PROTO","must-agree",true,4,1]' ] || fail "JSON"
fi

job openmpi -- --rendezvous nowhere
ends 2 "a wrong address"

# Two hosts: names of their own, on one network.
hosts() {
    local n node
    rm -f "$out"/std* "$out"/status.*
    jobs=$((jobs + 1))
    for n in 3 1 0 2; do
        node=node$((n / 2 + 1))
        openmpi $n
        launched+=(OMPI_COMM_WORLD_LOCAL_RANK=$((n % 2)) OMPI_COMM_WORLD_LOCAL_SIZE=2 CUDA_VISIBLE_DEVICES=$((n % 2)))
        [ $node = node1 ] && launched+=(NCCL_SOCKET_IFNAME=lo NCCLSCRIPT_NCCL_VERSION=2.29.7)
        { timeout 100 env "${launched[@]}" unshare -u sh -c "hostname $node; exec \"\$@\"" sh "${doctor[@]}" "$@" \
              >"$out/stdout.$n" 2>"$out/stderr.$n"; echo $? >"$out/status.$n"; } &
    done
    wait
}
if unshare -u true 2>/dev/null && command -v hostname >/dev/null; then
    hosts --rendezvous "127.0.0.1:$((10000 + (RANDOM + $$) % 10000))"
    ends 1 "two hosts"
    has 'processes   4 on 2 hosts: node1 (0, 1), node2 (2, 3)'
    has 'NCCL        2.29.7 on node1; 2.32.3 on node2'
    has 'differs     NCCL_SOCKET_IFNAME: lo on node1; not set on node2'
    has 'may differ  CUDA_VISIBLE_DEVICES: 0 in processes 0, 2; 1 in processes 1, 3'
    has 'in all      2 differences, 1 of them in what must agree'
    has 'real runs   possible once what must agree agrees: scenarios of up to 4 ranks'
else
    echo "skipped: two hosts need the right to name hosts (root)"
fi

# What PMIx's library keeps is not ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
tried=false
for mpirun in mpirun.openmpi mpirun.mpich mpirun; do
    command -v $mpirun >/dev/null || continue
    [ $mpirun = mpirun ] && $tried && continue
    tried=true
    more=()
    $mpirun --version 2>&1 | grep -qE 'Open MPI|OpenRTE|PRRTE' && more=(--allow-run-as-root --oversubscribe)
    for n in 1 2 3; do : >"$out/stdout.$n"; done
    timeout 100 $mpirun "${more[@]}" -np 4 "${doctor[@]}" >"$out/stdout.0" 2>"$out/stderr.0" || fail "$mpirun: exit status $?"
    has 'processes   4 on 1 host: .* (0..3)'
    [ "$(grep -c '^processes' "$out/stdout.0")" = 1 ] || fail "$mpirun: several reports"
    jobs=$((jobs + 1))
done
$tried || echo "skipped: without mpirun, the launchers of MPI are not tried"

((failed)) || echo "doctor --hosts: $jobs jobs"
exit $failed
