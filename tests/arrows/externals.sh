#!/bin/bash
# Names that leave a file of the simulator begin with sim_: lists the other externals of its library and fails.
# usage: externals.sh [LIBRARY]
set -u -o pipefail
library=${1:-${NCCLSCRIPT%/*}/libncs_sim.a}
command -v nm >/dev/null || exit 77
names=$(nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u) || exit 2
grep -qx sim_world <<<"$names" || { echo "no symbols of the simulator in $library"; exit 1; }
# ncs_driver_sim: the one table that the room driver names. _...: the compiler's own.
other=$(grep -vE '^(sim_|_)|^ncs_driver_sim$' <<<"$names")
[ -z "$other" ] || { printf 'without the prefix sim_:\n%s\n' "$other"; exit 1; }
echo "$(grep -c '^sim_' <<<"$names") externals begin with sim_"
