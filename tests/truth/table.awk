# A table of judgements: lines of a name and, separated by tabs, true, false or null (nothing to judge) for each
# figure. Figures are percent of what was judged; `sure` is certain and wrong, percent of all mutants; `whole` is that
# each of several bugs is named.
BEGIN { FS = "\t" }
{
    n[$1]++
    for (i = 2; i <= NF; i++) {
        if ($i != "null") judged[$1, i]++
        if ($i == "true") held[$1, i]++
    }
}
function share(name, i) { return judged[name, i] ? sprintf("%.1f", 100 * held[name, i] / judged[name, i]) : "-" }
END {
    format = "%-20s %8s %8s %8s %8s %8s %8s %8s %8s\n"
    printf format, "", "mutants", "verdict", "culprit", "sure", "class", "repaired", "small", "whole"
    for (name in n)
        printf format, name, n[name], share(name, 2), share(name, 3), share(name, 4), share(name, 5),
               share(name, 6), share(name, 7), share(name, 8) | "sort"
}
