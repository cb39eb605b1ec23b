#!/usr/bin/env python3
"""Dumps of a large job, to measure `diagnose`: usage: big.py OUTDIR RANKS ENTRIES. Rank 1 skips the last call.

The shape is that of a training loop: a stack of PyTorch's and of the user's frames, shared by equal calls, groups of
all ranks and of eight ranks, texts stored once as PyTorch's pickler stores them.
"""
import os
import pickle
import sys

out, ranks, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.makedirs(out, exist_ok=True)
TORCH = "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py"
FRAMES = [[{"name": "all_reduce", "filename": TORCH, "line": 2501 + i},
           {"name": "wrapper", "filename": TORCH, "line": 72},
           {"name": "step", "filename": "train.py", "line": 40 + i}] +
          [{"name": "main", "filename": "train.py", "line": 100 + k} for k in range(20)] for i in range(20)]
NAMES = [["0", "default_pg"], ["1", "mesh_tp"]]
for rank in range(ranks):
    low = rank // 8 * 8
    config = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(ranks)))},
              "1": {"name": "1", "desc": "mesh_tp", "ranks": str(list(range(low, min(low + 8, ranks))))}}
    seq, entries = [0, 0], []
    for i in range(count):
        if i == count - 1 and rank == 1:
            break
        group = 0 if i == count - 1 else i % 2
        seq[group] += 1
        size, over = 1024 * (1 + i % 20), i < count - 2
        entries.append({
            "frames": list(FRAMES[i % 20]), "record_id": 5000 + i, "pg_id": group, "process_group": list(NAMES[group]),
            "collective_seq_id": seq[group], "p2p_seq_id": 0, "op_id": 5000 + i,
            "profiling_name": "nccl:all_reduce", "time_created_ns": 1700000000000000000 + i,
            "duration_ms": 0.25, "input_sizes": [[size, 8]], "input_dtypes": ["Float"], "output_sizes": [[size, 8]],
            "output_dtypes": ["Float"], "state": "completed" if over else "scheduled",
            "time_discovered_started_ns": 1700000000000000000 + i, "time_discovered_completed_ns": None,
            "retired": over, "timeout_ms": 600000, "is_p2p": False})
    root = {"version": "2.10", "comm_lib_version": "2.28.9", "pg_config": config, "pg_status": {}, "entries": entries}
    with open(os.path.join(out, "nccl_trace_rank_%d" % rank), "wb") as f:
        pickle.dump(root, f, 2)
