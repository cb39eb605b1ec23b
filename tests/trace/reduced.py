#!/usr/bin/env python3
"""What is left of the traces of cases.lua in records that show less: a log without its lines of INIT, lines of the
watchdog, counts of RAS, and dumps of all ranks but one with that rank's line. Such a record may leave the cause open, but
it must not blame a rank that has done nothing wrong.

usage: reduced.py FOLDER [-v]. FOLDER is what make.lua wrote, with its table.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

PROGRAM = os.path.realpath(os.environ["NCCLSCRIPT"])
# To be raised, never lowered: how many records of a kind still name the culprits.
LEAST = {"no_init": 9, "watchdog": 7, "ras": 4, "joined": 9}


def dumps(path):
    found = {}
    for name in sorted(glob.glob(path + "/*.json")):
        with open(name, encoding="utf-8") as f:
            found[int(name.rsplit("_", 1)[1].split(".")[0])] = json.load(f)
    return found


def collectives(dump, group):
    return [e for e in dump.get("entries", []) if e["process_group"][0] == group and not e["is_p2p"]
            and not e["profiling_name"].endswith("coalesced")]


def watchdog_lines(rank, dump):
    lines = []
    for name, config in dump["pg_config"].items():
        calls = collectives(dump, name)
        if not calls:
            continue
        made = max(e["collective_seq_id"] for e in calls)
        over = max([e["collective_seq_id"] for e in calls if e["state"] == "completed"], default=0)
        ranks = json.loads(config["ranks"])
        head = "[rank%d]:[E ProcessGroupNCCL.cpp:1] [PG ID %s PG GUID %s(%s) Rank %d] " % (
            rank, name, name, config["desc"], ranks.index(rank))
        counts = "last enqueued NCCL work: %d, last completed NCCL work: %d." % (made, over)
        late = [e for e in calls if e["collective_seq_id"] == over + 1]
        if late:
            e = late[0]
            lines.append(head + "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=%s, NumelIn=%d, "
                         "NumelOut=%d, Timeout(ms)=600000) ran for 600001 milliseconds before timing out." % (
                             over + 1, e["profiling_name"].split(":")[1].upper(), e["input_sizes"][0][0],
                             e["output_sizes"][0][0]))
            lines.append(head + "Timeout at NCCL work: %d, %s" % (over + 1, counts))
        else:
            lines.append(head + "PG status: " + counts)
    return lines


RAS = {"all_reduce": "AllReduce", "broadcast": "Broadcast", "_all_gather_base": "AllGather",
       "_reduce_scatter_base": "ReduceScatter", "reduce": "Reduce"}


def ras(found):
    comms = {}
    for rank, dump in found.items():
        for name, config in dump["pg_config"].items():
            members = json.loads(config["ranks"])
            comm = comms.setdefault(name, {"hash": "0x" + name + "a", "secondary_hash": "0x1:0x2", "size": len(members),
                                           "ranks": [], "missing_ranks": []})
            counts = dict.fromkeys(RAS.values(), 0)
            for e in collectives(dump, name): # RAS counts no all-to-all
                kind = RAS.get(e["profiling_name"].split(":")[1])
                if kind:
                    counts[kind] += 1
            comm["ranks"].append({"rank": members.index(rank), "host": "node0", "pid": 100 + rank, "cuda_dev": rank,
                                  "collective_counts": counts})
    return {"nccl_version": "2.28.9", "communicators": list(comms.values()), "ras": {"timeouts_count": 0}}


def diagnose(path):
    done = subprocess.run([PROGRAM, "diagnose", "--format", "json", path], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2, 3, 5):
        return done.returncode, None, set(), set()
    report = json.loads(done.stdout) if done.stdout else {"findings": []}
    errors = [f for f in report["findings"] if f["level"] == "error"]
    first = errors[0] if errors else None
    ranks = {c["rank"] for c in first["culprits"]} if first else set()
    others = {c["rank"] for a in first.get("alternatives", []) for c in a["culprits"]} if first else set()
    return done.returncode, first, ranks, others


def reduce(folder, kind, case, out):
    os.makedirs(out)
    if kind == "no_init":
        with open(folder + "/%s.log/all.log" % case, encoding="utf-8") as f:
            lines = [l for l in f.read().splitlines(True) if "Init START" not in l and "Init COMPLETE" not in l]
        with open(out + "/job.log", "w", encoding="utf-8") as f:
            f.writelines(lines)
        return True
    found = dumps(folder + "/%s.fr_json" % case)
    if kind == "joined":
        for name in glob.glob(folder + "/%s.fr_json/*.json" % case):
            shutil.copy(name, out)
        os.remove(out + "/nccl_trace_rank_1.json")
    if kind == "ras":
        with open(out + "/ras.json", "w", encoding="utf-8") as f:
            json.dump(ras(found), f)
        return True
    lines = [l for rank, dump in found.items() for l in watchdog_lines(rank, dump) if kind == "watchdog" or rank == 1]
    with open(out + "/watchdog.log", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return bool(lines)


def main(folder):
    expected, failures, right = {}, [], dict.fromkeys(LEAST, 0)
    with open(folder + "/table", encoding="utf-8") as f:
        for line in f:
            name, _, rule, culprits = line.rstrip("\n").split("\t")[:4]
            expected[name] = (rule, {int(c) for c in culprits.split(",")} if culprits != "-" else set())
    for kind in LEAST:
        for name in sorted(expected):
            case, form = name.rsplit(".", 1)
            # The lines of `part` say that each communicator has four ranks; a rank that died has no dump to begin with.
            if form != ("log" if kind == "no_init" else "fr_json") or case in ("part", "died", "died_unmissed"):
                continue
            if kind == "ras" and case.startswith("cut"): # dumps that lost calls do not tell the counts
                continue
            out = folder + "/reduced.%s.%s" % (kind, case)
            if not reduce(folder, kind, case, out):
                continue
            status, first, ranks, others = diagnose(out)
            rule, culprits = expected[name]
            if first and not ranks & culprits and not others & culprits:
                failures.append("%s of %s: %s of ranks %s, expected %s of %s" % (kind, case, first["rule"], sorted(ranks),
                                                                             rule, sorted(culprits)))
            if first and first["certainty"] == "certain":
                failures.append("%s of %s: certain" % (kind, case))
            if status not in (0, 1, 2, 3, 5):
                failures.append("%s of %s: status %d" % (kind, case, status))
            right[kind] += bool(culprits) and ranks == culprits
            if "-v" in sys.argv:
                print(kind, case, status, first and first["rule"], sorted(ranks), "expected", rule, sorted(culprits))
    print(right)
    failures += ["%s: %d right, at least %d are expected" % (k, right[k], LEAST[k]) for k in LEAST if right[k] < LEAST[k]]
    print("\n".join(failures + ["%d failures" % len(failures)]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
