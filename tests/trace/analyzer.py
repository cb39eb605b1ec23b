#!/usr/bin/env python3
"""Flight Recorder dumps against the rules of PyTorch's analyzer (torch.distributed.flight_recorder, PyTorch 2.15).

usage: analyzer.py DIR... ; each folder holds the dumps of one run. The rules are written down here. Where PyTorch is
installed, its analyzer reads the folders, too. Prints a line for each breach; the status is 1 if there is one.
"""
import argparse
import ast
import os
import pickle
import re
import sys

COLLECTIVES = {"all_reduce", "broadcast", "reduce", "_all_gather_base", "_reduce_scatter_base", "all_to_all", "gather",
               "scatter"}
NAME = re.compile(r"nccl:(?:(?P<plain>\w+)|send (?P<from>\d+)->(?P<to>\d+)|recv (?P<at>\d+)<-(?P<of>\d+))$")
KEYS = {"frames": list, "record_id": int, "pg_id": int, "process_group": tuple, "collective_seq_id": int,
        "p2p_seq_id": int, "op_id": int, "profiling_name": str, "time_created_ns": int, "input_sizes": list,
        "input_dtypes": list, "output_sizes": list, "output_dtypes": list, "state": str, "retired": bool,
        "timeout_ms": int, "is_p2p": bool}


class Rules:
    def __init__(self, path):
        self.path, self.breaches = path, []

    def hold(self, fits, what):
        if not fits:
            self.breaches.append("%s: %s" % (self.path, what))

    def entry(self, i, e, groups):
        for key, kind in KEYS.items():
            self.hold(type(e.get(key)) is kind, "entry %d: %s is no %s" % (i, key, kind.__name__))
        self.hold(e["record_id"] == i, "entry %d: record_id %d" % (i, e["record_id"]))
        self.hold(e["process_group"][0] in groups, "entry %d: a group without a row in pg_config" % i)
        m = NAME.match(e["profiling_name"])
        size = len(groups.get(e["process_group"][0], ()))
        self.hold(m and (m["plain"] is None or m["plain"] in COLLECTIVES | {"coalesced"}), "entry %d: the name" % i)
        for k in ("from", "to", "at", "of"):
            self.hold(not m or m[k] is None or int(m[k]) < size, "entry %d: a peer outside of the group" % i)
        self.hold(e["state"] in ("scheduled", "started", "completed"), "entry %d: the state" % i)
        for f in e["frames"]:
            self.hold(set(f) == {"name", "filename", "line"}, "entry %d: a frame" % i)
        for key in ("time_discovered_started_ns", "time_discovered_completed_ns"):
            self.hold(e[key] is None or e[key] > 0, "entry %d: %s" % (i, key))

    def batches(self, entries):
        """Entries of a group with one number are successive in the group, and the last one closes the batch."""
        last = {}
        for e in entries:
            key = (e["process_group"][0], e["is_p2p"])
            seq = e["p2p_seq_id" if e["is_p2p"] else "collective_seq_id"]
            before, name = last.get(key, (0, None))
            self.hold(seq == before or seq == before + 1 or (e["is_p2p"] and before < seq <= before + 3),
                      "number %d follows %d" % (seq, before))
            self.hold(seq != before or name != "nccl:coalesced", "number %d: a call behind its batch" % seq)
            last[key] = (seq, e["profiling_name"])

    def dump(self, root):
        self.hold(re.match(r"2\.\d+$", root["version"]), "the version")
        groups = {k: ast.literal_eval(g["ranks"]) for k, g in root["pg_config"].items()}
        for key, ranks in groups.items():
            self.hold(root["pg_config"][key]["name"] == key and len(set(ranks)) == len(ranks), "group " + key)
        for status in root["pg_status"].values():
            self.hold(set(status) == {"last_%s_collective" % k for k in ("enqueued", "started", "completed")}, "pg_status")
        for i, e in enumerate(root["entries"]):
            self.entry(i, e, groups)
        self.batches(root["entries"])


def by_rules(folder):
    breaches = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        rules = Rules(path)
        rules.hold(re.match(r"nccl_trace_rank_\d+$", name), "the name")
        with open(path, "rb") as f:
            rules.dump(pickle.load(f))
        breaches += rules.breaches
    return breaches


def by_torch(folders):
    try:
        import torch
        from torch.distributed.flight_recorder.components import builder, loader, utils
    except ImportError:
        print("PyTorch is not installed: the rules alone")
        return []
    print("PyTorch " + torch.__version__)
    if not hasattr(utils, "tabulate"):  # an optional package, which the analyzer calls all the same
        utils.tabulate = lambda rows, headers=None: ""
    args = argparse.Namespace(prefix=None, verbose=False, just_print_entries=False, allow_incomplete_ranks=True,
                              mismatch_cap=10)
    breaches = []
    for folder in folders:
        try:
            args.trace_dir = folder
            details, version = loader.read_dir(args)
            builder.build_db(details, args, version)
        except Exception as e:  # whatever it is, the analyzer has not read the dump
            breaches.append("%s: PyTorch's analyzer: %s: %s" % (folder, type(e).__name__, e))
    return breaches


def main():
    breaches = [b for folder in sys.argv[1:] for b in by_rules(folder)] + by_torch(sys.argv[1:])
    print("\n".join(breaches + ["%d folders, %d breaches" % (len(sys.argv) - 1, len(breaches))]))
    return 1 if breaches else 0


sys.exit(main())
