"""Bugs that people make, each planted in the text of a correct program at a marked line.

A bug is what one rank (seldom two) does otherwise. `Site` knows who ran the line in the correct program, with which
variables and calls, so a condition always comes true. Each kind gives new lines in place of the old one, the classes that
are right, or None where it does not fit."""
import re

from comm import Comm
from device import Stream

MESSAGES = ("send", "recv")
COMPOSED = ("gather", "scatter", "all_to_all")
MISSED = {"send": ["recv-without-send"], "recv": ["send-without-recv"], "barrier": ["host-wait"], "set": ["host-wait"],
          "get": ["host-wait"]}
ADDED = {"send": ["send-without-recv"], "recv": ["recv-without-send"], "barrier": ["host-wait"]}
RACES = ["read-before-sync", "unordered-input", "buffer-reused", "overlapping-buffers", "never-written"]
QUIET = ("sync", "wait", "record", "expect", "id", "destroy")  # no part of a course that others see


def missed(kind):
    return MISSED.get(kind, ["skipped-call"] + (["recv-without-send", "send-without-recv"] if kind in COMPOSED else []))


def added(kind):
    return ADDED.get(kind, ["extra-call"] + (["recv-without-send", "send-without-recv"] if kind in COMPOSED else []))


MIRROR = {"skipped-call": "extra-call", "extra-call": "skipped-call"}


class Site:
    """A marked line, one rank that comes there, and a condition that is true of that rank, often once only."""

    def __init__(self, program, draw, line, two=False):
        self.p, self.draw, self.line = program, draw, line
        self.text, self.indent = program.lines[line], re.match(r" *", program.lines[line]).group()
        self.body = self.text.strip()
        visits = program.visits[line]
        rank, self.scope, values = draw.choice(visits)
        self.ranks, self.values = [rank], values
        own = [(v, c) for v, c in zip(visits, program.calls_of[line]) if v[0] == rank]
        narrow = [(n, v) for n, v in values.items() if v is not None]
        self.always = draw.random() < .35 or not narrow
        self.calls = [c for v, calls in own if self.always or v[2] == values for c in calls]
        everyone = sorted({v[0] for v in visits})
        if two and len(everyone) >= 6 and all(c[4] >= 5 for c in self.calls if c[1]):  # two stay the fewer
            self.ranks = sorted({rank, draw.choice(everyone)})
        who = " or ".join("rank == %d" % r for r in self.ranks)
        self.before = []
        if len(self.ranks) == 1 and draw.random() < .2:
            name = draw.choice(("late", "slow", "odd", "special", "debug"))
            self.before = ["local %s = { [%d] = true }" % (name, rank)]
            who = name + "[rank]"
        self.rank_only = "(%s)" % who if len(self.ranks) > 1 else who
        self.cond = " and ".join([self.rank_only] + ([] if self.always else ["%s == %s" % (n, _lua(v)) for n, v in narrow]))

    def call(self):  # what the line itself calls
        return self.calls[0] if self.calls else None

    def edit(self, new, classes, kind=None):
        return {"line": self.line, "new": [self.indent + l for l in new], "before": self.before, "ranks": self.ranks,
                "classes": sorted(set(classes)), "clash": False, "kind": kind,
                "pair": next((c[1] for c in self.calls if c[4] == 2), None)}  # the communicator of two that the bug is in


def _lua(v):
    return '"%s"' % v if isinstance(v, str) else str(v)


def wrapped(site, cond, yes, no=()):
    out = ["if %s then" % cond] + ["  " + l for l in yes]
    return out + (["else"] + ["  " + l for l in no] if no else []) + ["end"]


def negated(site):
    if site.cond == "rank == %d" % site.ranks[0]:
        return "rank ~= %d" % site.ranks[0]
    return "not (%s)" % site.cond


def kinds_of(site):
    return list(dict.fromkeys(c[0] for c in site.calls if c[0] not in QUIET))


def options(call, key, value):  # the call with this option
    if re.search(r"\b%s = [^,}]+" % key, call):
        return re.sub(r"\b%s = ([^,}]+?)(?=\s*[,}])" % key, lambda m: "%s = %s" % (key, value(m.group(1))), call)
    if call.endswith("})"):
        return call[:-2].rstrip() + ", %s = %s })" % (key, value(None))
    return call[:-1] + ", { %s = %s })" % (key, value(None)) if call.endswith(")") else None


def split_call(body):
    """`function(c, s) c:all_reduce(...) end,` has a call in its midst; so have most lines."""
    m = re.match(r"^(.*?)([\w.\[\]]+:(?:all_reduce|broadcast|reduce|all_gather|reduce_scatter|all_to_all|gather|scatter|send|recv)\(.*\))(.*)$", body)
    return m.groups() if m else None


def in_midst(site, replace):
    parts = split_call(site.body)
    if not parts:
        return None
    new = replace(parts[1])
    return new and [parts[0] + new + parts[2]]


# ---- kinds: fn(site) gives an edit or None ----

def skip(site):
    kinds = kinds_of(site)
    if not kinds:
        return None
    parts = split_call(site.body)
    if parts and (parts[0] or parts[2]):
        new = [parts[0] + "if %s then %s end" % (negated(site), parts[1]) + parts[2]]
    else:
        new = wrapped(site, negated(site), [site.body])
    return site.edit(new, [c for k in kinds for c in missed(k)])


def extra(site):
    kinds = kinds_of(site)
    if not kinds or site.body.startswith("table.insert"):
        return None
    parts = split_call(site.body)
    if parts and (parts[0] or parts[2]):
        new = [parts[0] + parts[1] + " if %s then %s end" % (site.cond, parts[1]) + parts[2]]
    else:
        new = [site.body] + wrapped(site, site.cond, [site.body])
    return site.edit(new, [c for k in kinds for c in added(k)])


def swap(site):
    p = site.p
    after = p.lines[site.line + 1] if site.line + 1 < len(p.lines) else ""
    call, next_kinds = site.call(), [c for calls in p.calls_of.get(site.line + 1, ()) for c in calls]
    if not call or not next_kinds or not split_call(after.strip()) or after.strip().endswith(","):
        return None
    if re.match(r" *", after).group() != site.indent:
        return None
    a, b = call[0], next_kinds[0][0]
    if a in MESSAGES or b in MESSAGES:
        classes = ["p2p-cycle", "message-order", "swapped-calls"]
    else:
        classes = ["swapped-calls"] if call[1] == next_kinds[0][1] else ["comm-order", "launch-order"]
    edit = site.edit(wrapped(site, site.cond, [after.strip(), site.body], [site.body, after.strip()]), classes)
    edit["eats"] = 1
    if a in MESSAGES and b in MESSAGES:
        same = {c[2]["peer"] for v, calls in zip(p.visits[site.line + 1], p.calls_of[site.line + 1])
                if v[0] in site.ranks for c in calls}
        edit["cycle"] = [c for c in site.calls if c[2]["peer"] in same]
    return edit


def count(site):
    call = site.call()
    if not call or call[2]["count"] < 2:
        return None
    other = site.draw.choice((call[2]["count"] // 2, call[2]["count"] - 1))
    new = in_midst(site, lambda c: options(c, "count", lambda old: "%s and %d or %s" % (site.cond, other, old or call[2]["count"])))
    if len({c[2]["count"] for c in site.calls}) > 1:
        return None
    message = call[0] in MESSAGES + COMPOSED
    return new and site.edit(new, ["p2p-count-mismatch", "count-mismatch"] if message else ["count-mismatch"])


def op(site):
    call = site.call()
    if not call or call[0] not in ("all_reduce", "reduce", "reduce_scatter"):
        return None
    other = site.draw.choice([o for o in ("sum", "max", "min") if o != call[2]["op"]])
    new = in_midst(site, lambda c: options(c, "op", lambda old: '%s and "%s" or "%s"' % (site.cond, other, call[2]["op"])))
    return new and site.edit(new, ["op-mismatch"])


def root(site):
    call = site.call()
    if not call or call[2].get("root") is None or call[0] in ("gather", "scatter"):
        return None
    other = site.draw.choice([r for r in range(call[4]) if r != call[2]["root"]] or [None])
    if other is None:
        return None
    new = in_midst(site, lambda c: options(c, "root", lambda old: "%s and %d or %s" % (site.cond, other, old or 0)))
    return new and site.edit(new, ["root-mismatch"])


def peer(site):
    call = site.call()
    if not call or call[0] not in MESSAGES or call[4] < 3 or len({c[2]["peer"] for c in site.calls}) > 1:
        return None
    me = site.p.rank_in(site.scope, call, site.ranks[0])
    others = [r for r in range(call[4]) if r not in (call[2]["peer"], me)]
    if not others:
        return None
    other = site.draw.choice(others)
    new = in_midst(site, lambda c: re.sub(r"^([^(]*\([^,]+, )([^,{]+?)(\)|, \{.*)$", lambda m: "%s%s and %d or %s%s" % (
        m.group(1), site.cond, other, m.group(2), m.group(3)), c))
    return new and site.edit(new, ["wrong-peer"])


def in_scope(scope, kind):
    found, at = {}, scope
    while at:
        for name, v in at.v.items():
            if isinstance(v, kind) and name not in found:
                found[name] = v
        at = at.up
    return found


def comm(site):
    call, parts = site.call(), split_call(site.body)
    if not call or not parts or parts[0] or parts[2] or call[0] in MESSAGES + COMPOSED:
        return None
    mine = parts[1].split(":")[0]
    others = [n for n, c in in_scope(site.scope, Comm).items()
              if c.f_name != call[1] and c.f_nranks > 1 and c.f_nranks >= (call[4] if call[0] in ("all_gather", "reduce_scatter", "broadcast") else 2)]
    if not others or call[0] in ("all_gather", "reduce_scatter"):
        return None
    other = site.draw.choice(sorted(others))
    new = ["  local comm = %s and %s or %s" % (site.cond, other, mine), "  comm:" + parts[1].split(":", 1)[1]]
    return site.edit(["do"] + new + ["end"], ["wrong-comm"])


def wrong_stream(site):
    call = site.call()
    others = sorted(n for n in in_scope(site.scope, Stream))
    if not call or len(others) < 2:
        return None
    other = site.draw.choice(others)
    new = in_midst(site, lambda c: options(c, "stream", lambda old: "%s and %s or %s" % (site.cond, other, old or "stream")))
    return new and site.edit(new, RACES, "race")


def no_wait(site):
    return site.edit(wrapped(site, negated(site), [site.body]), RACES, "race")


def rounds(by):
    def fn(site):
        m = re.match(r"^for (\w+) = 1, (.+) do$", site.body)
        if not m:
            return None
        new = ["for %s = 1, %s %s (%s and 1 or 0) do" % (m.group(1), m.group(2), "-+"[by > 0], site.rank_only)]
        kinds = site.p.kinds(site.ranks[0])
        return site.edit(new, [c for k in kinds for c in (missed if by < 0 else added)(k)], "rounds")
    return fn


def leave(site):
    inner = bool(site.indent)
    kinds = site.p.kinds(site.ranks[0])
    word = site.draw.choice(("return", "break")) if inner and "return" not in site.body else "return"
    return site.edit(wrapped(site, site.cond, [word]) + [site.body], [c for k in kinds for c in missed(k)], "leave")


def destroy(site):
    name = "job.comm" if "job" in in_scope_names(site.scope) else "world"
    kinds = site.p.kinds(site.ranks[0])
    return site.edit(wrapped(site, site.cond, [name + ":destroy()", "return"]) + [site.body],
                     ["early-destroy", "destroy-missing-rank", "destroy-order"] + [c for k in kinds for c in missed(k)], "leave")


def in_scope_names(scope):
    found = set()
    while scope:
        found |= set(scope.v)
        scope = scope.up
    return found


def key(site):
    new = re.sub(r'^store:set\("(\w+)"', lambda m: 'store:set((%s and "%s_" or "%s")' % (site.cond, m.group(1), m.group(1)), site.body)
    return site.edit([new], ["host-wait"])


def hook(site):
    if site.body.count("(") > site.body.count(")"):  # a function begins here
        name = site.body.split("(")[0]
        new = ["local %s = %s and function() end or %s" % (name, site.cond, name), site.body]
    else:
        new = wrapped(site, negated(site), [site.body])
    kinds = site.p.kinds(site.ranks[0])
    return site.edit(new, [c for k in kinds for c in missed(k) if k not in ("barrier", "send", "recv", "split")], "hook")


def patch_plan(site):
    name = site.p.marks[site.line][1][0]
    entries = [l.strip() for l, (k, _) in zip(site.p.lines, site.p.marks) if k == "plan"]
    n, d = len(entries), site.draw
    at = d.randint(1, n)
    value = lambda e, f: re.search(r'%s = "?(\w+)' % f, e)
    what = d.choice(("remove", "remove", "swap", "count", "copy", "on", "op", "stop"))
    cond = site.rank_only
    if what == "remove":
        new, classes = "table.remove(%s, %d)" % (name, at), missed("all_reduce")
    elif what == "stop":
        new, classes = "%s[#%s] = nil" % (name, name), missed("all_reduce")
    elif what == "copy":
        new, classes = "table.insert(%s, %d, %s[%d])" % (name, at, name, at), added("all_reduce")
    elif what == "swap":
        if at == n:
            return None
        same = value(entries[at - 1], "on").group(1) == value(entries[at], "on").group(1)
        new = "%s[%d], %s[%d] = %s[%d], %s[%d]" % (name, at, name, at + 1, name, at + 1, name, at)
        classes = ["swapped-calls"] if same else ["comm-order", "launch-order"]
    elif what == "count":
        new = "%s[%d].count = %d" % (name, at, int(value(entries[at - 1], "count").group(1)) // 2)
        classes = ["count-mismatch"]
    elif what == "on":
        other = d.choice([c for c in ("world", "half", "pair") if c != value(entries[at - 1], "on").group(1)])
        if value(entries[at - 1], "op").group(1) in ("gather", "scatter", "bcast"):
            return None
        new, classes = '%s[%d].on = "%s"' % (name, at, other), ["wrong-comm"]
    else:
        old = value(entries[at - 1], "op").group(1)
        other = {"sum": "max", "max": "sum", "gather": "sum", "scatter": "sum"}.get(old)
        if not other:
            return None
        new, classes = '%s[%d].op = "%s"' % (name, at, other), ["op-mismatch"] if old in ("sum", "max") else ["kind-mismatch"]
    edit = site.edit([site.body] + wrapped(site, cond, [new]), classes, "plan " + what)
    on = [value(e, "on").group(1) for e in entries]
    where = on[-1 if what == "stop" else at - 1]
    edit["pair"] = where if where == "pair" or where == "half" and site.p.n == 4 else None
    return edit


def wrong_graph(site):
    shapes = [int(v) for l in site.p.lines if l.startswith("local graphs, shapes") for v in re.findall(r"\d+", l)]
    here = site.values.get("size")
    other = site.draw.choice([s for s in shapes if s != here])
    return site.edit(["graphs[%s and %d or size]:launch(stream)" % (site.cond, other)], ["count-mismatch"], "wrong_graph")


def stale_table(site):
    name = site.p.marks[site.line][1][0]
    if name == "roles":
        k = site.draw.randrange(1, site.p.n)
        edit = site.edit([site.body.replace("}", ', [%d] = rank == %d and "server" or nil }' % (k, k))],
                         ["recv-without-send", "send-without-recv", "wrong-peer", "skipped-call", "p2p-cycle"], "role")
        edit["ranks"] = [k]
        edit["before"] = []
        return edit
    sizes = [int(v) for v in re.findall(r"\d+", site.body)]
    at = site.draw.randrange(len(sizes))
    others = [s for s in sizes if s != sizes[at]]
    if not others:
        return None
    return site.edit([site.body] + wrapped(site, site.rank_only, ["%s[%d] = %d" % (name, at + 1, site.draw.choice(others))]),
                     ["count-mismatch"], "stale_table")


def role(site):
    learner = site.ranks[0] < 2 and "is_learner" in site.body
    if not learner or len(site.ranks) > 1:
        return None
    new = site.body.replace("is_learner and", "is_learner and not (%s) and" % site.rank_only)
    kinds = site.p.kinds(site.ranks[0])
    return site.edit([new], [c for k in kinds for c in missed(k) + added(k)] + ["wrong-peer", "p2p-cycle"], "role")


def ungroup(site):
    if not site.body.startswith("nccl.group"):
        return None
    if site.draw.random() < .7:  # nobody groups: no rank is the one
        edit = site.edit(["local function grouped(f) return f() end", site.body.replace("nccl.group", "grouped", 1)], ["p2p-cycle"], "ungroup")
        edit["ranks"] = []
        return edit
    new = ["local group = %s and function(f) return f() end or nccl.group" % site.cond, site.body.replace("nccl.group", "group", 1)]
    return site.edit(new, ["p2p-cycle"], "ungroup")


def open_group(site):
    return site.edit(["if %s then C.ncclGroupEnd() end" % negated(site)], ["missing-group-end"], "open_group")


def dtype(site):
    m = re.search(r'cuda\.buffer\("float32"', site.body)
    if not m:
        return None
    new = site.body.replace('cuda.buffer("float32"', 'cuda.buffer(%s and "float16" or "float32"' % site.cond, 1)
    return site.edit([new], ["dtype-mismatch", "p2p-count-mismatch"], "dtype")


def size(site):
    m = re.search(r'"float64", (\d+)', site.body)
    return m and site.edit([site.body.replace(m.group(), '"float64", %s and %d or %s' % (
        site.rank_only, int(m.group(1)) // 2, m.group(1)))], ["p2p-count-mismatch"], "size")


def neighbour(site):
    m = re.match(r"^(prev|next) = (.+),$", site.body)
    if m:
        by = site.draw.choice((-1, 1))
        return site.edit(["%s = %s and %s or %s," % (m.group(1), site.rank_only, "at %s %d" % ("-+"[by > 0], site.draw.choice((1, 2))), m.group(2))],
                         ["wrong-peer", "send-without-recv", "recv-without-send"], "neighbour")
    which = site.draw.choice(("left", "right"))
    return site.edit([site.body] + wrapped(site, site.rank_only, ["%s = (rank + 2) %% nranks" % which]),
                     ["wrong-peer", "send-without-recv", "recv-without-send"], "neighbour")  # it may have had none


def init(site):
    what = site.draw.choice(("absent", "size", "place"))
    if what == "absent":
        return site.edit(wrapped(site, site.cond, ["return"]) + [site.body], ["init-missing-rank"], "init absent")
    if what == "size":
        return site.edit([site.body.replace("(team.count,", "(team.count - (%s and 1 or 0)," % site.cond)],
                         ["init-clash", "error-path", "failed-call"], "init size")
    edit = site.edit([site.body.replace("id, me,", "id, %s and (me + 1) %% team.count or me," % site.cond)], ["init-clash"], "init place")
    edit["clash"] = True
    return edit


def keep_graph(site):
    return site.edit(["if %s then" % negated(site), "  " + site.body, "end"], ["graph-holds-communicator"], "keep_graph")


# What people get wrong at a line of each mark, and what they get wrong more often.
fewer, more = rounds(-1), rounds(1)
KINDS = {
    "call": (skip, extra, swap, count, op, root, peer, comm, wrong_stream), "skipline": (skip, extra),
    "graph": (wrong_graph, skip, extra), "barrier": (skip, extra), "sync": (no_wait,), "wait": (no_wait,), "loop": (fewer, more),
    "leave": (leave, destroy), "set": (key, skip), "hook": (hook,), "endplan": (patch_plan,), "table": (stale_table,),
    "role": (role,), "group": (ungroup,), "groupend": (open_group,), "buffer": (dtype,), "size": (size,), "peer": (neighbour,),
    "gdestroy": (keep_graph,), "init": (init,), "plan": (),
}
OFTEN = {skip: 4, extra: 2, swap: 3, peer: 3, comm: 2, wrong_stream: 2, dtype: .5, more: .5, patch_plan: 20, wrong_graph: 8,
         stale_table: 4, role: 12, ungroup: 2, open_group: 10, hook: 8, leave: 6, destroy: 3, init: 6, keep_graph: 4,
         neighbour: 4, key: 3}


def plant(program, draw, taken=()):
    """One bug at random, or None if what was drawn does not fit."""
    places = {}
    for i, (mark, _) in enumerate(program.marks):
        if mark and i in program.visits and i not in taken:
            for fn in KINDS[mark]:
                places.setdefault(fn, []).append(i)
    if not places:
        return None
    fn = draw.choices(list(places), [OFTEN.get(fn, 1) for fn in places])[0]
    for _ in range(8):
        edit = fn(Site(program, draw, draw.choice(places[fn]), two=draw.random() < .12))
        if edit and edit["classes"] and edit["line"] + edit.get("eats", 0) not in taken:
            edit["kind"] = edit["kind"] if edit["kind"] not in (None, "race") else fn.__name__
            edit["race"] = edit["classes"] == sorted(RACES)
            return edit
    return None
