# Two lists of judgements of the same programs, the first one with the part and the second without it (see run.sh): a line of
# the table. The worth of the part is the share with it less the share without it.
{ name = $1 " " ++seen[FILENAME, $1] } # a case may be run several times
FNR == NR { cause[name] = $2; for (i = 3; i <= 6; i++) with[name, i] = $i; next }
!(name in cause) { next }
{
    reports++
    changed += $2 != cause[name]
    for (i = 3; i <= 6; i++) {
        if (with[name, i] == "null" || $i == "null")
            continue
        judged[i]++
        held[i] += with[name, i] == "true"
        gained[i] += with[name, i] == "true" && $i == "false"
        lost[i] += with[name, i] == "false" && $i == "true"
    }
}
# With g pairs gained and l lost of n, the difference (g - l) / n has the variance (g + l - (g - l)^2 / n) / n^2.
function worth(i,    g, l, n) {
    n = judged[i]
    g = gained[i]
    l = lost[i]
    return n ? sprintf("%.1f %+.1f +-%.1f", 100 * held[i] / n, 100 * (g - l) / n, 100 * sqrt(g + l - (g - l) ^ 2 / n) / n) : "-"
}
END {
    sure = judged[6] ? sprintf("%d %+d +-%.1f", held[6], gained[6] - lost[6], sqrt(gained[6] + lost[6])) : "-"
    printf "%-28s %-9s %8d %8d  %-16s %-16s %-16s %s\n", part, source, reports, changed, worth(3), worth(4), worth(5), sure
}
