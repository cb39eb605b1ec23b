#!/usr/bin/env python3
"""Dumps against runs. Each case of workloads/ has one bug, of the rank `odd`: the run's Flight Recorder dumps are
diagnosed, and the ranks that are blamed are held against that one. For the bugs of the gallery and of tests/hangs
that a dump can show, what is found is held against what the run has found. Prints tables; the status is 1 where
fewer are right than before. With -v each case that is not as it should be has a line.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

import flight

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.realpath(os.environ["NCCLSCRIPT"])
BLAMED = ("rank alone", "among others", "other reading", "not named")
ALIKE = ("the same", "same ranks", "named", "other ranks", "nothing")
# To be raised, never lowered.
LEAST = {"rank alone": 136, "blamed": 160, "alike": 187}
CASES = 1 if os.environ.get("ASAN_OPTIONS") else 3 # of each file of the gallery; the others go through the same code
# Classes that a dump shows; others need facts that it lacks: roots, operators, hosts, memory, errors.
SHOWN = {"comm-order", "count-mismatch", "dtype-mismatch", "extra-call", "kind-mismatch", "message-order",
         "p2p-count-mismatch", "p2p-cycle", "recv-without-send", "send-without-recv", "skipped-call",
         "swapped-calls", "wrong-comm", "wrong-peer"}


def errors(report):
    return [f for f in report["findings"] if f["level"] == "error"]


def first(report):
    return (errors(report) or [None])[0]


def ranks_of(finding):
    return sorted({c["rank"] for c in finding["culprits"]}) if finding else []


def others_of(finding):
    return {c["rank"] for a in finding.get("alternatives", []) for c in a["culprits"]} if finding else set()


def name_of(report):
    text = [str(v).lower() if isinstance(v, bool) else str(v) for v in report["case"].values()]
    return report["scenario"] + ("[%s]" % ",".join(map("=".join, zip(report["case"], text))) if text else "")


def blame(case, finding):
    """Which of BLAMED the finding is for the culprit of the case."""
    odd, ranks = case["odd"], ranks_of(finding)
    if ranks == [odd]:
        return BLAMED[0]
    if odd in ranks:
        return BLAMED[1]
    return BLAMED[2] if odd in others_of(finding) else BLAMED[3]


def likeness(run, dump):
    """Which of ALIKE what is found in the dump is to what the run has found."""
    if not dump:
        return ALIKE[4]
    if ranks_of(run) == ranks_of(dump):
        return ALIKE[0] if run["rule"] == dump["rule"] else ALIKE[1]
    named = set(ranks_of(dump)) | others_of(dump)
    return ALIKE[2] if set(ranks_of(run)) <= named else ALIKE[3]


def run(*args):
    done = subprocess.run([PROGRAM, "run", *args], cwd=TOP, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def diagnose(name, script, work):
    trace, out = os.path.join(work, "trace.json"), tempfile.mkdtemp(dir=work)
    run("-q", "--trace", trace, name)
    flight.write_dumps(trace, script, out)
    done = subprocess.run([PROGRAM, "diagnose", "--format", "json", out], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


class Table:
    def __init__(self, title, columns):
        self.title, self.columns, self.rows = title, columns, collections.defaultdict(collections.Counter)

    def add(self, row, column, line):
        self.rows[row][column] += 1
        if column != self.columns[0] and "-v" in sys.argv:
            print("%-13s %s" % (column, line))

    def sum(self, *columns):
        return sum(self.rows["all"][c] for c in columns or self.columns)

    def print(self):
        print("%-20s %s" % (self.title, "  ".join("%13s" % c for c in self.columns)))
        for row in sorted(self.rows, key=lambda r: (r == "all", r)):
            print("%-20s %s" % (row, "  ".join("%13d" % self.rows[row][c] for c in self.columns)))


def workloads(work, failures):
    table = Table("culprit is", BLAMED)
    for script in sorted(glob.glob(os.path.join(HERE, "workloads", "*.lua"))):
        for report in run("--format", "json", os.path.relpath(script, TOP)):
            name, row = name_of(report), os.path.basename(script)
            status, dump = diagnose(name, script, work)
            found = first(dump)
            kind = blame(report["case"], found)
            for r in (row, "all"):
                table.add(r, kind, "%s: %s %s" % (name, found and found["rule"], ranks_of(found)))
            table.rows["of the runs"][blame(report["case"], first(report))] += 1
            if status != 3 or not found or found["certainty"] == "certain":
                failures.append("%s: status %d, a finding that is not certain is expected" % (name, status))
    table.print()
    return {"rank alone": table.sum(BLAMED[0]), "blamed": table.sum(*BLAMED[:3])}


def gallery(work, failures):
    table = Table("found in the dump", ALIKE)
    files = sorted(glob.glob(os.path.join(TOP, "scenarios/bugs/*/*.lua")) +
                   glob.glob(os.path.join(TOP, "tests/hangs/cases/*.lua")))
    seen = collections.Counter()
    for report in run("--format", "json", *[os.path.relpath(f, TOP) for f in files]):
        found, name = first(report), name_of(report)
        if report["verdict"] != "hang" or not found or found["rule"] not in SHOWN or not found["culprits"] or \
                seen[report["scenario"]] == CASES:
            continue
        try:
            status, dump = diagnose(name, report["scenario"], work)
        except flight.Unfit:
            continue
        seen[report["scenario"]] += 1
        in_dump = first(dump)
        for row in (found["rule"], "all"):
            table.add(row, likeness(found, in_dump), "%s: %s %s, in the dump %s %s" % (
                name, found["rule"], ranks_of(found), in_dump and in_dump["rule"], ranks_of(in_dump)))
        if in_dump and in_dump["certainty"] == "certain":
            failures.append("%s: certain, of a dump" % name)
    table.print()
    return {"alike": table.sum(*ALIKE[:3])}


def main():
    failures = []
    with tempfile.TemporaryDirectory() as work:
        got = workloads(work, failures)
        got.update(gallery(work, failures))
    failures += ["%s: %d, at least %d are expected" % (k, got[k], LEAST[k]) for k in LEAST
                 if got[k] < LEAST[k] and (CASES == 3 or k != "alike")]
    failures += ["nothing of the gallery is alike"] if not got["alike"] else []
    print("\n".join(failures + ["%d failures" % len(failures)]))
    return 1 if failures else 0


sys.exit(main())
