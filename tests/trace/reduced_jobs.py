#!/usr/bin/env python3
"""Jobs with one bug, of the rank `odd`, in records that show less (reduced.py): lines of the watchdog, counts of RAS, and
dumps of all ranks but one with that rank's lines. The culprit may stay open; no other rank is blamed alone.

usage: reduced_jobs.py FOLDER [-v].
"""
import collections
import glob
import json
import os
import pickle
import shutil
import subprocess
import sys

import flight
import reduced

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
EACH = 4 # of the cases one in four
# To be raised, never lowered: how many records of a kind name the culprit alone.
LEAST = {"watchdog": 25, "ras": 22, "joined": 32}


def run(*args):
    done = subprocess.run([reduced.PROGRAM, "run", *args], cwd=TOP, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def name_of(report):
    text = [str(v).lower() if isinstance(v, bool) else str(v) for v in report["case"].values()]
    return report["scenario"] + "[%s]" % ",".join(map("=".join, zip(report["case"], text)))


def reduce(kind, dumps, out):
    os.makedirs(out)
    found = {}
    for name in glob.glob(dumps + "/*"):
        with open(name, "rb") as f:
            found[int(name.rsplit("_", 1)[1])] = pickle.load(f)
        if kind == "joined" and not name.endswith("_1"):
            shutil.copy(name, out)
    if kind == "ras":
        with open(out + "/ras.json", "w", encoding="utf-8") as f:
            json.dump(reduced.ras(found), f)
        return
    with open(out + "/watchdog.log", "w", encoding="utf-8") as f:
        for rank in sorted(found):
            if kind == "watchdog" or rank == 1:
                f.write("".join(line + "\n" for line in reduced.watchdog_lines(rank, found[rank])))


def main(folder):
    table, failures = collections.Counter(), []
    for script in sorted(glob.glob(os.path.join(HERE, "workloads", "*.lua"))):
        for at, report in enumerate(run("--format", "json", os.path.relpath(script, TOP))[::EACH]):
            name, odd = name_of(report), report["case"]["odd"]
            work = os.path.join(folder, "%s.%d" % (os.path.basename(script), at))
            os.makedirs(work)
            run("-q", "--trace", work + "/trace.json", name)
            flight.write_dumps(work + "/trace.json", script, work + "/dumps")
            for kind in LEAST:
                reduce(kind, work + "/dumps", work + "/" + kind)
                _, first, ranks, others = reduced.diagnose(work + "/" + kind)
                blamed = "none" if not first else "right" if ranks == {odd} else "among others" if odd in ranks else \
                    "other reading" if odd in others or first.get("otherwise") else "wrong"
                table[kind, blamed] += 1
                if "-v" in sys.argv and blamed != "right":
                    print(kind, name, first and first["rule"], sorted(ranks), blamed)
                if blamed == "wrong":
                    failures.append("%s of %s: %s of %s" % (kind, name, first["rule"], sorted(ranks)))
    for key in sorted(table):
        print("%-9s %-14s %d" % (*key, table[key]))
    failures += ["%s: %d right, at least %d are expected" % (k, table[k, "right"], LEAST[k]) for k in LEAST
                 if table[k, "right"] < LEAST[k]]
    print("\n".join(failures + ["%d failures" % len(failures)]))
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
