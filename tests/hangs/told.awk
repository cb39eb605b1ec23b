# Ranks that are blocked and stand in no line of the report. First the text of `run -v`, then the
# lines FILE RANK... of those that are blocked.
function learn(list, parts, ends, n, i, k) {
    n = split(list, parts, ", *")
    for (i = 1; i <= n; i++) {
        if (split(parts[i], ends, "[.][.]") < 2)
            ends[2] = ends[1]
        for (k = ends[1] + 0; k <= ends[2] + 0; k++)
            told[file, k] = 1
    }
}
FNR == NR && /^[A-Z]/ { file = $2; table = 1 }
FNR == NR && /^  waits$/ { table = 0 }
FNR == NR && table && /^    ranks? [0-9]/ {
    sub(/^    ranks? /, "")
    match($0, /^[0-9]+([.][.][0-9]+)?(, [0-9]+([.][.][0-9]+)?)*/)
    learn(substr($0, 1, RLENGTH))
}
FNR != NR {
    for (i = 2; i <= NF; i++)
        if (!(($1, $i) in told))
            print $1 ": rank " $i " is blocked, and no line of the report says where"
}
