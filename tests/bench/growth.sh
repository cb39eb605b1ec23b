#!/usr/bin/env bash
# How the cost of a run grows with its size, in instructions: fails if a run of four times the size costs more than
# about four times as many. If the cost of a step grew with the size, too, it would be up to sixteen times.
set -u
. "$(dirname "$0")/count.bash"

# grows NAME LESS MORE [FUNCTION]: arguments of both runs; MORE is four times as large. FUNCTION: only what it costs counts.
grows() {
    local less more within=${4:+--toggle-collect=$4}
    less=$(count run $2) && more=$(count run $3) && [[ $less && $more ]] || { failed=1; return; }
    printf '%-52s %3d.%02d times as many instructions\n' "$1" $((more / less)) $((100 * more / less % 100))
    ((10 * more <= 44 * less)) || failed=1
}

held=$here/held.lua
grows "allocations that 8 ranks hold at once" "--set n=400 $held" "--set n=1600 $held"
grows "streams of 8 ranks" "--set n=50 $here/streams.lua" "--set n=200 $here/streams.lua"
grows "a message of each rank in one group, the journal" "-n 96 $here/grouped.lua" "-n 384 $here/grouped.lua" ncs_journal_leave
grows "an all-to-all of all ranks" "-n 32 $here/all_to_all.lua" "-n 128 $here/all_to_all.lua"
exit $failed
