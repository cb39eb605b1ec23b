#!/usr/bin/env python3
"""Dumps against the truth: each case of workloads/ has one bug, of the rank `odd`. The run's Flight Recorder dumps
are diagnosed, and the ranks that are blamed are held against that one. Prints a table; the status is 1 where fewer
are right than before.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import flight

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workloads")
PROGRAM = os.path.realpath(os.environ["NCCLSCRIPT"])
KINDS = ("rank alone", "among others", "other reading", "not named")
LEAST = {"rank alone": 125, "named": 160} # of all cases; to be raised, never lowered


def errors(report):
    return [f for f in report["findings"] if f["level"] == "error"]


def name_of(report):
    text = [str(v).lower() if isinstance(v, bool) else str(v) for v in report["case"].values()]
    return "%s[%s]" % (report["scenario"], ",".join(map("=".join, zip(report["case"], text))))


def judge(case, finding):
    """Which of KINDS the finding is for the culprit of the case."""
    odd = case["odd"]
    ranks = [c["rank"] for c in finding["culprits"]] if finding else []
    if ranks == [odd]:
        return KINDS[0]
    if odd in ranks:
        return KINDS[1]
    other = (finding or {}).get("otherwise") or ""
    return KINDS[2] if "rank %d " % odd in other else KINDS[3]


def diagnose(name, script, work):
    trace, out = os.path.join(work, "trace.json"), tempfile.mkdtemp(dir=work)
    subprocess.run([PROGRAM, "run", "-q", "--trace", trace, name], cwd=HERE, capture_output=True, check=False)
    flight.write_dumps(trace, script, out)
    done = subprocess.run([PROGRAM, "diagnose", "--format", "json", out], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def main():
    table, failures = collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as work:
        for script in sorted(os.listdir(HERE)):
            runs = subprocess.run([PROGRAM, "run", "--format", "json", script], cwd=HERE, capture_output=True,
                                  text=True, check=False).stdout
            for run in map(json.loads, runs.splitlines()):
                name = name_of(run)
                status, report = diagnose(name, script, work)
                found = errors(report)
                kind = judge(run["case"], found[0] if found else None)
                table[script][kind] += 1
                table["all"][kind] += 1
                table["runs"][judge(run["case"], errors(run)[0] if errors(run) else None)] += 1
                if status != 3 or not found or found[0]["certainty"] == "certain":
                    failures.append("%s: status %d, a finding that is not certain is expected" % (name, status))
                if kind != KINDS[0] and "-v" in sys.argv:
                    print("%-13s %s: %s %s" % (kind, name, found and found[0]["rule"],
                                               found and [c["rank"] for c in found[0]["culprits"]]))
    print("%-14s %s" % ("culprit is", "  ".join("%13s" % k for k in KINDS)))
    for script, row in table.items():
        print("%-14s %s" % (script, "  ".join("%13d" % row[k] for k in KINDS)))
    row = table["all"]
    got = {"rank alone": row[KINDS[0]], "named": sum(row[k] for k in KINDS[:3])}
    failures += ["%s: %d, at least %d are expected" % (k, got[k], LEAST[k]) for k in LEAST if got[k] < LEAST[k]]
    print("\n".join(failures + ["%d cases, %d failures" % (sum(row.values()), len(failures))]))
    return 1 if failures else 0


sys.exit(main())
