#!/usr/bin/env python3
"""The Flight Recorder dumps that a run would have left, from its --trace: one pickle per rank, with stacks.

usage: flight.py TRACE.json SCRIPT OUTDIR

What the trace does not say is inferred from the order of its calls: which ranks are in which group. Sends and
receives are batches, as batch_isend_irecv makes them. The status is 2 where a dump cannot show the run: more
than one device in a process, a communicator whose ranks cannot be told.
"""
import json
import os
import pickle
import re
import sys

DTYPES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int32": "Int",
          "int64": "Long", "int8": "Char", "uint8": "Byte", "uint32": "UInt32", "uint64": "UInt64"}
NAMES = {"AllReduce": "all_reduce", "Broadcast": "broadcast", "Bcast": "broadcast", "Reduce": "reduce",
         "AllGather": "_all_gather_base", "ReduceScatter": "_reduce_scatter_base", "AlltoAll": "all_to_all_single",
         "Gather": "gather", "Scatter": "scatter"}


class Unfit(Exception):
    """A dump cannot show the run."""


def unfit(why):
    raise Unfit(why)


class Run:
    def __init__(self, trace):
        self.calls = {}      # by rank: bars of calls, in order
        self.over = set()    # (rank, comm, number) of what the device has finished
        self.begun = set()
        for e in trace["traceEvents"]:
            if e.get("cat") == "call" or (e.get("cat") == "queued" and "number" in e["args"]):
                self.calls.setdefault(e["pid"], []).append(e)
            elif e.get("cat") in ("device", "queued"):
                self.see_work(e)
        for calls in self.calls.values(): # of all threads, as they were made
            calls.sort(key=lambda e: e["args"]["number"])
        self.ranks = trace["otherData"]["ranks"]
        self.groups = []     # (name, members)
        self.find_groups()

    def see_work(self, e):
        a = e["args"]
        for n in range(a.get("calls", 1) if "call" in a else 0):
            key = (e["pid"], a["comm"], a["call"] + n)
            if e["ph"] == "X":
                self.over.add(key)
            if e["cat"] == "device":
                self.begun.add(key)

    def find_groups(self):
        """The groups of each rank in the order in which it made them, named by the calls on them."""
        made, parents = {}, {}
        for rank, calls in self.calls.items():
            used = []        # names of communicators in the order of their use, but for those known
            nth = {}
            for e in calls:
                name, text, comm = e["name"], e["args"]["text"], e["args"].get("comm")
                if name.startswith("ncclCommInit"):
                    m = re.search(r"(\d+) ranks(?: rank (\d+))?", text)   # no rank: that of the world
                    if not m or (rank, comm) in parents:
                        unfit("ranks of " + text)
                    mine = int(m[2] or rank)
                    parents[rank, comm] = mine
                    made.setdefault(("init", comm, int(m[1])), []).append((mine, rank, comm))
                elif name == "ncclCommSplit":
                    m = re.search(r"(?:color (-?\d+)|no color)", text)
                    nth[comm] = nth.get(comm, 0) + 1
                    if m[1]:
                        key = ("split", comm, nth[comm], int(m[1]))
                        order = int(re.search(r"key (-?\d+)", text)[1])
                        made.setdefault(key, []).append(((order, parents.get((rank, comm), 0)), rank, None))
                elif name in ("ncclCommShrink", "ncclCommGrow"):
                    unfit(name)
        by_rank = {}
        for key, members in made.items():
            members.sort(key=lambda m: m[0])
            group = {"key": key, "ranks": [m[1] for m in members], "name": None}
            self.groups.append(group)
            for m in members:
                by_rank.setdefault(m[1], []).append(group)
                if key[0] == "init":
                    group["name"] = key[1]
        for rank, calls in self.calls.items():
            names = [e["args"]["comm"] for e in calls if "call" in e["args"]]
            for name in dict.fromkeys(names):
                if any(g["name"] == name for g in by_rank.get(rank, [])):
                    continue
                fits = [g for g in by_rank.get(rank, []) if g["name"] is None and
                        (not re.search(r"/split\d+\.\d+$", name) or
                         name.endswith("/split%d.%d" % (g["key"][2], g["key"][3])))]
                if len(fits) != 1:
                    unfit("the ranks of " + name)
                fits[0]["name"] = name
        self.by_rank = by_rank

    def group_of(self, rank, name):
        for i, g in enumerate(self.groups):
            if g["name"] == name and rank in g["ranks"]:
                return i, g
        unfit("no group " + name)


class Dump:
    def __init__(self, run, rank, script):
        self.run, self.rank, self.script = run, rank, script
        self.entries, self.seq, self.p2p = [], {}, {}

    def state(self, e):
        key = (self.rank, e["args"]["comm"], e["args"]["call"])
        return "completed" if key in self.run.over else "started" if key in self.run.begun else "scheduled"

    def add(self, e, name, state, pair, group, sizes):
        g = self.run.groups[group]
        a = e["args"]
        self.entries.append({
            "frames": [{"name": "all_reduce", "line": 2501,
                        "filename": "/opt/venv/lib/python3.11/site-packages/torch/distributed/c10d.py"},
                       {"name": a.get("label", "step"), "filename": self.script, "line": a.get("line", 0)}],
            "record_id": len(self.entries), "pg_id": group,
            "process_group": [str(group), "default_pg" if g["key"][0] == "init" else "undefined"],
            "collective_seq_id": self.seq.get(group, 0), "p2p_seq_id": self.p2p.get(group, 0),
            "op_id": len(self.entries), "profiling_name": "nccl:" + name,
            "time_created_ns": 1700000000000000000 + a["number"],
            "input_sizes": [[sizes[0]]], "input_dtypes": [DTYPES[a["dtype"]]],
            "output_sizes": [[sizes[1]]], "output_dtypes": [DTYPES[a["dtype"]]],
            "state": state, "retired": state == "completed", "timeout_ms": 600000, "is_p2p": pair})

    def sizes(self, e, nranks):
        n, name = e["args"]["count"], e["name"]
        if name in ("AllGather", "Gather"):
            return n, n * nranks
        if name in ("ReduceScatter", "Scatter"):
            return n * nranks, n
        return (n * nranks, n * nranks) if name == "AlltoAll" else (n, n)

    def add_batch(self, batch):
        """Calls of one group on one communicator."""
        group, g = self.run.group_of(self.rank, batch[0]["args"]["comm"])
        # PyTorch refuses a peer outside of the group before it records anything.
        batch = [e for e in batch if 0 <= e["args"].get("peer", 0) < len(g["ranks"])]
        if not batch:
            return
        pair = batch[0]["name"] in ("Send", "Recv")
        alone = len(batch) == 1 and not pair
        counter = self.p2p if pair else self.seq
        counter[group] = counter.get(group, 0) + 1
        for e in batch:
            me, a = g["ranks"].index(self.rank), e["args"]
            if e["name"] == "Send":
                name = "send %d->%d" % (me, a["peer"])
            elif e["name"] == "Recv":
                name = "recv %d<-%d" % (me, a["peer"])
            else:
                name = NAMES[e["name"]]
            self.add(e, name, self.state(e) if alone else "scheduled", pair, group, self.sizes(e, len(g["ranks"])))
        if not alone:
            self.add(batch[-1], "coalesced", self.state(batch[-1]), pair, group, self.sizes(batch[-1], 1))

    def fill(self):
        batches, where = [], {}
        for e in self.run.calls.get(self.rank, []):
            a = e["args"]
            if "call" not in a:
                continue
            if e["name"] not in NAMES and e["name"] not in ("Send", "Recv") or a["dtype"] not in DTYPES:
                unfit(e["name"])
            pair = e["name"] in ("Send", "Recv")
            key = (a.get("group"), a["comm"], pair)
            if a.get("group") and key in where:
                batches[where[key]].append(e)
                continue
            where[key] = len(batches)
            batches.append([e])
        for batch in batches:
            self.add_batch(batch)

    def root(self):
        own = [(i, g) for i, g in enumerate(self.run.groups) if self.rank in g["ranks"]]
        config = {str(i): {"name": str(i), "desc": "default_pg" if g["key"][0] == "init" else "undefined",
                           "ranks": str(g["ranks"])} for i, g in own}
        return {"version": "2.10", "comm_lib_version": "2.28.9", "pg_config": config, "pg_status": {},
                "entries": self.entries}


def write_dumps(trace, script, out):
    with open(trace, encoding="utf-8") as f:
        run = Run(json.load(f))
    if not any((rank, e["args"]["comm"], e["args"]["call"]) not in run.over
               for rank, calls in run.calls.items() for e in calls if "call" in e["args"]):
        unfit("what waits is no call on a communicator")
    os.makedirs(out, exist_ok=True)
    for rank in range(run.ranks):
        dump = Dump(run, rank, os.path.splitext(os.path.basename(script))[0] + ".py")
        dump.fill()
        with open(os.path.join(out, "nccl_trace_rank_%d" % rank), "wb") as f:
            pickle.dump(dump.root(), f, 2)


if __name__ == "__main__":
    try:
        write_dumps(*sys.argv[1:])
    except Unfit as why:
        print(why)
        sys.exit(2)
