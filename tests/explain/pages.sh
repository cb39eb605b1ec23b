#!/bin/bash
# The texts of the pages: only headings that src/report/page_text.c knows, lines that fit a terminal.
cd "$(dirname "$0")/../../src/report" || exit 1
known=$(grep -oE '(LINES|WORDS)\([a-z]+\)|= "[a-z]+"' page_text.c | grep -oE '[a-z]+' | tr '\n' ' ')
[[ $known == *class*what* ]] || { echo "no headings in page_text.c"; exit 1; }
awk -v known=" $known group -- " '
    function complain(what) { print FILENAME ":" FNR ": " what ": " $0; failed = 1 }
    /^@/ && index(known, " " substr($1, 2) " ") == 0 { complain("no such heading") }
    /^@(class|result|error|word|exit|obeyed|variable|family|group) / && !/^@[a-z]+ [^:]+: ./ { complain("no title") }
    length($0) > 110 { complain("too long") }
    /[ \t]$/ { complain("blanks at the end") }
    FNR == 1 && !/^@/ { complain("the file begins without a heading") }
    END { exit failed || NR < 2000 }' pages/*.txt pages/*/*.txt
