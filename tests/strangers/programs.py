#!/usr/bin/env python3
"""Writes programs of strangers and their truth: programs.py OUT FIRST COUNT.

OUT/correct/N.lua is the correct program of seed N, OUT/mutant/N.lua the same with one or several bugs, OUT/truth has a
line of JSON for each mutant. One seed is one program, whatever the others are."""
import itertools
import json
import os
import random
import re
import sys

import bugs
import machine
import roles
import services
import training
from comm import Comm
from values import LuaError

SHAPES = training.SHAPES + roles.SHAPES + services.SHAPES


class Program:
    """A correct program: its lines, the marks at their ends, and who came to each marked line with what."""

    def __init__(self, seed):
        self.draw = random.Random("strangers %d" % seed)
        shape = self.draw.choice(SHAPES)
        self.shape = shape.__name__
        self.n, source = shape(self.draw)
        self.lines, self.marks = [], []
        for line in ("scenario { ranks = %d }\n%s" % (self.n, source)).rstrip("\n").split("\n"):
            m = re.match(r"^(.*?)  --@(\w+)((?: \w+)*)$", line)
            self.lines.append(m.group(1) if m else line)
            self.marks.append((m.group(2), m.group(3).split()) if m else (None, []))
        self.text = "\n".join(self.lines) + "\n"
        self.observe()

    def observe(self):
        self.visits, self.calls_of = {}, {}
        open_visits = {}
        marked = [i + 1 for i, (kind, _) in enumerate(self.marks) if kind]

        def watch(rank, line, scope):
            names = self.marks[line - 1][1]
            values = {}
            for name in names:
                at = scope.find(name)
                v = at.v[name] if at else None
                values[name] = v if isinstance(v, (int, str)) else None
            self.visits.setdefault(line - 1, []).append((rank, scope, values))
            calls = []
            self.calls_of.setdefault(line - 1, []).append(calls)
            open_visits[rank, line] = (calls, len(job.ranks[rank].trace))
        job = machine.Job(self.text, self.n, marked, watch)
        original = machine.Rank.note

        def note(r, kind, comm=None, **args):  # what a line calls, also by functions that it calls
            original(r, kind, comm, **args)
            entry = r.trace[-1]
            for line in active(r):
                if (r.number, line) in open_visits:
                    open_visits[r.number, line][0].append(entry)

        def active(r):
            return set(r.interp.stack + [r.interp.line])
        machine.Rank.note = note
        try:
            self.verdict = job.run()
        finally:
            machine.Rank.note = original
        self.trace = [r.trace for r in job.ranks]
        for i, (mark, _) in enumerate(self.marks):  # in the midst of a statement: all ranks come there
            if mark in ("endplan", "peer", "buffer") and i not in self.visits:
                self.visits[i] = [(r, None, {}) for r in range(self.n)]
                self.calls_of[i] = [[] for _ in range(self.n)]

    def kinds(self, rank):
        return list(dict.fromkeys(c[0] for c in self.trace[rank] if c[0] not in bugs.QUIET))

    def rank_in(self, scope, call, rank):
        for c in bugs.in_scope(scope, Comm).values():
            if c.f_name == call[1]:
                return c.f_rank
        return -1


def apply(program, edits):
    """The text with the edits, and the lines of each."""
    out, at = [], {}
    tops = list(dict.fromkeys(l for e in edits for l in e["before"]))
    by = {e["line"]: e for e in edits}
    i = 0
    while i < len(program.lines):
        if i == 1:
            out += tops
        e = by.get(i)
        if e:
            at[i] = list(range(len(out) + 1, len(out) + 1 + len(e["new"])))
            out += e["new"]
            i += 1 + e.get("eats", 0)
        else:
            out.append(program.lines[i])
            i += 1
    return "\n".join(out) + "\n", [at[e["line"]] for e in edits]


def outcome(program, edits):
    try:
        job = machine.Job(apply(program, edits)[0], program.n)
    except LuaError:
        return "error"
    return job.run()


def readings(program, edits):
    """What is right to say: the planted bug; of two ranks that alone can differ, the mirror image, too. Who leaves out
    a call and destroys the communicator later destroys it too early."""
    all = []
    for e in edits:
        if "skipped-call" in e["classes"] and ":destroy()" in program.text:
            e["classes"] = sorted(set(e["classes"] + ["early-destroy"]))
        all.append({"culprits": e["ranks"], "classes": e["classes"]})
        if e["clash"]:  # two at one place: either may be the wrong one
            all += [{"culprits": sorted(set(e["ranks"] + [r])), "classes": e["classes"]} for r in range(program.n) if r not in e["ranks"]]
        if e.get("cycle") and len(e["ranks"]) == 1:  # a cycle is all of its ranks
            for peer in {members(program, c[1])[c[2]["peer"]] for c in e["cycle"] if "peer" in c[2]}:
                all.append({"culprits": sorted(e["ranks"] + [peer]), "classes": ["p2p-cycle"]})
        if program.n == 2 and e["ranks"]:
            others = [r for r in range(2) if r not in e["ranks"]]
        elif e["pair"] and len(e["ranks"]) == 1 and e.get("partner") is not None:
            others = [e["partner"]]
        else:
            continue
        mirrored = sorted({bugs.MIRROR.get(c, c) for c in e["classes"]})
        all += [{"culprits": others, "classes": mirrored}, {"culprits": sorted(e["ranks"] + others), "classes": e["classes"]}]
    for size in range(2, len(edits) + 1):  # one finding may name the ranks of several bugs
        for some in itertools.combinations(edits, size):
            all.append({"culprits": sorted(r for e in some for r in e["ranks"]), "classes": sorted({c for e in some for c in e["classes"]})})
    return all


def members(program, name):
    return [r for r in range(program.n) if name == "world" or any(c[1] == name for c in program.trace[r])]


def partner(program, edit):
    """The other rank of the communicator of two that the bug is in."""
    for rank in edit["ranks"]:
        for c in program.trace[rank]:
            if c[4] == 2 and c[1].startswith(edit["pair"]):
                return next((r for r in range(program.n) if r != rank and any(x[1] == c[1] for x in program.trace[r])), None)
    return None


def mutant(program):
    """Edits, the verdict of all of them; each alone has to change the outcome."""
    draw = program.draw
    want = draw.choice((1, 1, 1, 1, 1, 1, 1, 2, 2, 3))
    for _ in range(12):
        edits, taken = [], set()
        for _ in range(60):
            if len(edits) == want:
                break
            e = bugs.plant(program, draw, taken)
            if not e or any(set(e["ranks"]) & set(f["ranks"]) for f in edits):
                continue
            verdict = outcome(program, [e])
            if verdict == "pass" or verdict == "error" or e["race"] and verdict != "wrong":
                continue
            e["alone"] = verdict
            edits.append(e)
            taken |= {e["line"], e["line"] + e.get("eats", 0), e["line"] - 1}
        if len(edits) != want:
            continue
        verdict = outcome(program, edits)
        if verdict in ("hang", "wrong"):
            for e in edits:
                e["partner"] = partner(program, e) if e["pair"] else None
            return edits, verdict
    return None, None


def truth(seed, program, edits, verdict):
    lines = apply(program, edits)[1]
    kinds = [e["kind"] for e in edits]
    # What a race reads depends on the machine, and NCCL's rendezvous notices some contradictions.
    if all(e["race"] for e in edits) or any(e["kind"] in ("init size", "init place") for e in edits):
        verdict = None
    return {"file": str(seed), "workload": program.shape, "shape": "process", "ranks": program.n,
            "mutation": kinds[0] if len(kinds) == 1 else "%d bugs" % len(kinds), "verdict": verdict,
            "culprits": edits[0]["ranks"], "classes": edits[0]["classes"], "readings": readings(program, edits), "size": None,
            "bugs": [{"kind": e["kind"], "culprits": e["ranks"], "classes": e["classes"], "lines": l, "alone": e["alone"]}
                     for e, l in zip(edits, lines)]}


def main():
    out, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for folder in ("correct", "mutant"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    with open(os.path.join(out, "truth"), "w") as truths:
        for seed in range(first, first + count):
            program = Program(seed)
            if program.verdict != "pass":
                sys.exit("seed %d (%s): the correct program does not pass here: %s" % (seed, program.shape, program.verdict))
            with open(os.path.join(out, "correct", "%d.lua" % seed), "w") as f:
                f.write(program.text)
            edits, verdict = mutant(program)
            if not edits:
                continue
            with open(os.path.join(out, "mutant", "%d.lua" % seed), "w") as f:
                f.write(apply(program, edits)[0])
            truths.write(json.dumps(truth(seed, program, edits, verdict)) + "\n")


if __name__ == "__main__":
    main()
