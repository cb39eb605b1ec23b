# Prints the rows of judge.jq as a table, and sums for each door. Fails if a sum is worse than its line in `file`: of the kind `bars`.
BEGIN {
    FS = "\t"
    while ((getline line < file) > 0) {
        split(line, bar, " ")
        if (bar[1] == bars)
            for (i = 3; i <= 8; i++) want[bar[2], i - 2] = bar[i]
    }
    printf "%-19s %-8s %-14s %-8s %-16s %-22s %-10s %s\n", "door", "start", "bug", "verdict", "culprits", "class", "certainty", "wrong"
}
{
    wrong = ($8 ? "" : " verdict") ($9 ? "" : " culprit") ($10 ? "" : " class") ($11 ? " CERTAIN" : "") ($12 ? " PASS" : "") \
        ($13 ? " PHANTOMS(" $13 ")" : "")
    printf "%-19s %-8s %-14s %-8s %-16s %-22s %-10s%s\n", $1, $2, $3, $4, $5, $6, $7, wrong
    if ($3 == "none" && ($4 != "pass" || $6 != "-")) accused = accused " " $1 "/" $2
    if (!($1 in count)) order[++doors] = $1
    count[$1]++
    for (i = 1; i <= 3; i++) sum[$1, i] += $(7 + i)
    sum[$1, 4] += $11
    sum[$1, 5] += $12
    sum[$1, 6] += $13 > 0
}
END {
    split("verdict culprit class certain-and-wrong PASS-for-a-hang with-phantoms", name, " ")
    printf "\n%-19s %5s %8s %8s %8s %18s %16s %14s\n", "door", "runs", name[1], name[2], name[3], name[4], name[5], name[6]
    for (d = 1; d <= doors; d++) {
        door = order[d]
        printf "%-19s %5d %8d %8d %8d %18d %16d %14d\n", door, count[door], sum[door, 1], sum[door, 2], sum[door, 3],
            sum[door, 4], sum[door, 5], sum[door, 6]
        if (bars == "none") continue
        if (!((door, 1) in want)) { print "FAIL " door " has no line in " file; failed = 1; continue }
        for (i = 1; i <= 6; i++)
            if (i <= 3 ? sum[door, i] < want[door, i] : sum[door, i] > want[door, i]) {
                print "FAIL " door ": " name[i] " " sum[door, i] ", not " want[door, i]
                failed = 1
            }
    }
    if (accused) { print "FAIL the program without a mistake is accused:" accused; failed = 1 }
    if (!doors) { print "FAIL no rows"; failed = 1 }
    exit failed
}
