#!/usr/bin/env bash
# The picture of a page in README.md shows what the program writes now: docs/page.txt has the checksum of the picture, and the
# text that it shows.
set -u
unset "${!NCCL_@}"
: "${NCCLSCRIPT:?the path of the binary}"
export LC_ALL=C.UTF-8
failed=0
[[ $(sha256sum <docs/page.png) == "$(head -n 1 docs/page.txt) "* ]] || { echo "docs/page.png is not the picture of docs/page.txt"; failed=1; }
[[ $(wc -l <docs/page.txt) -gt 20 ]] || { echo "docs/page.txt has no text"; failed=1; }
bash docs/picture.sh --text | diff -u <(tail -n +2 docs/page.txt) - || { echo "the picture is of another version: docs/picture.sh makes it again"; failed=1; }
grep -q 'docs/page.png' README.md || { echo "README.md shows no picture"; failed=1; }
exit $failed
