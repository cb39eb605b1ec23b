"""Hostile scenarios beyond those of tests/escape: size, depth and texts; and what is written of them."""
from attempt import Attempt, FORMATS
from dumps import ESC, dump, entry, group

LUA = "scenario { ranks = 2 }\n"
TEXT = 'local e = "a\\27[2J\\27]0;x\\7\\u{202e}\\u{9b}\\u{2028}\\xff\\0z"\n'
HANG = 'local x = cuda.buffer("float32", 4):fill(1)\nif rank == 0 then world:all_reduce(x, { label = e }) end\nstream:sync()\n'


def yaml():
    yield "deep lists", "ranks: 2\nprogram: " + "[" * 50000
    yield "deep maps", "".join(" " * i + "a:\n" for i in range(1500))
    yield "a billion of aliases", "a: &a [x, x]\n" + "".join("%s: &%s [%s]\n" % (c, c, ", ".join(["*" + p] * 10)) for p, c in zip("abcdefgh", "bcdefghi"))
    yield "an alias of itself", "ranks: &a [*a]\n"
    yield "30000 keys", "ranks: 2\n" + "".join("k%d: 1\n" % i for i in range(30000))
    yield "30000 lines", "ranks: 2\nprogram:\n" + "  - barrier\n" * 30000
    yield "escapes", 'ranks: 2\n"\\e[2J\\u202e\\x9b": "\\e]0;x\\a"\n'
    yield "a long key", "k" * 300000 + ": 1\n"
    yield "a tag of Python", "ranks: !!python/object/apply:os.system ['touch pwned']\n"
    yield "a tag of a file", "ranks: !include ../secret.py\n"
    yield "no UTF-8", b"ranks: \xff\xfe\n"
    yield "zero bytes", b"ranks: 2\0\n"
    yield "many documents", "---\nranks: 2\n" * 5000


def lua():
    yield "deep brackets", "local x = " + "(" * 100000
    yield "deep tables", "local x = " + "{" * 150 + "}" * 150 + "\n" + LUA
    yield "30000 functions", LUA + "".join("local function f() end\n" for _ in range(150)) + "f()\n" * 30000
    yield "a long name", LUA + "n" * 300000 + " = 1\n"
    yield "a long text", LUA + 'error("' + "t" * 300000 + '")\n'
    yield "an error with escapes", LUA + TEXT + "error(e)\n"
    yield "output with escapes", LUA + TEXT + "print(e)\n"
    yield "much output", LUA + 'for i = 1, 200 do print(string.rep("x", 100)) end\n'
    yield "a module of a path", LUA + 'require "../secret"\n'
    yield "a module of an escape", LUA + TEXT + "require(e)\n"
    yield "a module that is a pipe", LUA + 'require "pipe"\n'
    yield "a loop of failing guards", LUA + ('local t = setmetatable({}, { __index = function() error "x" end })\nwhile true do\n'
                                            'pcall(table.concat, t, "", 1, 100000000) pcall(table.move, t, 1, 100000000, 2)\nend\n')
    yield "sums beyond", LUA + "table.move({}, math.mininteger, math.maxinteger, 1)\n"
    yield "a huge buffer", LUA + 'cuda.buffer("float64", math.maxinteger // 8)\n'
    yield "a huge format", LUA + 'string.format("%999d", 1)\n'
    yield "a huge pack", LUA + 'string.pack("!16" .. string.rep("i16", 100000), 1)\n'


def attempts():
    for name, text in yaml():
        yield Attempt("yaml, " + name, {"s.scenario.yaml": text}, None, command=["check", "s.scenario.yaml"])
    for name, text in lua():
        yield Attempt("lua, " + name, {"s.lua": text}, None, command=["run", "s.lua"], pipes=["pipe.lua"])
    for kind in FORMATS:
        yield Attempt("names in " + kind, {"s.lua": LUA + TEXT + "print(e)\n" + HANG}, None, command=["run", "--format", kind, "s.lua"])
        yield Attempt("a dump in " + kind, {"t_0.json": dump([entry(0, ("0", ESC))], group(desc=ESC))}, None, command=["diagnose", "--format", kind, "."])
    yield Attempt("a scenario of a dump", {"t_0.json": dump([entry(0, ("0", ESC))], group(desc="]]" + ESC + "\n os.exit()"))}, None,
                  command=["diagnose", "--scenario", "/dev/stdout", "t_0.json"])
    yield Attempt("a suite goes on", {"a.lua": dict(lua())["a loop of failing guards"], "b.lua": LUA + 'print("b was run")\n'}, None,
                  command=["run", "a.lua", "b.lua"], has="b.lua")
    yield Attempt("a file name with escapes", {"\x1b[2J\u202e.lua": LUA}, None, command=["run", "\x1b[2J\u202e.lua"])
