#!/usr/bin/env bash
# The wheel is built from the sources as `pip install .` does, installed into a new environment, and used as people use it: the
# module, the program, exec, record, and pytest's collection of scenarios.
set -u
: "${NCCLSCRIPT:?the path of the binary}"
program=$(realpath "$NCCLSCRIPT") && build=$(dirname "$program") || exit 1
if grep -qaE '__asan_init|__tsan_init' "$program"; then echo "left out: Python is not built with a sanitizer"; exit 77; fi
# Debian's Python has pytest as a package; environments see it.
python=
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c 'import venv, ensurepip, pytest' 2>/dev/null && python=$candidate && break
done
[[ $python ]] || { echo "left out: no python3 with venv and pytest"; exit 77; }
top=$PWD
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH LD_LIBRARY_PATH NCCLSCRIPT_LIBRARY
export CC=${CC:-cc} HOME=$work LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
failed=0
fail() {
    echo "$*"
    failed=$((failed + 1))
}

builder=$(bash tests/python/builder.bash "$work/builder") ||
    { echo "left out: there is no scikit-build-core, and pip reaches no index"; exit 77; }
# The folder of the build is kept: only the first run takes its time. Without optimization that is a third; a cache of the
# compiler has what the usual build compiles, where compiler and depth of the folder are the same (.ci/run).
flags=(-C cmake.define.CMAKE_C_FLAGS_RELEASE=-O0)
[[ ! ${CMAKE_C_COMPILER_LAUNCHER:-} ]] || flags=(-C cmake.build-type=RelWithDebInfo -C "cmake.define.NCCLSCRIPT_WERROR=${NCCLSCRIPT_WERROR:-OFF}")
make_wheel() { # make_wheel FOLDER
    SOURCE_DATE_EPOCH=1700000000 "$builder" -m pip wheel -q --no-deps --no-build-isolation -w "$1" -C build-dir="$(dirname "$build")/wheel" \
        "${flags[@]}" . >"$work/log" 2>&1
}
make_wheel "$work/dist" || { tail -n 30 "$work/log"; echo "no wheel"; exit 1; }
wheel=$(echo "$work"/dist/ncclscript-*.whl)
make_wheel "$work/again" && cmp -s "$wheel" "$work/again/$(basename "$wheel")" || fail "equal builds give different wheels"
version=$("$program" --version | sed -nE '1s/ncclscript //p')
[[ $wheel == */ncclscript-"$version"-py3-none-linux_*.whl ]] || fail "the wheel is $wheel"
"$python" -m venv --system-site-packages "$work/venv" && "$work/venv/bin/pip" install -q --no-index --no-deps "$wheel" ||
    { echo "the wheel cannot be installed"; exit 1; }
cd "$work" || exit 1
"$work/venv/bin/python" - "$version" <<'END' || fail "other metadata"
import sys
from importlib.metadata import metadata, entry_points
m = metadata("ncclscript")
assert m["Version"] == sys.argv[1] and m["Summary"] and m["Requires-Python"] == ">=3.8", dict(m)
assert "It needs no GPU" in (m.get_payload() or m["Description"]), "no long description"
assert "Framework :: Pytest" in m.get_all("Classifier"), m.get_all("Classifier")
END

cat >hang.lua <<'END'
scenario { ranks = 3, params = { count = 8 } }
local x = cuda.buffer("float32", param.count)
print(param.count)
if rank ~= 1 then world:all_reduce(x) end
stream:sync()
END
printf 'scenario { matrix = { ranks = { 2, 3 } } }\nexpect.that(nranks < 3)\n' >cases.lua
printf 'scenario { ranks = 1 }\nwhile true do end\n' >endless.lua
cat >use.py <<END
import os, signal, threading, time
import ncclscript

r = ncclscript.run("$top/scenarios/basics/average.lua")
assert (r.verdict, r.as_expected, r.exit_status) == ("pass", True, 0), r
lines = []
r = ncclscript.run("hang.lua", ranks=4, params={"count": 5}, seed=3, on_output=lines.append)
assert (r.verdict, r.as_expected, r.exit_status) == ("hang", False, 3), r
assert r.findings[0]["rule"] == "skipped-call" and "rank 1" in str(r), r
assert sorted(lines) == ["[%d] 5" % i for i in range(4)], lines
assert ncclscript.cases("cases.lua") == ["ranks=2", "ranks=3"]
assert ncclscript.run("cases.lua", case="ranks=2").verdict == "pass"
assert ncclscript.run("cases.lua", case="ranks=3").verdict == "wrong"
for bad in (lambda: ncclscript.run("nowhere.lua"), lambda: ncclscript.run("cases.lua"),
            lambda: ncclscript.run("cases.lua", case="ranks=9"), lambda: ncclscript.run("hang.lua", policy="lax")):
    try:
        bad()
    except ncclscript.Error as e:
        assert str(e)
    else:
        raise AssertionError("no error")
verdicts = []
threads = [threading.Thread(target=lambda: verdicts.append(ncclscript.run("hang.lua").verdict)) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert verdicts == ["hang"] * 4, verdicts
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    ncclscript.run("endless.lua")
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("no KeyboardInterrupt")
assert ncclscript.run("hang.lua").verdict == "hang"
print("used", ncclscript.version())
END
[[ $("$work/venv/bin/python" use.py) == used* ]] || fail "the module does not work"
[[ $("$work/venv/bin/python" -m ncclscript run hang.lua | grep HANG) == HANG* ]] || fail "python -m ncclscript does not run"
[[ $("$work/venv/bin/ncclscript" exec -- "$build/tests/exec/exec_train" 2>&1 | grep why) == *"rank 2"* ]] ||
    fail "exec does not work from the wheel"

NCCLSCRIPT_QUIET=1 "$work/venv/bin/ncclscript" record -o calls -- true >out 2>&1 || fail "record does not work from the wheel: $(cat out)"

mkdir suite
cp hang.lua suite/hang.scenario.lua
cp cases.lua suite/cases.scenario.lua
cp "$top/scenarios/basics/average.yaml" suite/average.scenario.yaml
printf 'local x = )\n' >suite/broken.scenario.lua
printf 'scenario { needs = { driver = "nccl" } }\nbarrier()\n' >suite/real.scenario.lua
(cd suite && "$work/venv/bin/python" -m pytest -q -p no:cacheprovider) >out 2>&1
[[ $? == 1 ]] || fail "pytest passes"
for words in "3 failed, 2 passed, 1 skipped" "rank 1 made no call on world; ranks 0, 2 made one (line 4)" "unexpected symbol"; do
    grep -q "$words" out || { fail "pytest does not report: $words"; cat out; }
done
echo "$failed failures"
((failed == 0))
