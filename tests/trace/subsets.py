#!/usr/bin/env python3
"""One true line more never makes an answer worse: parts of the logs and dumps of hung jobs, drawn at random. From a part
`diagnose` finds the culprit of the whole, or a hang without a cause, or nothing to read. A pass is a failure, and so is
another culprit that is certain. A part may hide that it is one, so a few name another likely culprit.

usage: subsets.py FOLDER [-v]. FOLDER is what make.lua wrote, with its table. NCCLSCRIPT_SUBSETS parts (400) are drawn, from
NCCLSCRIPT_SEED (1) on; each is drawn from its own number, which a complaint names.
"""
import collections
import concurrent.futures
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import reduced

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
FORMATS = ("fr-json", "calls", "log", "ras")
EVERY = 1 if int(os.environ.get("NCCLSCRIPT_SUBSETS", 400)) > 2000 else 8 # of the runs that are dumped one in so many
# To be lowered, never raised: how many of 1000 parts may name another rank, with a line `or` and without one.
MOST = {"in doubt": 230, "another culprit": 3}


def run(*args):
    done = subprocess.run([reduced.PROGRAM, "run", *args], cwd=TOP, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def name_of(report):
    text = [str(v).lower() if isinstance(v, bool) else str(v) for v in report["case"].values()]
    return report["scenario"] + ("[%s]" % ",".join(map("=".join, zip(report["case"], text))) if text else "")


def jobs_of_cases(folder):
    with open(folder + "/table", encoding="utf-8") as f:
        for line in f:
            name, status = line.split("\t")[:2]
            if status == "3":
                yield os.path.join(folder, name)


def jobs_of_runs(work):
    files = sorted(os.path.relpath(f, TOP) for f in glob.glob(os.path.join(TOP, "scenarios/bugs/*/*.lua")))
    for at, report in enumerate(run("--format", "json", *files[::EVERY])):
        if report["verdict"] != "hang":
            continue
        out = os.path.join(work, "run%d" % at)
        os.mkdir(out)
        run("-q", *[w for f in FORMATS for w in ("--dump", f, os.path.join(out, f))], name_of(report))
        yield from (os.path.join(out, f) for f in FORMATS if os.path.isdir(os.path.join(out, f)))


def watched(path, work):
    """The lines that the watchdogs of the job would write."""
    dumps = reduced.dumps(path)
    try:
        lines = [l for rank, dump in dumps.items() for l in reduced.watchdog_lines(rank, dump)]
    except (KeyError, ValueError, IndexError):
        return None
    if not any("ran for" in l for l in lines):
        return None
    out = tempfile.mkdtemp(dir=work, suffix=".watchdog")
    with open(out + "/watchdog.log", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return out


def jobs_of(folder, work):
    jobs = list(jobs_of_cases(folder)) + list(jobs_of_runs(work))
    jobs += [w for w in (watched(j, work) for j in jobs if j.endswith(("fr_json", "fr-json"))) if w]
    pasted = os.path.join(HERE, "pasted")
    jobs += [r[:-len(".report")] for r in sorted(glob.glob(pasted + "/*.report"))]
    return jobs


def diagnose(path):
    """Status, verdict, ranks of the first error, and whether something else is said to be possible; None = no report."""
    done = subprocess.run([reduced.PROGRAM, "diagnose", "--format", "json", path], capture_output=True, text=True, check=False)
    if not done.stdout:
        return done.returncode, None, set(), False, None
    report = json.loads(done.stdout)
    first = ([f for f in report["findings"] if f["level"] == "error"] or [None])[0]
    ranks = {c["rank"] for c in first["culprits"]} if first else set()
    doubted = bool(first and (first.get("otherwise") or first.get("alternatives")))
    return done.returncode, report["verdict"], ranks, doubted, first and first["certainty"]


def part_of_text(text, draw):
    lines = text.splitlines(True)
    if draw.random() < 0.3: # what fits on a screen
        begin = draw.randrange(len(lines) + 1)
        lines = lines[begin:begin + draw.randrange(1, len(lines) + 2)]
    keep = draw.choice((0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 1))
    return "".join(l for l in lines if draw.random() < keep)


def part_of_file(name, out, draw):
    with open(name, "rb") as f:
        data = f.read()
    if data[:1] == b"{" and b'"entries"' in data: # a ring buffer loses the oldest, and never all
        dump = json.loads(data)
        dump["entries"] = dump["entries"][draw.choice((0, 0, draw.randrange(max(1, len(dump["entries"]))))):]
        data = json.dumps(dump).encode()
    elif data[:1] not in (b"{", b"\x80"):
        data = part_of_text(data.decode("utf-8", "replace"), draw).encode()
    with open(out, "wb") as f:
        f.write(data)


def take_part(job, out, draw):
    os.makedirs(out)
    names = sorted(glob.glob(job + "/*")) if os.path.isdir(job) else [job]
    keep = draw.choice((0.3, 0.6, 0.9, 1))
    chosen = [n for n in names if draw.random() < keep] or [draw.choice(names)]
    for name in chosen:
        part_of_file(name, os.path.join(out, os.path.basename(name)), draw)


def kind_of(job):
    return "pasted" if os.path.dirname(job).endswith("pasted") else os.path.basename(job).rsplit(".", 1)[-1]


def complaint_of(status, verdict, ranks, doubted, certainty, whole):
    if status not in (0, 1, 2, 3, 5):
        return "status %d" % status
    if verdict not in (None, "hang", "empty"):
        return verdict
    if certainty == "certain":
        return "certain"
    if ranks and not ranks & whole:
        return "in doubt" if doubted else "another culprit"
    return None


def try_part(number, jobs, wholes, work):
    draw = random.Random(number)
    at = draw.randrange(len(jobs))
    out = os.path.join(work, "part%d" % number)
    take_part(jobs[at], out, draw)
    answer = diagnose(out)
    complaint = complaint_of(*answer, wholes[at])
    if "-v" not in sys.argv or not complaint:
        shutil.rmtree(out)
    return number, jobs[at], complaint, answer


def main(folder):
    count, seed = int(os.environ.get("NCCLSCRIPT_SUBSETS", 400)), int(os.environ.get("NCCLSCRIPT_SEED", 1))
    table, failures, shown = collections.Counter(), [], collections.Counter()
    work = tempfile.mkdtemp(dir=folder)
    jobs = jobs_of(folder, work)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        whole = list(pool.map(diagnose, jobs))
        jobs, wholes = zip(*[(j, w[2]) for j, w in zip(jobs, whole) if w[0] == 3])
        for number, job, complaint, answer in pool.map(lambda n: try_part(n, jobs, wholes, work), range(seed, seed + count)):
            table[kind_of(job), complaint or answer[1] or "nothing to read"] += 1
            if complaint and complaint not in MOST:
                failures.append("part %d of %s: %s, ranks %s" % (number, job, complaint, sorted(answer[2])))
            elif complaint and "-v" in sys.argv:
                print("part %d of %s: ranks %s, of the whole %s" % (number, job, sorted(answer[2]), sorted(wholes[jobs.index(job)])))
    for (kind, what), n in sorted(table.items()):
        print("%-12s %-16s %d" % (kind, what, n))
        shown[what] += n
    print("%d jobs, %d parts: %s" % (len(jobs), count, ", ".join("%d %s" % (n, w) for w, n in sorted(shown.items()))))
    failures += ["%s: %d parts, at most %d of 1000 are expected" % (w, shown[w], MOST[w]) for w in MOST
                 if shown[w] * 1000 > MOST[w] * count]
    print("\n".join(failures + ["%d failures" % len(failures)]))
    return 1 if failures or len(jobs) < 40 else 0


sys.exit(main(sys.argv[1]))
