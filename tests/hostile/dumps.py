"""Hostile dumps, logs, lines of watchdogs, and stacks."""
import gzip
import json
import pickle

from attempt import Attempt

ESC = "a\x1b[2J\x1b]0;owned\x07\u202e\u2066\x9b31m\u2028\ufeffz"
LONG = "L" * 300000


def entry(i, pg=("0", "default_pg"), name="nccl:all_reduce", state="scheduled", **more):
    e = {"profiling_name": name, "process_group": list(pg), "collective_seq_id": i + 1, "p2p_seq_id": 0, "op_id": i + 1,
         "record_id": i, "pg_id": 0, "input_sizes": [[4]], "output_sizes": [[4]], "input_dtypes": ["Float"],
         "output_dtypes": ["Float"], "state": state, "is_p2p": False, "retired": False}
    e.update(more)
    return e


def group(name="0", desc="default_pg", ranks="[0, 1]"):
    return {name: {"name": name, "desc": desc, "ranks": ranks}}


def dump(entries, config=None, **more):
    return json.dumps(dict({"version": "2.10", "pg_config": group() if config is None else config, "entries": entries}, **more))


def pickled(root):
    return pickle.dumps(root, 2)


def of_json():
    one = {"version": "2.10", "pg_config": group(), "entries": [entry(0)]}
    texts = [("profiling_name", 5), ("process_group", 5), ("state", 3), ("input_dtypes", 3)]
    for key, want in texts:
        yield "terminal escapes in " + key, dump([entry(0, **{key: [ESC, ESC] if key == "process_group" else
                                                             [ESC] if key.endswith("s") else ESC})]), None
    yield "escapes in a group", dump([entry(0, ("0", ESC))], group(desc=ESC)), None
    yield "escapes as a version", dump([entry(0)], version=ESC, comm_lib_version=ESC), None
    yield "escapes as a key", dump([entry(0)], {ESC: {"name": ESC, "desc": ESC, "ranks": "[0, 1]"}}), None
    yield "a long group", dump([entry(0, ("0", LONG))], group(desc=LONG)), None
    yield "a long kind", dump([entry(0, name=LONG)]), None
    yield "a long state", dump([entry(0, state=LONG)]), None
    yield "a call of a path", dump([entry(0, name="nccl:../../secret")]), None
    yield "a group of a path", dump([entry(0, ("0", "../secret"))], group(desc="../secret")), None
    yield "negative ranks", dump([entry(0)], group(ranks="[-1, -2]")), None
    yield "huge ranks", dump([entry(0)], group(ranks="[0, 99999999999999999999]")), None
    yield "one rank often", dump([entry(0)], group(ranks=str([0] * 50000))), None
    yield "numbers of the edge", dump([entry(2**63 - 2, collective_seq_id=2**63 - 1), entry(1, collective_seq_id=-2**63)]), None
    yield "numbers beyond", '{"pg_config": {}, "entries": [{"profiling_name": "nccl:all_reduce", "record_id": 1e999}]}', None
    yield "sizes of the edge", dump([entry(0, input_sizes=[[2**62, 2**62]], output_sizes=[[-1]])]), None
    yield "many sizes", dump([entry(0, input_sizes=[[1] * 200000], output_sizes=[[]] * 100000)]), None
    yield "deep", "[" * 100000, None
    yield "deep within", '{"entries": ' + "[" * 5000, None
    yield "deep groups", dump([entry(0, process_group=json.loads("[" * 400 + "]" * 400))]), None
    yield "all keys twice", json.dumps(one)[:-1] + "," + json.dumps(one)[1:], None
    yield "no UTF-8", json.dumps(one).replace("default_pg", "\udc80").encode("utf-8", "surrogateescape"), None
    yield "a surrogate", json.dumps(one).replace("default_pg", "\\ud800"), None
    yield "a zero byte", json.dumps(one).replace("default_pg", "a\\u0000b"), None
    yield "sends to itself", dump([entry(0, name="nccl:send 0->0", is_p2p=True)]), None
    yield "a send far away", dump([entry(0, name="nccl:send 0->99999999999999999999", is_p2p=True)]), None
    yield "60000 ranks", dump([entry(0)], group(ranks=str(list(range(60000))))), None
    yield "60000 groups", dump([entry(i, (str(i), "g")) for i in range(60000)],
                               {str(i): {"name": str(i), "desc": "g%d" % i, "ranks": "[0, 1]"} for i in range(60000)}), None
    yield "groups without ranks", dump([entry(i, (str(i), "g%d" % i)) for i in range(5000)], {}), None
    yield "pairs of 5000", dump([entry(i, name="nccl:send 0->%d" % (i + 1), is_p2p=True) for i in range(5000)],
                                 group(ranks=str(list(range(5001))))), None
    yield "a status of each", dump([entry(i, pg_id=4999 - i) for i in range(5000)],
                                   pg_status={str(i): {"last_completed_collective": 1} for i in range(5000)}), None


def of_pickles():
    frames = [{"name": "f", "filename": f, "line": 1} for f in ("../secret.py", "/proc/self/environ", "/dev/stdin", ESC, LONG)]
    for f in frames:
        yield "a frame in " + f["filename"][:12].replace("\x1b", "?"), pickled(
            {"version": "2.10", "pg_config": group(), "entries": [entry(0, frames=[f])]})
    yield "shared frames", pickled({"pg_config": group(), "entries": [entry(i, frames=[frames[4]] * 50) for i in range(3000)]})
    wide = dict({"k%d" % i: 1 for i in range(50000)}, **entry(0))
    yield "a shared wide object", pickled({"pg_config": group(), "entries": [wide] * 20000})
    sizes = [[1] * 50000]
    yield "shared sizes", pickled({"pg_config": group(), "entries": [entry(i, input_sizes=sizes) for i in range(3000)]})
    ranks = list(range(60000))
    yield "shared ranks", pickled({"pg_config": {str(i): {"name": str(i), "desc": "g", "ranks": ranks} for i in range(100)},
                                   "entries": []})
    laughs = b"\x80\x02}X\x07\0\0\0entries]q\0K\1a0" + b"".join(
        b"]q" + bytes([i + 1]) + b"(" + (b"h" + bytes([i])) * 10 + b"e0" for i in range(40)) + b"h\x28s."
    yield "a billion of lists", laughs
    yield "marks", b"\x80\x02" + b"(" * 200000 + b"."
    yield "lists of marks", b"\x80\x02" + b"(l" * 200000 + b"."
    yield "a list in itself", b"\x80\x02]q\0" + b"(h\0e" * 50000 + b"."
    yield "a huge text", b"\x80\x04\x8d" + b"\xff" * 7 + b"\x7f."
    yield "a huge frame", b"\x80\x04\x95" + b"\xff" * 8 + b"."
    yield "a huge memo", b"\x80\x02]r\xff\xff\xff\x7f."
    yield "os.system", b"\x80\x02cos\nsystem\nX\x0c\0\0\0touch pwned\x85R."
    yield "builtins.exec", b"\x80\x04\x8c\x08builtins\x8c\x04exec\x93\x8c\x01x\x85R."


def of_logs():
    def init(r, n, comm, end=" - Init COMPLETE"):
        return "n:%d:1 [0] NCCL INFO ncclCommInitRank comm 0x%x rank %d nranks %d cudaDev 0 busId 0 commId 0x7%s\n" % (r, comm, r, n, end)

    def call(r, i, comm, name="AllReduce", count="8", root=0, n=2):
        return "n:%d:1 [0] NCCL INFO %s: opCount %x sendbuff 0x1 recvbuff 0x2 count %s datatype 7 op 0 root %d comm 0x%x [nranks=%d] stream 0x6\n" % (r, name, i, count, root, comm, n)

    two = init(0, 2, 5) + init(1, 2, 6)
    warn = "n:0:1 [0] NCCL WARN %s\n"
    yield "escapes in a warning", two + warn % ESC + call(0, 0, 5)
    yield "escapes in a host", (two + call(0, 0, 5)).replace("n:", "\x1b[2J\u202en:")
    yield "escapes in a function", two + call(0, 0, 5, name=ESC)
    yield "a long warning", two + warn % LONG + call(0, 0, 5)
    yield "a long line", two + "x" * 3000000 + "\n" + call(0, 0, 5)
    yield "a format", two + warn % "%s%n%99999999d" + call(0, 0, 5, name="%n%s")
    yield "ranks beyond", init(99999, 100000, 5) + init(-1, 2, 6) + call(0, 0, 5)
    yield "no ranks", init(0, 0, 5) + call(0, 0, 5, n=0)
    yield "more than int", init(0, 4294967297, 5) + call(0, 0, 5)
    yield "counts of the edge", two + call(0, 0, 5, count="18446744073709551615") + call(1, 0, 6, count="99999999999999999999")
    yield "roots beyond", two + call(0, 0, 5, name="Broadcast", root=2**31 - 1) + call(1, 0, 6, name="Send", root=-2**31)
    yield "buffers that wrap", two + (call(0, 0, 5) + call(1, 0, 6)).replace("0x1 ", "0xffffffffffffffff ")
    yield "a handle of zero", init(0, 2, 0) + call(0, 0, 0)
    yield "zero bytes", (two + call(0, 0, 5)).replace("NCCL", "NC\0CL") + two + call(0, 0, 5)
    yield "100000 lines", two + "".join(call(r, i, 5 + r) for i in range(50000) for r in (0, 1) if i or r)
    yield "lines that differ", two + "".join(call(r, i, 5 + r, count=str(8 + r)) for i in range(5000) for r in (0, 1))
    yield "5000 communicators", "".join(init(r, 2, 2 * i + r + 1) for i in range(5000) for r in (0, 1)) + call(0, 0, 1)
    yield "a communicator of 10000", "".join(init(r, 10000, 1 + r) + call(r, 0, 1 + r, n=10000) for r in range(9999)) + init(9999, 10000, 10001)
    yield "half of 65536 wait", "".join(init(r, 65536, 1 + r) for r in range(65536)) + "".join(
        call(r, 0, 1 + r, n=65536) for r in range(0, 65536, 2))
    yield "a cycle of 5000", "".join(init(r, 5000, 1 + r) for r in range(5000)) + "".join(
        call(r, 0, 1 + r, name="Recv", root=(r + 1) % 5000, n=5000) for r in range(5000))
    yield "sends alone", two + "".join(call(0, i, 5, name="Send", root=1) for i in range(5000))
    yield "groups without end", two + "n:0:1 [0] NCCL INFO ncclGroupStart()\n" * 30000 + call(0, 0, 5)
    wd = ("[rank%d]:[E801 09:12:00.1 ProcessGroupNCCL.cpp:611] [Rank %d] Watchdog caught collective operation timeout: "
          "WorkNCCL(SeqNum=%d, OpType=%s, NumelIn=8, NumelOut=8, Timeout(ms)=1) ran for 2 milliseconds before timing out.\n")
    yield "watchdog, escapes", wd % (0, 0, 5, ESC) + wd % (1, 1, 4, "ALLREDUCE")
    yield "watchdog, a huge number", wd % (0, 0, 2**63, "ALLREDUCE") + wd % (1, 1, 2**31, "ALLREDUCE")
    yield "watchdog, ranks beyond", wd % (2**31, 2**31, 5, "ALLREDUCE") + wd % (65535, 65535, 5, "ALLREDUCE")
    yield "watchdog, 5000 ranks", "".join(wd % (r, r, 5, "ALLREDUCE") for r in range(5000))
    yield "desync, a list", ("[E ProcessGroupNCCL.cpp:831] x\n\t - [0] Timeout at collective: ALLREDUCE, #12\n\t   #12 started ranks:\n\t     ["
                             + ", ".join(map(str, range(60000))) + "] started ALLREDUCE\n")
    clog = "V|1|base_timestamp=1\nnew_comm|comm=%s|rank=%d|world_size=%d\nC1|sig|%s|in_count=%s|out_count=5|dtype=f32|red_op=sum|async_op=f|comm=%s\nC1|Q|work_id=1|+1\n"
    yield "clog, escapes", clog % (ESC, 0, 2, ESC, "5", ESC)
    yield "clog, ranks beyond", clog % ("w", 5, 2, "all_reduce", "-1", "w")
    yield "clog, a world of 10000", clog % ("w", 0, 10000, "all_reduce", "99999999999999999999", "w")
    yield "rccl, deep", "{\n  version : 1,\n" + "  {\n" * 100000
    yield "rccl, cut", "{\n  version : 1,\n  AllReduce : [opCount : 0, sendbuff : [addr : 0x"
    ras = {"nccl_version": ESC, "communicators_count": 1, "communicators": [
        {"hash": ESC, "size": 2, "ranks": [{"rank": r, "host": ESC, "pid": 1, "collective_counts": {ESC: 4, "AllReduce": 2**62 * r}}
                                           for r in range(2)], "missing_ranks": []}]}
    yield "ras, escapes and counts", json.dumps(ras)
    ras["communicators"][0]["size"] = 2**40
    yield "ras, a huge size", json.dumps(ras)
    ras["communicators"] = [{"hash": hex(i), "size": 1, "ranks": [], "missing_ranks": []} for i in range(30000)]
    yield "ras, 30000 communicators", json.dumps(ras)
    horovod = "Stalled ops: "
    yield "horovod, escapes", horovod + ESC + " [missing ranks: 1]\n"
    yield "horovod, 50000 tensors", horovod + ", ".join("t%d [ready ranks: %d]" % (i, i % 8) for i in range(50000)) + "\n"
    stack = "--- rank %d ---\nProcess 7: python\nPython v3.11\n\nThread 7 (idle): \"MainThread\"\n    %s (%s:%d)\n"
    yield "stacks, escapes", stack % (0, ESC, ESC + ".py", 1) + stack % (1, "all_reduce", "t.py", 2)
    yield "stacks, the secret", stack % (0, "f", "SECRET.py", 1) + stack % (1, "all_reduce", "/proc/self/environ.py", 1)
    yield "stacks, 10000 ranks", "".join(stack % (r, "all_reduce", "t.py", r) for r in range(10000))
    yield "stacks, 50000 frames", stack % (0, "f", "t.py", 1) + "".join("    f%d (t%d.py:%d)\n" % (i, i, i) for i in range(50000))
    yield "gdb, escapes", "--- rank 0 ---\nThread 1 (Thread 0x7f (LWP 9) \"x\"):\n#0  0x7f in %s () from /usr/lib/x\n#1  0x5 in m () at %s:1\n" % (ESC, ESC)


WANT = {}


def attempts():
    for name, text, _ in of_json():
        yield Attempt("json, " + name, {"t_0.json": text if isinstance(text, bytes) else text}, None)
    for name, text in of_pickles():
        yield Attempt("pickle, " + name, {"t_0": text}, None)
    for name, text in of_logs():
        text = text.encode("utf-8", "surrogateescape")
        yield Attempt("log, " + name, {"job.log": text}, None)
    small = dump([entry(0)]).encode()
    yield Attempt("gzip, a bomb", {"t_0.json.gz": gzip.compress(b" " * (1 << 26))}, None)
    yield Attempt("gzip, cut off", {"t_0.json.gz": gzip.compress(small)[:-9]}, None)
    yield Attempt("gzip in gzip", {"t_0.json.gz": gzip.compress(gzip.compress(small))}, None)
    yield Attempt("a folder with a pipe", {"t_0.json": small}, None, pipes=["t_1.json"])
    yield Attempt("links", {"t_0.json": small}, None, links=[("t_1.json", "/dev/zero"), ("t_2.json", "."), ("t_3", "/proc/self/environ")])
    yield Attempt("a link to the secret", {"t_0.json": small}, None, links=[("t_1.json", "../secret.py")])
    yield Attempt("names of files", {"\x1b[2J\u202e_0.json": small, b"\xff\xfe_1.json": small}, None)
    yield Attempt("a name that is an option", {"--html": small}, None, command=["diagnose", "--", "--html"])
