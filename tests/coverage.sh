#!/usr/bin/env bash
# Builds the preset `coverage`, runs tests, and prints which lines and branches of each room of src they execute:
#     tests/coverage.sh -L '^(unit|scenarios|hangs|trace|cli)$'     any options of ctest; without options, all tests
#     tests/coverage.sh --table                                     the table alone, of what has run in build/coverage
# A process that ends by _exit or a signal writes no figures. Needs gcc, gcov and python3. Not a test: it has no bounds.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/coverage

if [ "${1:-}" != --table ]; then
    [ -e $build/build.ninja ] || cmake --preset coverage >/dev/null
    cmake --build --preset coverage
    find $build -name '*.gcda' -delete
    ctest --preset coverage "$@" || echo "some tests failed: the table has what they executed"
fi

# Many objects may be made from one source: what one of them executes is executed.
find $build -name '*.gcno' -not -path "$build/tests/*" -print0 | xargs -0 \
    sh -c 'for notes; do gcov --json-format --stdout --branch-probabilities "$notes" 2>/dev/null; done' sh |
    python3 -c '
import collections, json, os, sys

top = os.getcwd() + "/src/"
lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
for text in sys.stdin:
    try:
        unit = json.loads(text)
    except ValueError:
        sys.exit("gcov wrote what is no JSON: " + text[:100])
    for file in unit["files"]:
        path = os.path.normpath(os.path.join(unit["current_working_directory"], file["file"]))
        if not path.startswith(top) or "/gen/" in path:
            continue
        path = path[len(top):]
        for line in file["lines"]:
            number = line["line_number"]
            lines[path][number] = lines[path].get(number, False) or line["count"] > 0
            for i, branch in enumerate(line["branches"]):
                at = (number, i)
                branches[path][at] = branches[path].get(at, False) or branch["count"] > 0

def rooms_of(facts):
    rooms = collections.defaultdict(lambda: [0, 0])
    for path, all in facts.items():
        for room in (path.split("/")[0], "all"):
            rooms[room][0] += sum(all.values())
            rooms[room][1] += len(all)
    return rooms

def share(counts):
    return "%.1f %% of %d" % (100 * counts[0] / counts[1], counts[1]) if counts[1] else "none"

line_rooms, branch_rooms = rooms_of(lines), rooms_of(branches)
print("| room | lines | branches |\n| --- | --- | --- |")
for room in sorted(line_rooms, key=lambda room: (room == "all", room)):
    print("| %s | %s | %s |" % (room, share(line_rooms[room]), share(branch_rooms[room])))
'
