#!/usr/bin/env bash
# Grows the corpora of the fuzz targets: `bash tests/fuzz/grow.bash [-s SECONDS] [-k KEPT] [TARGET...]`, by default all targets with
# 60 s each. It needs clang with libFuzzer. Each target begins with its corpus (corpus/TARGET.tar.xz) and its seeds; what covers
# new code is added, and the whole is minimised by -merge. KEPT bounds a corpus (bytes, uncompressed). Inputs that fail, take longer
# than 60 s or more than 2 GiB are kept in build/fuzz/findings, and make the status 1.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
seconds=60 kept=200000
while getopts s:k: option; do
    case $option in
    s) seconds=$OPTARG ;;
    k) kept=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=build/fuzz corpora=$PWD/tests/fuzz/corpus findings=$PWD/build/fuzz/findings
command -v clang >/dev/null || { echo "there is no clang"; exit 77; }
if [ ! -f $build/build.ninja ]; then
    cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-g1 -DBUILD_TESTING=ON \
        -DNCCLSCRIPT_FUZZ=ON -DCMAKE_C_FLAGS="-O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link \
-fno-sanitize-recover=all" ${CMAKE_C_COMPILER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER="$CMAKE_C_COMPILER_LAUNCHER"} >/dev/null || exit 1
fi
mapfile -t targets < <(ninja -C $build -t targets all | sed -n 's/^fuzz_\([a-z_]*\): .*/\1/p' | sort -u)
[ $# -gt 0 ] && targets=("$@")
cmake --build $build --target "${targets[@]/#/fuzz_}" >/dev/null || exit 1
mkdir -p "$corpora" "$findings"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
limits=(-timeout=60 -rss_limit_mb=2048 -max_len=32768 -verbosity=0 -print_final_stats=1)

# The seeds of a target are the operands of its test.
seeds() { ls $(sed -n "s/^ncs_fuzz_seeds $1 //p" $build/tests/fuzz/seeds.txt); }

executions=0 failures=0
for target in "${targets[@]}"; do
    program=$build/tests/fuzz/fuzz_$target old=$work/old new=$work/new least=$work/least
    rm -rf "$old" "$new" "$least"
    mkdir "$old" "$new" "$least"
    [ -f "$corpora/$target.tar.xz" ] && tar -xJf "$corpora/$target.tar.xz" -C "$old"
    while read -r seed; do
        head -c 32768 "$seed" >"$old/$(sha1sum <"$seed" | cut -c -40)"
    done < <(seeds "$target")
    end=$((SECONDS + seconds)) done=0
    while [ $SECONDS -lt $end ]; do # an input that fails ends the program
        "$program" "${limits[@]}" -max_total_time=$((end - SECONDS)) -artifact_prefix="$findings/$target-" "$new" "$old" \
            >"$work/log" 2>&1 && status=0 || status=$?
        n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
        done=$((done + ${n:-0}))
        [ $status -eq 0 ] && continue
        failures=$((failures + 1))
        cp "$work/log" "$findings/$target-$failures.log"
        grep -aE 'ERROR|SUMMARY|Test unit written|runtime error' "$work/log" | head -5
        [ "${n:-0}" -gt 0 ] || break # it fails at what it begins with
    done
    executions=$((executions + done))
    "$program" -merge=1 -artifact_prefix="$findings/$target-merge-" -timeout=60 -rss_limit_mb=2048 -max_len=32768 "$least" "$old" "$new" >"$work/log" 2>&1 || tail -3 "$work/log"
    # The smallest ones first, as far as there is room.
    (cd "$least" && find . -type f -printf '%s %P\n' | sort -n | awk -v room="$kept" '(used += $1) <= room { print $2 }' | LC_ALL=C sort >"$work/list" &&
        tar --sort=name --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -cf - -T "$work/list" | xz -9e >"$corpora/$target.tar.xz")
    echo "$target: $done executions, $(wc -l <"$work/list") of $(ls "$least" | wc -l) inputs kept, $(stat -c %s "$corpora/$target.tar.xz") bytes"
done
echo "$executions executions, $failures failures, corpora of $(du -cb "$corpora"/*.xz | tail -1 | cut -f 1) bytes"
[ $failures -eq 0 ]
