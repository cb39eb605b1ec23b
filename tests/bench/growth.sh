#!/usr/bin/env bash
# How the cost of a run grows with its size, in instructions: fails if a run of four times the size costs more than
# about four times as many. If the cost of a step grew with the size, too, it would be up to sixteen times.
set -u
. "$(dirname "$0")/count.bash"

# grows NAME LESS MORE [FUNCTION]: arguments of both runs; MORE is four times as large. FUNCTION: only what it costs counts.
grows() {
    local less more within=${4:+--toggle-collect=$4}
    less=$(count ${command:-run} $2) && more=$(count ${command:-run} $3) && [[ $less && $more ]] || { failed=1; return; }
    printf '%-52s %3d.%02d times as many instructions\n' "$1" $((more / less)) $((100 * more / less % 100))
    ((10 * more <= 44 * less)) || failed=1
}

held=$here/held.lua
grows "allocations that 8 ranks hold at once" "--set n=400 $held" "--set n=1600 $held"
grows "streams of 8 ranks" "--set n=50 $here/streams.lua" "--set n=200 $here/streams.lua"
grows "a message of each rank in one group, the journal" "-n 96 $here/grouped.lua" "-n 384 $here/grouped.lua" ncs_journal_leave
grows "an all-to-all of all ranks" "-n 32 $here/all_to_all.lua" "-n 128 $here/all_to_all.lua"

# Logs of jobs with many ranks: each names some of them, and the diagnosis has a row for all.
horovod() { # FILE RANKS TENSORS: every seventh rank lacks a tensor
    { echo "WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for \
remainder of ranks for more than 60 seconds."
    echo "Stalled ops:"
    for ((i = 0; i < $3; i++)); do echo "grad$i [missing ranks: $(seq -s ', ' $i 7 $(($2 - 1)))]"; done; } >"$work/$1"
}
horovod few.log 300 2 && horovod many.log 1200 2
{ head -2 "$work/few.log" && echo "grad [ready ranks: 0, 1, 1999]"; } >"$work/ready.log"
{ head -2 "$work/few.log" && echo "grad [ready ranks: 0, 1, 7999]"; } >"$work/ready4.log"
command=diagnose status=3
grows "ranks that lack a tensor of Horovod, the diagnosis" "$work/few.log" "$work/many.log" ncs_sibling_comm
grows "ranks that have a tensor of Horovod, the diagnosis" "$work/ready.log" "$work/ready4.log" ncs_diagnose
command=run
echo 'scenario { ranks = 8 }
local x = cuda.buffer("float32", 8)
if rank > 0 and rank < 8 then world:recv(x, rank - 1) end
if rank < 7 and rank ~= 4 then world:send(x, rank + 1) end
stream:sync()' >"$work/pipe.lua"
grows "ranks beside a pipeline of 8, their roles" "-n 100 $work/pipe.lua" "-n 400 $work/pipe.lua" ncs_roles_read
exit $failed
