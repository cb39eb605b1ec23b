"""What a program comes to, by the documented rules of matching alone (docs, `ncclscript explain`): hosts, streams,
launches, contact, messages without buffers, data. Each rank is a thread that runs until it has to wait; device work
moves only when no host can run. It knows nothing of the simulator and nothing of the diagnosis."""
import threading

import lua
from comm import Comm, Group
from device import Buffer, Event, Graph, Launch, Object, Op, Stream, opt
from values import LuaError, Table, number_text, text_format, values


class Stop(BaseException):
    pass


class Rank:
    def __init__(self, job, number):
        self.job, self.number, self.over, self.ready = job, number, False, None
        self.depth, self.queued, self.capturing, self.trace, self.last = 0, [], None, [], {}
        self.barriers, self.stuck = 0, None
        self.go = threading.Semaphore(0)
        self.stream = Stream(self)
        self.thread = threading.Thread(target=self.body, daemon=True)

    # ---- threads ----

    def body(self):
        self.go.acquire()
        try:
            if self.job.stopping:
                return
            self.interp.run(self.job.names(self))
            mine = [o for o in self.job.ops if o.rank is self]
            if self.depth:
                self.job.open_groups.append(self.number)
            self.park(lambda: all(o.done for o in mine))
        except Stop:
            pass
        except (LuaError, TypeError, AttributeError, KeyError, IndexError, ZeroDivisionError) as e:
            self.job.errors.append((self.number, self.interp.line, repr(e)))
            self.failed = True
        self.over = not hasattr(self, "failed")
        self.ended = True
        self.job.turn.release()

    def park(self, ready):
        self.touch()
        if ready():
            return
        self.ready, self.stuck = ready, self.interp.line
        self.job.turn.release()
        self.go.acquire()
        if self.job.stopping:
            raise Stop()
        self.ready = None

    def touch(self):
        self.job.steps += 1
        if self.job.steps > self.job.limit:
            raise LuaError("too many steps")

    # ---- calls ----

    def note(self, kind, comm=None, **args):
        self.trace.append((kind, comm.f_name if comm else None, args, self.interp.line, comm.f_nranks if comm else 0))

    def add(self, op):
        self.job.ops.append(op)
        return op

    def comm(self, key, members, name):
        group = self.job.groups.setdefault(key, None) or Group(self.job, members)
        self.job.groups[key] = group
        return Comm(self, group, name)

    def queue(self, group, stream, make, contact):
        self.queued.append((group, stream, make, contact))
        if self.depth == 0:
            self.flush()

    def flush(self):
        calls, self.queued = self.queued, []
        waits = []
        for group, _, _, contact in calls:
            for c in contact:
                group.entered.add(c)
                if c[0] == "x":
                    waits.append((group, [("x", m) for m in group.members]))
                else:
                    waits.append((group, [("recv" if c[0] == "send" else "send", c[2], c[1])]))
        self.park(lambda: all(w in group.entered for group, all_of in waits for w in all_of))
        if self.capturing is not None:
            self.capturing.extend((group, make) for group, _, make, _ in calls)
            return
        self.launch([call[:3] for call in calls])

    def launch(self, calls):
        for group in dict.fromkeys(c[0] for c in calls):
            mine = [c for c in calls if c[0] is group]
            parts = [p for c in mine for p in c[2]()]
            streams = list(dict.fromkeys(c[1] for c in mine))
            op = self.add(Launch(self, [s.tail for s in streams] + [self.last.get(group)], group, parts))
            self.last[group] = op
            for s in streams:
                s.tail = op
        self.touch()

    def group_start(self):
        self.depth += 1

    def group_end(self):
        if self.depth == 0:
            raise LuaError("not in a group call")
        self.depth -= 1
        if self.depth == 0:
            self.flush()


class Job:
    def __init__(self, source, n, watched=(), watch=None, limit=60000):
        self.n, self.stopping, self.limit, self.steps = n, False, limit, 0
        self.ops, self.groups, self.errors, self.wrong, self.disagree = [], {}, [], [], False
        self.keys, self.arrived, self.open_groups, self.ids = {}, {}, [], 0
        self.turn = threading.Semaphore(0)
        self.ranks = [Rank(self, r) for r in range(n)]
        for r in self.ranks:
            r.interp = lua.Interpreter(source, watched, watch and (lambda line, scope, r=r: watch(r.number, line, scope)))

    def run(self):
        for r in self.ranks:
            r.ended = False
            r.thread.start()
        while True:
            moved = False
            for r in self.ranks:
                if not r.ended and (r.ready is None or r.ready()):
                    r.go.release()
                    self.turn.acquire()
                    moved = True
            if moved:
                continue
            self.ops = [o for o in self.ops if not o.done]
            if not any(o.step() for o in self.ops):
                break
        self.waiting = {r.number: r.stuck for r in self.ranks if not r.ended}
        self.stopping = True
        for r in self.ranks:
            if not r.ended:
                r.go.release()
                self.turn.acquire()
        if self.errors:
            return "error"
        if self.waiting:
            return "hang"
        return "wrong" if self.wrong or self.disagree or self.open_groups else "pass"

    def expect(self, rank, got, want, options=None):
        rank.note("expect")
        if isinstance(got, Buffer):
            have = got.read(got.f_count)
            wants = [values(want(i + 1))[0] for i in range(len(have))] if callable(want) else \
                want.list() if isinstance(want, Table) else [want] * len(have)
        else:
            have, wants = [got], [want]
        for h, w in zip(have, wants):
            if h is None or not abs(h - w) <= 1e-6 * max(1, abs(w)):
                self.wrong.append((rank.number, rank.interp.line, h, w))
                return False
        return True

    def names(self, r):
        job = self

        class Store(Object):
            def m_set(self, key, value):
                r.note("set")
                job.keys[key] = value
                r.touch()

            def m_get(self, key, options=None):
                r.note("get")
                r.park(lambda: key in job.keys)
                return job.keys[key]

            def m_add(self, key, n):
                job.keys[key] = job.keys.get(key, 0) + n
                return job.keys[key]

        def barrier(options=None):
            r.note("barrier")
            who = opt(options, "ranks")
            who = tuple(who.list()) if who else tuple(range(job.n))
            time = r.last[who] = r.last.get(who, 0) + 1
            room = job.arrived.setdefault((who, time), set())
            room.add(r.number)
            r.park(lambda: len(room) == len(who))
            return True

        def group(*args):
            r.group_start()
            got = args[-1]()
            r.group_end()
            return got

        def graph(stream, fn, options=None):
            before, r.capturing = r.capturing, []
            fn()
            calls, r.capturing = r.capturing, before
            return Graph(r, stream, calls)

        def remove(t, at=None):
            all = t.list()
            if not all:
                return None
            v = all.pop(len(all) - 1 if at is None else at - 1)
            t.h = {**{k: x for k, x in t.h.items() if not isinstance(k, int)}, **{i + 1: x for i, x in enumerate(all)}}
            return v

        def insert(t, *args):
            all = t.list()
            all.insert(len(all) if len(args) == 1 else args[0] - 1, args[-1])
            t.h.update({i + 1: x for i, x in enumerate(all)})

        def pairs(t):
            whole = [(i + 1, v) for i, v in enumerate(t.list())]
            return whole + sorted(((k, v) for k, v in t.h.items() if not (isinstance(k, int) and 1 <= k <= len(whole))), key=lambda p: str(p[0]))

        def setmetatable(t, mt):
            t.mt = mt
            return t

        def error(text):
            raise LuaError(text)

        def module(**fields):
            t = Table()
            t.h = fields
            return t
        def unique_id():
            job.ids += 1
            return "id %d" % job.ids
        world = r.comm("world", list(range(job.n)), "world")
        return {
            "rank": r.number, "nranks": job.n, "stream": r.stream, "world": world,
            "store": Store(), "barrier": barrier, "scenario": lambda t: None, "print": lambda *a: None, "error": error,
            "setmetatable": setmetatable, "tostring": number_text, "ipairs": lambda t: [list(enumerate(t.list(), 1))],
            "pairs": lambda t: [pairs(t)], "sleep": lambda s: None,
            "expect": module(equal=lambda *a: job.expect(r, *a)),
            "nccl": module(NOCOLOR=-1, group=group, unique_id=unique_id, init_rank=lambda n, key, me, config=None:
                           world.join(key, n, me, opt(config, "name", "comm"))),
            "C": module(ncclGroupStart=r.group_start, ncclGroupEnd=r.group_end),
            "cuda": module(buffer=lambda dtype, count, options=None: Buffer(r, dtype, count),
                           stream=lambda options=None: Stream(r), event=lambda options=None: Event(r), graph=graph),
            "math": module(max=max, min=min, floor=lambda v: int(v // 1)),
            "table": module(insert=insert, remove=remove, concat=lambda t, sep="": sep.join(number_text(v) for v in t.list()),
                            sort=lambda t, less=None: t.h.update(enumerate(sorted(t.list()), 1))),
            "string": module(format=text_format),
        }
