#!/usr/bin/env bash
# phantoms.bash RANKS FILE...: prints the lines of reports that name a rank which a job of RANKS ranks lacks. *.json are reports in JSON,
# one to a line; all others are read as text, pages too. Text that users wrote is left out: what stands in quotes, what the
# program printed, lines of source code.
ranks=$1
shift

sentences() { # each number behind the word rank or ranks, and the numbers of its list: "ranks 0, 2-5", "ranks 0..3"
    awk -v ranks="$ranks" -v file="$1" '
    function see(number) { if (number + 0 >= ranks || number + 0 < 0) bad = 1 }
    {
        line = $0
        bad = 0
        if (line ~ /^( +code|        [^ ]+) .* \| /) sub(/ \| .*/, "", line)
        while (match(line, /(^|[^A-Za-z_])[Rr]anks? -?[0-9]+((-|\.\.)[0-9]+)?(, [0-9]+((-|\.\.)[0-9]+)?|( and | or )[0-9]+((-|\.\.)[0-9]+)?)*/)) {
            list = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            single = list ~ /[Rr]ank /
            sub(/^.?[Rr]anks? /, "", list)
            if (line ~ /^ others?/) sub(/ and [0-9]+$/, "", list) # "and 9 others"
            if (list ~ /^-/) bad = 1
            count = split(list, number, /, | and | or |\.\.|-/)
            for (i = 1; i <= (single ? 1 : count); i++) see(number[i])
        }
        if (bad) print file ": " $0
    }'
}

# Strings that are sentences, and fields whose numbers are ranks. `ranks` beside `verdict` is a number of ranks.
fields='["rank", "ranks", "for", "blocked", "bystanders", "waiting", "comm_rank"]'
numbers='def of_rank: . as $all | paths(type == "number") as $p |
    select(any($p[]; . as $key | $fields | index($key)) and ($p | length > 1) and ($p | any(. == "output" or . == "code") | not)) |
    ($all | getpath($p)) | select(. >= $ranks or . < 0) | "\($p | map(tostring) | join(".")) is \(.)"; of_rank'
for file; do
    case $file in
    *.json)
        jq -r 'del(.output, .code?) | .. | strings' "$file" | sed 's/"[^"]*"//g' | sentences "$file"
        jq -r --argjson ranks "$ranks" --argjson fields "$fields" "$numbers" "$file" | sed "s|^|$file: |" ;;
    *.html) # data of the page are JSON, with sentences in quotes
        sed -E 's/<pre[^>]*>.*<\/pre>//g; s/\\"[^"]*\\"//g' "$file" | sentences "$file"
        grep -oE '"ranks":\[-?[0-9]+,-?[0-9]+\]' "$file" | sort -u | awk -v ranks="$ranks" -v file="$file" -F '[][,]' \
            '$2 < 0 || $3 >= ranks { print file ": " $0 }' ;;
    *) sed 's/"[^"]*"//g' "$file" | sentences "$file" ;;
    esac
done
exit 0
