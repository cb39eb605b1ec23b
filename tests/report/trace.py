"""Holds traces against what a trace has to be. usage: trace.py FILE CALLS...: of each file the number of
calls that it must have, or -."""
import json
import sys
from decimal import Decimal


def lanes_of(events):
    lanes = {}
    for e in events:
        lanes.setdefault((e["pid"], e["tid"]), []).append(e)
    return lanes


def check_lane(where, events, fault):
    """Bars in order of time, none over another, open ones behind all that are not; a name."""
    last = end = 0
    opened = False
    if not any(e["ph"] == "M" and e["name"] == "thread_name" for e in events):
        fault(f"{where}: has no name")
    for e in events:
        if e["ph"] not in "XB":
            continue
        if e["ts"] < last:
            fault(f"{where}: {e['name']} at {e['ts']} stands behind {last}")
        last = e["ts"]
        if e["ph"] == "B":
            opened = True
            if e["ts"] < end:
                fault(f"{where}: {e['name']} is open from {e['ts']}, before {end}")
            continue
        if opened and e["cat"] != "end":
            fault(f"{where}: {e['name']} is behind one that is not over")
        if e["ts"] < end:
            fault(f"{where}: {e['name']} at {e['ts']} is over the one until {end}")
        if e["dur"] < 0:
            fault(f"{where}: {e['name']} takes {e['dur']}")
        end = e["ts"] + e["dur"]


def covers(lane, ts):
    return any(e["ph"] == "B" and e["ts"] <= ts or
               e["ph"] == "X" and e["ts"] <= ts <= e["ts"] + e["dur"] for e in lane)


def check_flows(events, lanes, fault):
    flows = {}
    for e in events:
        if e["ph"] in "sf":
            flows.setdefault(e["id"], []).append(e)
            if not covers(lanes[e["pid"], e["tid"]], e["ts"]):
                fault(f"arrow {e['id']} has an end in no bar")
    for number, ends in flows.items():
        if [e["ph"] for e in ends] != ["s", "f"]:
            fault(f"arrow {number} is {[e['ph'] for e in ends]}")
        elif ends[0]["ts"] > ends[1]["ts"]:
            fault(f"arrow {number} goes back in time")
        elif ends[1].get("bp") != "e":
            fault(f"arrow {number} does not bind to the bar around its end")
    return len(flows)


def check(path, calls, fault):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f, parse_float=Decimal)  # exact: six hours in nanoseconds
    events = trace["traceEvents"]
    bad = {e["ph"] for e in events} - set("MXBsfi")
    if bad:
        fault(f"events {bad}")
    lanes = lanes_of(events)
    for where, lane in lanes.items():
        check_lane(where, lane, fault)
    ranks = {e["pid"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    if ranks != set(range(trace["otherData"]["ranks"])):
        fault(f"ranks {sorted(ranks)}")
    check_flows(events, lanes, fault)
    numbers = sorted(e["args"]["number"] for e in events if e["ph"] in "XB" and e["cat"] == "call")
    if len(numbers) != len(set(numbers)):
        fault("a call is there twice")
    if calls != "-" and len(numbers) != int(calls):
        fault(f"{len(numbers)} calls, not {calls}")
    if len(numbers) != trace["otherData"]["calls"]:
        fault(f"{len(numbers)} calls, it says {trace['otherData']['calls']}")
    if trace["otherData"]["verdict"] == "hang" and not any(e["ph"] == "B" for e in events) and \
            not any(e["ph"] == "s" and e["cat"] == "wait" for e in events):
        fault("a hang in which nothing is stuck")


faults = []
for name, count in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        check(name, count, lambda text, name=name: faults.append(f"{name}: {text}"))
    except (ValueError, KeyError) as e:
        faults.append(f"{name}: {type(e).__name__}: {e}")
for fault in faults[:40]:
    print(fault)
sys.exit(1 if faults else 0)
