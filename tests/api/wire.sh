#!/usr/bin/env bash
# No message between processes has an address in it: no struct of a message has a member that is a pointer, or a union
# that may be one. Counts the structs, so that none is looked for in vain.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1

# Headers in which each struct is a message, and structs of other headers.
headers=(src/driver/far/message.h src/shim/many/wire.h src/team/wire.h src/base/frame.h)
structs=(ncs_carry_request ncs_carry_answer ncs_carry_item)
inside=(ncs_frame) # a message as its reader gets it

awk -v named="${structs[*]}" -v but="${inside[*]}" '
    BEGIN { split(named, n, " "); for (i in n) wanted[n[i]]; split(but, b, " "); for (i in b) left_out[b[i]] }
    /^struct [a-z_]+ \{/ {
        in_it = (FILENAME !~ /api\/carry\.h$/ || $2 in wanted) && !($2 in left_out)
        count += in_it
    }
    in_it {
        line = $0
        gsub(/\/\*.*\*\//, "", line)
        sub(/\/\*.*/, "", line)
        if (line ~ /[*]|union ncs_arg/ && line !~ /^ *[*] / && line !~ /4 \* WIRE_PATH/) {
            print FILENAME ":" FNR ": a message has an address: " $0
            bad++
        }
    }
    /^\}/ { in_it = 0 }
    END {
        print count " structs of messages, " bad + 0 " members are addresses"
        exit bad > 0 || count < 15
    }' src/api/carry.h "${headers[@]}"
