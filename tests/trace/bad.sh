#!/usr/bin/env bash
# Files that are none, cut off, or made to harm: refused with the place and with what was expected.
set -u
shopt -s lastpipe # what reads from a pipe counts here
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
ran=0 failed=0

# bad NAME TEXT: the contents of the file from standard input; TEXT is in the first line of what is said.
bad() {
    local status first
    cat >"$1"
    timeout 60 "$program" diagnose "$1" >out 2>err </dev/null
    status=$?
    first=$(head -n 1 err)
    ran=$((ran + 1))
    if [ "$status" != 2 ] || [ -s out ] || [[ $first != "$1"*"error: "*"$2"* ]]; then
        printf '%s: exit status %s, expected 2 and: %s\n  got %s\n' "$1" "$status" "$2" "$first"
        failed=$((failed + 1))
    fi
}

repeat() { # TEXT COUNT
    printf "%0$2d" 0 | sed "s/0/$1/g"
}

# Parts of a dump: opcodes after PROTO 2, in octal and hexadecimal escapes.
pickle() {
    printf '\200\002'
    printf "$1"
}

# ---- neither ----
bad empty 'the file is empty' </dev/null
printf 'hello\n' | bad text 'nothing in the file is of a kind that diagnose reads'
printf '\377\376\000\000garbage' | bad bytes_7 'nothing in the file is of a kind that diagnose reads'
head -c 65536 /dev/zero | bad zeros 'nothing in the file is of a kind that diagnose reads'

# ---- JSON ----
printf '{"version": "2.10", "entries": [' | bad cut_0.json 'no JSON: '
printf '{}' | bad nothing_0.json 'no Flight Recorder dump'
printf '{"entries": {}}' | bad list_0.json '`entries`: a list is expected'
printf '{"entries": [7]}' | bad entry_0.json 'entries[0].: an object is expected'
printf '{"entries": [{"profiling_name": 7}]}' | bad name_0.json 'entries[0].profiling_name: a text'
printf '{"entries": [{"profiling_name": "nccl:all_reduce", "process_group": 0}]}' |
    bad group_0.json 'entries[0].process_group: a list'
printf '{"pg_config": {"0": 5}, "entries": []}' | bad config_0.json 'pg_config.0: `name`, `desc` and `ranks`'
printf '{"pg_config": {"0": {"name": "0", "ranks": "[1, 2]"}}, "entries": [{"profiling_name": "nccl:all_reduce", "process_group": ["0", "x"]}]}' |
    bad stranger_7.json 'a group that the rank of this file is in'
printf '{"pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": [{"profiling_name": "nccl:send 0->9", "process_group": ["0", "x"]}]}' |
    bad peer_0.json 'a peer that is in the group'
printf '{"pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": [{"profiling_name": "nccl:send 1->0", "process_group": ["0", "x"]}]}' |
    bad other_0.json 'the rank of this file before the arrow'
printf '{"pg_config": {"0": {"name": "0", "ranks": "[0, 1]"}}, "entries": [{"profiling_name": "nccl:send", "process_group": ["0", "x"]}]}' |
    bad arrow_0.json '`nccl:send 1->2`'
printf '{"pg_config": {"0": {"name": "0", "ranks": "[0, 99999999999]"}}, "entries": []}' |
    bad huge_0.json 'is not one of 0..65535'
printf '{"entries": []}' | bad nameless.json 'the name of this dump does not contain'
printf '{"entries": []}' | bad rank_70000.json 'is not one of 0..65535'
{ repeat '[' 100000; } | sed '1s/^/{"entries": /' | bad deep_0.json 'no JSON: maximum parsing depth reached'

# ---- pickles ----
pickle '' | bad p_end_0 'offset 2: the file ends before opcode STOP'
pickle '}' | bad p_stop_0 'offset 3: the file ends before opcode STOP'
printf '\200\006.' | bad p_protocol_0 'offset 0, opcode PROTO: a pickle of another protocol than 2 to 5'
pickle 'cos\nsystem\n' | bad p_global_0 'offset 2, opcode GLOBAL: refused'
pickle '}R.' | bad p_reduce_0 'offset 3, opcode REDUCE: refused'
pickle '}\201.' | bad p_newobj_0 'opcode NEWOBJ: refused'
pickle '}b.' | bad p_build_0 'opcode BUILD: refused'
pickle '(ios\nsystem\n' | bad p_inst_0 'opcode INST: refused'
pickle 'Pname\n.' | bad p_persid_0 'opcode PERSID: refused'
pickle '\223.' | bad p_stack_global_0 'opcode STACK_GLOBAL: refused'
pickle '\202\001.' | bad p_ext_0 'opcode EXT1: refused'
pickle 'Z' | bad p_none_0 'offset 2: byte 0x5a is no opcode of a pickle'
pickle 'X\377\377\377\377abc' | bad p_length_0 'opcode BINUNICODE: the file ends within it'
pickle '\212\377' | bad p_long_0 'opcode LONG1: a number of more than 8 bytes'
pickle 'K' | bad p_short_0 'opcode BININT1: the file ends within it'
pickle '.' | bad p_nothing_0 'opcode STOP: the stack must hold exactly one value'
pickle '}}.' | bad p_two_0 'opcode STOP: the stack must hold exactly one value'
pickle 'u' | bad p_mark_0 'opcode SETITEMS: there is no mark'
pickle 'a' | bad p_append_0 'opcode APPEND: the stack has no value for it'
pickle '}K\001a' | bad p_no_list_0 'opcode APPEND: it adds to a value that is no list'
pickle ']K\001K\002s' | bad p_no_dict_0 'opcode SETITEM: it adds to a value that is no dictionary'
pickle '}(K\001u' | bad p_odd_0 'opcode SETITEMS: a key without a value'
pickle '}(NK\001u' | bad p_key_0 'a key that is neither a text nor a whole number'
pickle 'h\007' | bad p_get_0 'opcode BINGET: no value was stored'
pickle ']q\001h\001a.' | bad p_ring_0 'a value that contains itself'
pickle ']q\001]q\002ah\002h\001a0.' | bad p_pop_0 'opcode POP: refused'
pickle ']q\001]q\002h\001aa.' | bad p_later_ring_0 'a value that contains itself'
pickle 'r\377\377\377\377.' | bad p_memo_0 'opcode LONG_BINPUT: the stack has no value for it'
pickle '}r\377\377\377\377.' | bad p_memo_far_0 'the number of the value is too high'
pickle '\225\377\377\377\377\000\000\000\000.' | bad p_frame_0 'opcode FRAME: the file ends within it'
pickle '\205' | bad p_tuple_0 'opcode TUPLE1: the stack has no value for it'
{ pickle ''; repeat ']' 200; repeat a 199; printf '.'; } | bad p_deep_0 'too many lists within lists'
{ pickle ''; head -c 5000000 /dev/zero | tr '\0' ']'; } | bad p_many_0 'the file ends before opcode STOP'
pickle ']' | head -c 3 | cat - <(printf '.') | bad p_list_0 'no Flight Recorder dump'
pickle '}(X\007\000\000\000entries](Nee' | bad p_inner_0 'no list'

# ---- logs ----
printf 'n:1:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 8 datatype 7 op 0 root 0 comm 0x5 [nranks=2] stream 0x6\n' |
    bad unbound.log '1 calls, but no line says which rank'
for i in $(seq 1 70000); do
    echo "n:1:1 [0] NCCL INFO ncclCommInitRank comm 0x$i rank 0 nranks 2 cudaDev 0 busId 1 commId 0x$i - Init COMPLETE"
done | bad comms.log 'more communicators than can be held'

# ---- several ----
mkdir both none hollow
printf '{"entries": []}' >both/a_0.json
printf 'n:1:1 [0] NCCL INFO NCCL version 2.28.9\n' >both/b.log
printf 'hello\n' >none/a.txt
for case in 'none:no file of the folder is a recording, a dump' 'hollow:the folder is empty: recordings, dumps' \
    'absent:cannot be opened'; do
    timeout 60 "$program" diagnose "${case%%:*}" >out 2>err
    status=$?
    ran=$((ran + 1))
    [ "$status" = 2 ] && grep -qF "${case#*:}" err || { echo "$case: $status $(head -n 1 err)"; failed=$((failed + 1)); }
done
"$program" diagnose both/a_0.json both/a_0.json >out 2>err
status=$?
ran=$((ran + 1))
[ "$status" = 2 ] && grep -qF 'a second dump of rank 0' err || { echo "twice: $(cat err)"; failed=$((failed + 1)); }

# Lines that are cut or spoilt are counted, and the rest is read.
{
    for r in 0 1; do
        echo "n:$r:1 [0] NCCL INFO ncclCommInitRank comm 0x5 rank $r nranks 2 cudaDev 0 busId 1 commId 0x7 - Init COMPLETE"
    done
    echo 'n:0:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff'
    echo 'n:0:1 [0] NCCL WARN a link went down'
    echo 'n:0:1 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 18446744073709551615 datatype 77 op -3 root -1 comm 0x5 [nranks=2] stream (nil)'
} >spoilt.log
"$program" diagnose spoilt.log >out 2>err
status=$?
ran=$((ran + 1))
[ "$status" = 3 ] && grep -q '1 line of NCCL.s is not understood, the first is spoilt.log:3' out &&
    grep -q 'NCCL warned 1 time, first at spoilt.log:4: a link went down' out ||
    { echo "spoilt: $status"; cat out err; failed=$((failed + 1)); }

echo "$ran files, $failed failures"
[ "$failed" = 0 ] && [ "$ran" -gt 45 ]
