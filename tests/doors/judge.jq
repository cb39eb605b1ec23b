# One row of the table: what a report says of a bug, beside what is true. Input: a report. $door, $start, $bug, $ranks; $phantoms: lines
# that name ranks which the job lacks; $want: "verdict culprits classes" of bugs.txt.

# A thread or a process may drive several ranks; device R is that of rank R then.
def member: if $start | IN("threads", "one") and ($door | IN("exec", "exec-record", "record"))
    then (.device // .comm_rank // .rank) else .rank end;
($want | split(" ") | map(split("|"))) as [$verdicts, $culprits, $classes] |
($ranks * 5 / 8 | floor) as $odd | ($odd - $ranks / 2) as $pair | ([$odd, $pair | if . < 0 then . + $ranks / 2 * 2 else . end] | sort) as $both |
([.findings[]? | select(.level == "error")][0] // .findings[0] // null) as $f |
([$f.culprits[]? | member] | unique) as $named |
(any($culprits[]; . as $c | if $c == "odd" then $named == [$odd] elif $c == "odd,pair" then $named == $both
    elif $c == "any" then $named != [] and all($named[]; . >= 0 and . < $ranks)
    elif $c == "all" then $named == [range($ranks)] else $named == [] end)) as $right |
($f.rule // "-" | IN($classes[])) as $class |
(any($verdicts[]; . == "hang") and .verdict == "pass") as $pass |
[$door, $start, $bug, .verdict, ($named | map(tostring) | join(",") | if . == "" then "-" else . end), $f.rule // "-",
 if $f then $f.certainty else .certainty end,
 (.verdict | IN($verdicts[])), $right, $class,
 ($f.level == "error" and $f.certainty == "certain" and ($right and $class | not)), $pass, $phantoms] |
map(if . == true then 1 elif . == false then 0 else . end) | @tsv
