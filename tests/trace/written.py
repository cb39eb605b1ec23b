#!/usr/bin/env python3
"""Dumps that `run --dump` writes, read again by `diagnose`: verdict, class and culprits are held against those of the
run. Prints a table for each format. With `all` every case of the gallery takes part, otherwise a few of them; with -v
each case that comes back otherwise has a line. The status is 1 where fewer are the same than before.
"""
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.realpath(os.environ["NCCLSCRIPT"])
FORMATS = ("fr", "fr-json", "ras", "log", "calls")
# Classes that a format can show: a dump has no operators and roots, a log no ends of calls, RAS only the numbers of calls
# of each kind; none has memory, values and what the host waits for.
CALLS = {"comm-order", "count-mismatch", "dtype-mismatch", "extra-call", "kind-mismatch", "skipped-call",
         "swapped-calls", "wrong-comm", "recv-without-send", "send-without-recv", "wrong-peer", "p2p-cycle",
         "p2p-count-mismatch", "message-order"}
SHOWN = {"fr": CALLS, "fr-json": CALLS, "log": CALLS | {"root-mismatch"}, "calls": CALLS | {"root-mismatch"},
         "ras": {"skipped-call", "extra-call", "kind-mismatch", "wrong-comm"}}
# Runs that a format cannot show although it can show the class: calls that no format has (ncclCommSplit,
# ncclCommShrink, windows); in a log the room on a device; in lines of CALL a group that has not ended, since NCCL
# writes the line of ncclGroupEnd when it returns.
HIDDEN = {"fr": ("shrink_missing", "split_missing", "window_missing")}
HIDDEN["fr-json"] = HIDDEN["ras"] = HIDDEN["fr"]
HIDDEN["log"] = HIDDEN["fr"] + ("lanes",)
HIDDEN["calls"] = HIDDEN["log"] + ("skip_connection",)
FEW = ("participants/skipped_call", "participants/extra_call", "arguments/count_mismatch", "arguments/kind_mismatch",
       "communicators/comm_order", "p2p/p2p_count", "order/")
LEAST = {"fr": 11, "fr-json": 11, "ras": 2, "log": 11, "calls": 11} # of FEW; to be raised, never lowered
KINDS = ("the same", "same ranks", "other ranks", "nothing")


def first(report):
    return ([f for f in report["findings"] if f["level"] == "error"] or [None])[0]


def ranks_of(finding):
    return sorted({c["rank"] for c in finding["culprits"]}) if finding else []


def name_of(report):
    text = [str(v).lower() if isinstance(v, bool) else str(v) for v in report["case"].values()]
    return report["scenario"] + ("[%s]" % ",".join(map("=".join, zip(report["case"], text))) if text else "")


def run(*args):
    done = subprocess.run([PROGRAM, "run", *args], cwd=TOP, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def kind_of(run_report, dump_report):
    found, again = first(run_report), first(dump_report)
    if not again:
        return KINDS[3]
    if ranks_of(found) != ranks_of(again):
        return KINDS[2]
    same = found["rule"] == again["rule"] and run_report["verdict"] == dump_report["verdict"]
    return KINDS[0] if same else KINDS[1]


def main():
    files = sorted(glob.glob(os.path.join(TOP, "scenarios/bugs/*/*.lua")))
    whole = "all" in sys.argv
    if not whole:
        files = [f for f in files if any(w in f for w in FEW)]
    table = {f: collections.Counter() for f in FORMATS}
    seen = collections.Counter()
    failures = []
    with tempfile.TemporaryDirectory() as work:
        for report in run("--format", "json", *[os.path.relpath(f, TOP) for f in files]):
            found = first(report)
            if report["verdict"] != "hang" or not found or seen[report["scenario"]] == (3 if whole else 1):
                continue
            formats = [f for f in FORMATS if found["rule"] in SHOWN[f] and
                       not any(h in report["scenario"] for h in HIDDEN[f])]
            if not formats or not found["culprits"]:
                continue
            seen[report["scenario"]] += 1
            out = tempfile.mkdtemp(dir=work)
            dumps = [w for f in formats for w in ("--dump", f, os.path.join(out, f))]
            run("-q", *dumps, name_of(report))
            for f in formats:
                done = subprocess.run([PROGRAM, "diagnose", "--format", "json", os.path.join(out, f)],
                                      capture_output=True, text=True, check=False)
                if not done.stdout:
                    failures.append("%s of %s: %s" % (f, name_of(report), done.stderr.strip()))
                    continue
                again = json.loads(done.stdout)
                kind = kind_of(report, again)
                table[f][kind] += 1
                if kind != KINDS[0] and "-v" in sys.argv:
                    print("%-8s %-12s %s: %s %s, again %s %s" % (
                        f, kind, name_of(report), found["rule"], ranks_of(found), first(again) and first(again)["rule"],
                        ranks_of(first(again))))
    print("%-10s %s" % ("", "  ".join("%11s" % k for k in KINDS)))
    for f in FORMATS:
        print("%-10s %s" % (f, "  ".join("%11d" % table[f][k] for k in KINDS)))
        if not whole and table[f][KINDS[0]] < LEAST[f]:
            failures.append("%s: %d come back the same, at least %d are expected" % (f, table[f][KINDS[0]], LEAST[f]))
    print("\n".join(failures + ["%d failures" % len(failures)]))
    return 1 if failures else 0


sys.exit(main())
