#!/usr/bin/env python3
"""Flight Recorder dumps as they are found: each folder has a job of six ranks in which rank 2 skips its last call.

usage: wild.py OUTDIR. Prints a line for each folder: its name, and a text that the report must contain ("-" = none).
"""
import copy
import gzip
import json
import os
import pickle
import sys

OUT, RANKS, CALLS = sys.argv[1], 6, 5
FRAMES = [{"name": "all_reduce", "filename": "/opt/venv/lib/python3.11/site-packages/torch/c10d.py", "line": 9},
          {"name": "step", "filename": "train.py", "line": 40}]


def dump(rank):
    entries = []
    for i in range(CALLS - (rank == 2)):
        sizes = [[64, 8]] # one list for both: shared, as scripts that rewrite dumps leave it
        over = i < CALLS - 1
        entries.append({
            "frames": FRAMES, "record_id": i, "pg_id": 0, "process_group": ["0", "default_pg"],
            "collective_seq_id": i + 1, "p2p_seq_id": 0, "op_id": i, "profiling_name": "nccl:all_reduce",
            "time_created_ns": 1700000000000000000 + i, "duration_ms": 0.5, "input_sizes": sizes,
            "input_dtypes": ["Float"], "output_sizes": sizes, "output_dtypes": ["Float"],
            "state": "completed" if over else "started", "retired": over, "timeout_ms": 600000, "is_p2p": False})
    return {"version": "2.10", "comm_lib_version": "2.28.9", "pg_status": {}, "entries": entries,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(RANKS)))}}}


def folder(name, says="-", write=None, change=None, form="nccl_trace_rank_%d"):
    path = os.path.join(OUT, name)
    os.makedirs(path)
    for rank in range(RANKS):
        d = dump(rank)
        if change:
            change(d, rank)
        data = (write or (lambda d: pickle.dumps(d, 2)))(d)
        with open(os.path.join(path, form % rank), "wb") as f:
            f.write(data)
    print("%s\t%s" % (name, says))
    return path


def cut(path, rank, keep):
    name = os.path.join(path, "nccl_trace_rank_%d" % rank)
    with open(name, "rb") as f:
        data = f.read()
    with open(name, "wb") as f:
        f.write(data[:keep])


def status_alone(d, rank):
    for e in d["entries"]:
        e["state"], e["retired"] = "scheduled", False
    d["pg_status"] = {0: {"last_enqueued_collective": CALLS, "last_completed_collective": CALLS - 1}}


for protocol in range(2, 6):
    folder("protocol%d" % protocol, write=lambda d: pickle.dumps(d, protocol))
folder("json", write=lambda d: json.dumps({**d, "entries": [{k: v for k, v in e.items() if k != "frames"}
                                                            for e in d["entries"]]}).encode(), form="trace_%d.json")
folder("unshared", write=lambda d: pickle.dumps(copy.deepcopy(json.loads(json.dumps(d))), 4))
folder("packed", write=lambda d: gzip.compress(pickle.dumps(d, 2)), form="nccl_trace_rank_%d.gz")
folder("packed_in_parts", write=lambda d: gzip.compress(pickle.dumps(d, 2)[:90]) + gzip.compress(pickle.dumps(d, 2)[90:]))
folder("rank_first", form="rank%d_node7")
folder("rank_amid", form="job12-rank-%d-of-6.pickle")
folder("number_alone", form="%d")
folder("number_before_others", form="trace_%d_host3_attempt1.json")
folder("no_config", change=lambda d, rank: d.pop("pg_config"), says="pg_config does not say which ranks are in 1 group")
folder("config_without_ranks", change=lambda d, rank: d["pg_config"]["0"].pop("ranks"))
folder("ranks_in_a_list", change=lambda d, rank: d["pg_config"]["0"].update(ranks=list(range(RANKS))))
folder("status_of_a_number", change=status_alone)
folder("strange_version", change=lambda d, rank: d.update(version="3.1"),
       says="the dumps have version 3.1 of their format; diagnose knows version 2")
folder("minor_version", change=lambda d, rank: d.update(version="2.99"))
cut(folder("one_cut", says="the dump of rank 4 cannot be read"), 4, 300)
cut(folder("one_packed_cut", write=lambda d: gzip.compress(pickle.dumps(d, 2)), says="the dump of rank 4 cannot be read"),
    4, 200)
cut(folder("one_empty", says="the file of rank 4 is empty"), 4, 0)
folder("one_odd_entry", says="the dump of rank 4 cannot be read",
       change=lambda d, rank: rank == 4 and d["entries"][1].pop("process_group"))
folder("one_odd_group", says="the dump of rank 4 cannot be read",
       change=lambda d, rank: rank == 4 and d["entries"][1].update(profiling_name="nccl:send 0->1", is_p2p=True))
# PyTorch before 2.14 names a dump by the rank in the first group of its process: ranks 3 to 5 overwrite those of 0 to 2.
path = folder("named_by_a_part", says="is named after rank 2, but its groups are those of rank 5",
              change=lambda d, rank: d["pg_config"].update(
                  {"1": {"name": "1", "desc": "tp", "ranks": str([0, 1, 2] if rank < 3 else [3, 4, 5])}}))
for rank in (3, 4):
    os.remove(os.path.join(path, "nccl_trace_rank_%d" % rank))
os.rename(os.path.join(path, "nccl_trace_rank_2"), os.path.join(path, "nccl_trace_rank_02"))
os.rename(os.path.join(path, "nccl_trace_rank_5"), os.path.join(path, "again_rank_2"))
path = folder("other_files", says="is of no kind that diagnose reads")
with open(os.path.join(path, "settings.json"), "w", encoding="utf-8") as f:
    f.write('{"model": "small"}')
