/* Lua scenarios: conversions of elements, what scenario{} declares, the sandbox, and the objects by
 * running small scripts on the simulator and reading what they print. */
#include "script_lab.h"

#include <math.h>

#include "api/types.h"
#include "base/mem.h"
#include "script/element.h"
#include "script/object.h"
#include "script/script.h"
#include "script/state.h"

/* ---- elements ---- */

static struct ncs_number number(double d)
{
    return (struct ncs_number){ .d = d };
}

static struct ncs_number whole(int64_t i)
{
    return (struct ncs_number){ .whole = true, .i = i };
}

static unsigned bits_of(int dtype, double d)
{
    unsigned bits = 0;
    ck_assert(ncs_element_write(dtype, number(d), &bits));
    return bits;
}

START_TEST(test_small_floats)
{
    ck_assert_uint_eq(bits_of(ncclFloat16, 1), 0x3c00);
    ck_assert_uint_eq(bits_of(ncclFloat16, -2.5), 0xc100);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65504), 0x7bff);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65519.99), 0x7bff);
    ck_assert_uint_eq(bits_of(ncclFloat16, 65520), 0x7c00);       /* rounds to infinity */
    ck_assert_uint_eq(bits_of(ncclFloat16, 2049), 0x6800);        /* tie: to even, 2048 */
    ck_assert_uint_eq(bits_of(ncclFloat16, 2051), 0x6802);        /* tie: to even, 2052 */
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1p-24), 0x0001);
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1p-25), 0x0000);     /* tie: to zero */
    ck_assert_uint_eq(bits_of(ncclFloat16, 0x1.8p-25), 0x0001);
    ck_assert_uint_eq(bits_of(ncclFloat16, -0.0), 0x8000);
    ck_assert_uint_eq(bits_of(ncclBfloat16, 1), 0x3f80);
    ck_assert_uint_eq(bits_of(ncclBfloat16, 257), 0x4380);        /* tie: to even, 256 */
    ck_assert_uint_eq(bits_of(ncclBfloat16, 1e39), 0x7f80);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 448), 0x7e);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 1e9), 0x7e);        /* saturates */
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, -INFINITY), 0xfe);
    ck_assert_uint_eq(bits_of(ncclFloat8e4m3, 0x1p-9), 0x01);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 57344), 0x7b);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 1e9), 0x7b);
    ck_assert_uint_eq(bits_of(ncclFloat8e5m2, 1.5), 0x3e);
}
END_TEST

START_TEST(test_every_small_float_comes_back)
{
    static const struct { int dtype; unsigned values; } types[] = {
        { ncclFloat16, 65536 }, { ncclBfloat16, 65536 }, { ncclFloat8e4m3, 256 },
        { ncclFloat8e5m2, 256 } };
    for (size_t t = 0; t < 4; t++) {
        double last = -INFINITY;
        for (unsigned bits = 0; bits < types[t].values; bits++) {
            double d = ncs_number_double(ncs_element_read(types[t].dtype, &bits));
            if (isnan(d) || (isinf(d) && types[t].values == 256))
                continue; /* the 8-bit types saturate instead */
            ck_assert_uint_eq(bits_of(types[t].dtype, d), bits);
            if (bits == types[t].values / 2)
                last = INFINITY; /* the negative half counts downward */
            ck_assert(bits < types[t].values / 2 ? d > last : d <= last);
            last = d;
        }
    }
}
END_TEST

START_TEST(test_integers)
{
    unsigned char e[8] = { 0 };
    ck_assert(ncs_element_write(ncclInt8, whole(-128), e));
    ck_assert_int_eq(ncs_element_read(ncclInt8, e).i, -128);
    ck_assert(!ncs_element_write(ncclInt8, whole(128), e));
    ck_assert(!ncs_element_write(ncclUint8, whole(-1), e));
    ck_assert(ncs_element_write(ncclUint8, number(255.0), e));
    ck_assert(!ncs_element_write(ncclInt32, number(0.5), e));
    ck_assert(!ncs_element_write(ncclInt32, number(NAN), e));
    ck_assert(!ncs_element_write(ncclInt64, number(0x1p63), e));
    ck_assert(ncs_element_write(ncclUint64, number(0x1p63), e));
    ck_assert(!ncs_element_read(ncclUint64, e).whole);
    ck_assert(ncs_element_read(ncclUint64, e).d == 0x1p63);
    ck_assert(!ncs_element_write(ncclUint64, number(0x1p64), e));
    ck_assert(ncs_element_write(ncclUint32, whole(4294967295), e));
    ck_assert_int_eq(ncs_element_read(ncclUint32, e).i, 4294967295);
}
END_TEST

/* ---- files and declarations ---- */

START_TEST(test_declaration)
{
    loads("scenario { ranks = 4, about = 'x', devices = 2, world = false, policy = 'typical',\n"
          "  verify = false, timeout = '2s', params = { n = 3, f = 0.5, t = 'a', b = true },\n"
          "  needs = { driver = 'sim', nccl = '2.29', gpus = 1 },\n"
          "  sim = { nccl = '2.28.9', memory = '2G', capability = 8.6, eager = 0, ready_after = 3 },\n"
          "  outcome = { hang = { culprit = 2, waiting = { 0, 1 }, call = 3, comm = 'w', why = 'skipped-call' },\n"
          "    finding = 'extra-call' } }\nerror('not reached without ranks')");
    ck_assert_int_eq(scenario.ranks, 4);
    ck_assert_str_eq(scenario.about, "x");
    ck_assert_int_eq(scenario.devices, 2);
    ck_assert(!scenario.world && !scenario.verify);
    ck_assert_int_eq(scenario.policy, NCS_POLICY_TYPICAL);
    ck_assert_int_eq(scenario.timeout, 2000000000);
    ck_assert_uint_eq(scenario.params, 4);
    ck_assert_int_eq(ncs_scenario_param(&scenario, "n")->i, 3);
    ck_assert(ncs_scenario_param(&scenario, "f")->d == 0.5);
    ck_assert_str_eq(ncs_scenario_param(&scenario, "t")->text, "a");
    ck_assert_int_eq(ncs_scenario_param(&scenario, "b")->kind, NCS_PARAM_BOOL);
    ck_assert_int_eq(scenario.needs_nccl, 22900);
    ck_assert_int_eq(scenario.sim_nccl, 22809);
    ck_assert_uint_eq(scenario.sim_memory, (uint64_t)2 << 30);
    ck_assert_int_eq(scenario.sim_capability, 86);
    ck_assert_uint_eq(scenario.sim_eager, 0);
    ck_assert_int_eq(scenario.sim_ready_after, 3);
    const struct ncs_outcome *o = &scenario.outcome;
    ck_assert_int_eq(o->verdict, NCS_HANG);
    ck_assert_uint_eq(o->culprits, 1);
    ck_assert_int_eq(o->culprit[0], 2);
    ck_assert_uint_eq(o->waitings, 2);
    ck_assert_int_eq(o->waiting[1], 1);
    ck_assert_int_eq(o->call, 3);
    ck_assert_str_eq(o->comm, "w");
    ck_assert(o->comm_given);
    ck_assert_str_eq(o->why, "skipped-call");
    ck_assert_str_eq(o->finding, "extra-call");
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_declaration_functions)
{
    const char *sets[] = { "rows=3" };
    settings = (struct ncs_script_settings){ .set = sets, .sets = 1, .policy = NCS_POLICY_TYPICAL };
    loads("scenario { params = { rows = 2, cols = 4 }, policy = 'strict',\n"
          "  ranks = function(p) return math.max(p.rows, 1) * p.cols end,\n"
          "  outcome = function(run)\n"
          "    if run.policy == 'typical' and run.nranks == 12 and run.param.rows == 3 then\n"
          "      return { error = 'ncclInvalidUsage', rank = 1, call = 'ncclSend' } end\n"
          "    return 'pass' end }");
    ck_assert_int_eq(scenario.ranks, 12);
    ck_assert_int_eq(scenario.policy, NCS_POLICY_TYPICAL);
    ck_assert_int_eq(scenario.outcome.verdict, NCS_ERROR);
    ck_assert_str_eq(scenario.outcome.error_name, "ncclInvalidUsage");
    ck_assert_str_eq(scenario.outcome.error_call, "ncclSend");
    ck_assert_int_eq(scenario.outcome.rank, 1);
    ncs_scenario_free(&scenario);
    settings = (struct ncs_script_settings){ .ranks = 7, .policy = -1 };
    loads("scenario { ranks = 2 }");
    ck_assert_int_eq(scenario.ranks, 7);
    ncs_scenario_free(&scenario);
    loads("print('no declaration')");
    ck_assert_int_eq(scenario.ranks, 7);
    ncs_scenario_free(&scenario);
    settings = (struct ncs_script_settings){ .policy = -1 };
    loads("scenario { outcome = { finding = 'skipped-call' } }");
    ck_assert(scenario.outcome.any_verdict);
    ncs_scenario_free(&scenario);
    loads("#!/usr/bin/env ncclscript\nscenario { ranks = 3 }");
    ck_assert_int_eq(scenario.ranks, 3);
    ncs_scenario_free(&scenario);
}
END_TEST

START_TEST(test_bad_declarations)
{
    refuses("scenario {\n  rnaks = 4 }", 2, "no such key 'rnaks': did you mean 'ranks'?");
    refuses("scenario {\n  ranks = 4,\n  sim = { memroy = 1 } }", 3,
            "no such key 'memroy' in sim: did you mean 'memory'?");
    refuses("scenario {\n\n  ranks = 'four' }", 3, "ranks must be a whole number, got \"four\"");
    refuses("scenario { ranks = 0 }", 1, "ranks");
    refuses("scenario { ranks = 10000000 }", 1, "ranks");
    refuses("scenario { verify = 1 }", 1, "verify must be true or false, got 1");
    refuses("scenario { policy = 'stric' }", 1, "no policy \"stric\"");
    refuses("scenario { timeout = 'soon' }", 1, "timeout must be seconds or a duration");
    refuses("scenario { outcome = 'fail' }", 1, "no outcome \"fail\"");
    refuses("scenario { outcome = { hang = true, wrong = true } }", 1, "one of");
    refuses("scenario { outcome = { hang = { culprt = 1 } } }", 1, "did you mean 'culprit'?");
    refuses("scenario { sim = { nccl = 'new' } }", 1, "a version such as");
    refuses("scenario { params = { x = {} } }", 1, "x must be a number, a text or a boolean");
    refuses("scenario { 4 }", 1, "a value without a key");
    refuses("scenario 'x'", 1, "table");
    refuses("scenario { world = { blokcing = false } }", 1, "did you mean 'blocking'?");
    refuses("scenario { ranks = function() while true do end end }", 1, "too long");
    refuses("scenario { ranks = (function() while true do\n"
            "  pcall(function() while true do end end) end end)() }", 2, "too long");
    refuses("scenario { ranks = coroutine.wrap(function() while true do end end)() }", 1,
            "too long");
    refuses("local s = scenario\npcall(s, { ranks = 'x' })\nwhile true do end", 2, "whole number");
    refuses("scenario { outcome = { hang = false } }", 1, "hang must be true or a table");
    refuses("scenario { outcome = { wrong = false } }", 1, "wrong must be true or a table");
    refuses("scenario { env = { D = '', B = '', A = '', C = '', E = '' } }", 1, "got \"A\"");
    loads("local s = scenario\npcall(s, { ranks = 3 })");
    ck_assert_int_eq(scenario.ranks, 3);
    ncs_scenario_free(&scenario);
    refuses("scenario { ranks = nothing.x }", 1, "no such global 'nothing'");
    refuses("scenario {\n} local x = = 1", 2, "unexpected symbol near '='");
    refuses("scenario {", 1, "near <eof>");
    refuses("\x1bLua", 0, "is no text");
    ck_assert_ptr_null(load_bytes("scenario {}\0", 12));
    ck_assert_ptr_nonnull(strstr(err.text, "is no text"));
    ncs_scenario_free(&scenario);
    ncs_scenario_init(&scenario, "/nowhere/x.lua");
    ck_assert_ptr_null(ncs_script_load("/nowhere/x.lua", &settings, &scenario, &err));
    ck_assert_str_eq(err.text, "cannot be opened: No such file or directory");
    ck_assert_str_eq(err.file, "/nowhere/x.lua");
    ck_assert_ptr_null(ncs_script_load("/", &settings, &scenario, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "is a folder"));
    ncs_scenario_free(&scenario);
}
END_TEST

/* ---- running ---- */

START_TEST(test_sandbox)
{
    prints("scenario { ranks = 1 }\n"
           "for _, n in ipairs { 'io', 'dofile', 'loadfile', 'package', 'collect' } do\n"
           "  print(n, (pcall(function() return _G[n] end))) end\n"
           "print(pcall(function() return os.execute end))\n"
           "print(string.dump, debug.getinfo, debug.sethook)\n"
           "print(load('\\27Lua'))\n"
           "print(#('x'):rep(3), #(''):rep(1 << 40), pcall(('x').rep, 'x', 1 << 40))\n"
           "print(pcall(setmetatable, {}, { __gc = print }))\n"
           "print(pcall(rawset, _G, 'y', 1))\n"
           "print(pcall(string.find, ('a'):rep(2 << 20), 'a-b'))\n",
           "[0] io\tfalse\n[0] dofile\tfalse\n[0] loadfile\tfalse\n[0] package\tfalse\n"
           "[0] collect\tfalse\n"
           "[0] false\ts.lua:4: no such field 'execute' in os: closed to scenarios, --unsafe opens it\n"
           "[0] nil\tnil\tnil\n"
           "[0] nil\tattempt to load a binary chunk (mode is 't')\n"
           "[0] 3\t0\tfalse\tstring.rep: the result would be longer than 256 MiB\n"
           "[0] false\tsetmetatable: scripts have no __gc; write local x <close> = ...\n"
           "[0] false\trawset: globals cannot be assigned\n"
           "[0] false\tpatterns are matched against at most 1 MiB of text, and are at most 512 "
           "bytes long\n");
}
END_TEST

START_TEST(test_order_and_identity)
{
    prints("scenario { ranks = 1 }\n"
           "local t = { [3] = 1, b = 2, a = 3, [-1] = 4, [true] = 5, [0.5] = 6, 10 }\n"
           "for k, v in pairs(t) do print(k, v) end\n"
           "local k, n = nil, 0\n"
           "repeat k = next(t, k) n = n + 1 until k == nil\n"
           "print(n, next({}))\n"
           "for k in pairs { 7, 8, 9 } do print(k) end\n"
           "local a, b = {}, print\n"
           "print(a, b, a, string.format('%s %p %d', a, b, 3))\n"
           "print(setmetatable({}, { __name = 'N' }), ('%5s|%q'):format(true, 'x'))\n"
           "local seen = {}\n"
           "for k in pairs { x = 1, y = 2, z = 3 } do seen[#seen + 1] = k end\n"
           "print(table.concat(seen))\n",
           "[0] -1\t4\n[0] 1\t10\n[0] 3\t1\n[0] 0.5\t6\n[0] a\t3\n[0] b\t2\n[0] true\t5\n"
           "[0] 8\tnil\n[0] 1\n[0] 2\n[0] 3\n"
           "[0] table: 1\tfunction: 2\ttable: 1\ttable: 1 function: 2 3\n"
           "[0] N: 3\t true|\"x\"\n[0] xyz\n");
}
END_TEST

START_TEST(test_seed)
{
    static const char text[] =
        "scenario { ranks = 2 }\nprint(math.random(1 << 40), math.random(), os.time(), os.date('!%Y'))\n"
        "local x = cuda.buffer('float16', 64):fill('random')\n"
        "for i, v in ipairs(x:get()) do expect.that(v == math.floor(v) and v >= -3 and v <= 3) end\n"
        "print(table.concat(x:get(1, 8), ' '))\n";
    const struct ncs_result *r = execute(text, false);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    char *first = ncs_copy_text(r->output.text);
    finish();
    r = execute(text, true);
    ck_assert_str_eq(r->output.text, first);
    ncs_free(first);
    finish();
}
END_TEST

START_TEST(test_collectives)
{
    passes("scenario { ranks = 4 }\n"
           "for _, dtype in ipairs { 'int8', 'uint64', 'float16', 'float32', 'bfloat16', 'double' } do\n"
           "local x = cuda.buffer(dtype, 16):fill(function(i) return i % 4 + rank end)\n"
           "local y = cuda.buffer(dtype, 16)\n"
           "world:all_reduce(x, y) stream:sync()\n"
           "expect.equal(y, function(i) return i % 4 * 4 + 6 end)\n"
           "world:all_reduce(x, y, { op = 'max', count = 3 }) stream:sync()\n"
           "expect.equal(y:slice(1, 3), function(i) return i % 4 + 3 end)\n"
           "local g = cuda.buffer(dtype, 16):fill(9)\n"
           "g:part(rank):fill(rank)\n"
           "world:all_gather(g) stream:sync()\n"
           "expect.equal(g, function(i) return (i - 1) // 4 end)\n"
           "world:all_gather(g:slice(1, 2), y:slice(1, 8)) stream:sync()\n"
           "local s = cuda.buffer(dtype, 16):fill(function(i) return i end)\n"
           "world:reduce_scatter(s) stream:sync()\n"
           "expect.equal(s:part(rank), function(i) return 4 * (rank * 4 + i) end)\n"
           "world:reduce_scatter(x, y:slice(1, 4), { op = 'min' }) stream:sync()\n"
           "if rank == 2 then world:reduce(x, y, { root = 2 }) else world:reduce(x, nil, { root = 2 }) end\n"
           "stream:sync()\n"
           "if rank == 2 then expect.equal(y, function(i) return i % 4 * 4 + 6 end) end\n"
           "local b = cuda.buffer(dtype, 4):fill(rank)\n"
           "world:broadcast(b, { root = 3 }) stream:sync() expect.equal(b, 3)\n"
           "if rank == 1 then b:fill(5) end\n"
           "if rank == 1 then world:broadcast(b, b, { root = 1 })\n"
           "else world:broadcast(nil, b, { root = 1 }) end\n"
           "stream:sync() expect.equal(b, 5)\n"
           "local o, n = cuda.buffer(dtype, 4):fill(rank), cuda.buffer(dtype, 4)\n"
           "nccl.group(function() world:send(o, (rank + 1) % 4) world:recv(n, { peer = (rank - 1) % 4 }) end)\n"
           "stream:sync() expect.equal(n, (rank - 1) % 4)\n"
           "end\n"
           "local avg = world:premulsum('float32', 0.25)\n"
           "local f = cuda.buffer('float32', 8):fill(rank)\n"
           "expect.equal(world:all_reduce(f, { op = avg }), 'ncclSuccess') stream:sync()\n"
           "expect.equal(f, 1.5)\n"
           "expect.equal(tostring(avg), 'premulsum(float32, 0.25)')\n"
           "expect.equal(avg:destroy(), 'ncclSuccess')\n");
}
END_TEST

START_TEST(test_objects)
{
    prints("scenario { ranks = 2 }\n"
           "local x = cuda.buffer('float32', 10):fill(1)\n"
           "x[3] = 0.1\n"
           "if rank == 1 then\n"
           "print(x, #x, x.bytes, x.dtype, x.memory, x.device, x[3] == 0.1, x[1])\n"
           "print(x:slice(11), x:slice(3, 2), x:part(1))\n"
           "print(world, stream, cuda.legacy_stream, x.ptr + 8, x.ptr + 8 - x.ptr, x.ptr == x:slice(1).ptr)\n"
           "x:dump()\n"
           "local p = cuda.buffer('int', 3, { memory = 'pinned' }):fill { 1, 2, 3 }\n"
           "local q = cuda.buffer('int32', 3, { memory = 'pageable' }):copy_from(p)\n"
           "print(q, p:copy_from(q, { count = 1 }), cuda.buffer('int8', 0))\n"
           "p:free()\n"
           "print(p, pcall(p.fill, p, 1))\n"
           "end\n"
           "local y = cuda.buffer('float32', 10):fill(2)\n"
           "x:fill(4, { stream = stream }):add(y, { stream = stream })\n"
           "stream:sync()\n"
           "expect.equal(x, 6)\n"
           "local a, b = cuda.event(), cuda.event()\n"
           "a:record() stream:delay(1) b:record(stream)\n"
           "expect.equal(b:query(), false) stream:sync() expect.equal(b:query(), true)\n"
           "expect.equal(a:elapsed(b), 1, { tol = 1e-3 })\n"
           "do local c <close> = cuda.stream() c:wait(b):sync() end\n",
           "[1] float32[10] {1, 1, 0.1, 1, 1, 1, 1, 1, ...}\t10\t40\tfloat32\tdevice\t1\tfalse\t1.0\n"
           "[1] float32[0] {}\tfloat32[2] {0.1, 1}\tfloat32[5] {1, 1, 1, 1, 1}\n"
           "[1] comm world 1/2 device 1\tstream device 1\tlegacy stream device 1\t"
           "pointer into buffer 6 + 8\t8\ttrue\n"
           "[1]      1: 1 1 0.1 1 1 1 1 1\n[1]      9: 1 1\n"
           "[1] int32[3] {1, 2, 3}\tint32[3] {1, 2, 3}\tint8[0] {}\n"
           "[1] int32[3] (freed)\tfalse\ts.lua:13: fill: this buffer was freed at line 12\n");
}
END_TEST

START_TEST(test_usage)
{
    static const char *const cases[][2] = {
        { "cuda.buffer('flaot32', 3)", "cuda.buffer: no dtype \"flaot32\": did you mean \"float32\"?" },
        { "cuda.buffer('int8', 1.5)", "count must be a whole number, got 1.5" },
        { "cuda.buffer('int8', -1)", "count must be 0 or more, got -1" },
        { "cuda.buffer('int8', 1, { memroy = 'pinned' })", "no option 'memroy': did you mean 'memory'?" },
        { "cuda.buffer('int8', 1, 2)", "the last argument must be a table of options, got 2" },
        { "x:slice(18)", "slice: first 18 is outside 1 .. 17" },
        { "x:slice(9, 9)", "slice: 9 elements from 9 go beyond the end: the buffer has 16" },
        { "x:part(3, 3)", "part: 16 elements cannot be divided into 3 equal parts" },
        { "x:part(4, 4)", "part: part 4 is outside 0 .. 3" },
        { "print(x[17])", "x[i]: index 17 is outside 1 .. 16" },
        { "x[1] = 0.5", "value 0.5 does not fit in int32" },
        { "x:fill({ 1 })", "the list has 1 values, the buffer 16 elements" },
        { "world:all_reduce(x, { count = 17 })", "all_reduce: count 17 is beyond send, which has 16 elements" },
        { "world:all_reduce(x, cuda.buffer('int8', 16))", "send is int32, recv is int8" },
        { "world:all_reduce(x, { op = 'smu' })", "no op \"smu\": did you mean \"sum\"?" },
        { "world:all_reduce(3)", "send must be a buffer, got 3" },
        { "world:all_reduce(x, 3)", "recv must be a buffer, got 3" },
        { "world:all_reduce(x, { root = 0 })", "no option 'root'" },
        { "world:all_reduce(x, {}, 3)", "unexpected argument" },
        { "world:send(x)", "peer is missing" },
        { "world:send(nil, 0)", "buffer must be a buffer, got nil" },
        { "world:AllReduce(x)", "no such field or method 'AllReduce' in comm: did you mean 'all_reduce'?" },
        { "world:all_gather_into_tensor(x)", "did you mean 'all_gather'?" },
        { "world.all_reduce(x)", "all_reduce: methods take a colon, not a dot: comm:all_reduce(...)" },
        { "nccl:version()", "nccl takes a dot, not a colon" },
        { "store.set('a', 1)", "store takes a colon" },
        { "nccl.ncclGetVersion()", "did you mean 'version'?" },
        { "print(undefined)", "no such global 'undefined'" },
        { "fresh = 1", "'fresh' would be a new global: write local fresh = ..." },
        { "rank = 1", "'rank' is ready-made and cannot be assigned" },
        { "param.x = 1", "param.x cannot be assigned" },
        { "print(param.x)", "no such field 'x' in param" },
        { "x.count = 1", "'count' of a buffer cannot be assigned" },
        { "local z = x:slice(1) x:free() z:fill(1)", "fill: this buffer was freed at line 3" },
        { "x:free() x:free()", "free: this buffer was freed at line 3" },
        { "x:free() world:all_reduce(x)", "all_reduce: send buffer was freed at line 3" },
        { "x:slice(1):free()", "this is a view" },
        { "world:destroy() world:all_reduce(x)", "all_reduce: this comm was destroyed at line 3" },
        { "scenario {}", "scenario: is declared twice" },
        { "world:premulsum('int8', 0.5)", "scalar 0.5 does not fit in int8" },
        { "store:set('a', print)", "got function" },
        { "store:add('a', 1.5)", "n must be a whole number" },
        { "store:set('t', 'x') store:add('t', 1)", "does not hold a whole number" },
        { "barrier { ranks = { 3 } }", "rank 3: the run has ranks 0 to 0" },
        { "sleep(-1)", "seconds must be 0 or more" },
        { "C.cudaMemcpy(x, C.host('int32', 4), 17, 1)", "17 bytes are beyond the host memory, which has 16" },
        { "C.cudaMemcpy(x, 4096, 4, 1)", "src must be a buffer, a pointer or nil, got 4096" },
        { "C.ncclAllRedcue()", "no such field 'ncclAllRedcue' in C: did you mean 'ncclAllReduce'?" },
        { "C.ncclConfig { blokcing = 0 }", "no such field 'blokcing': did you mean 'blocking'?" },
        { "C.check(C.ncclCommCount(nil))", "ncclCommCount: ncclInvalidArgument" },
        { "nccl.group(3)", "fn must be a function, got 3" },
        { "require('../x')", "is no name of a module" },
        { "require('nothing_here')", "cannot be opened" },
        { "error('plain')", "plain" },
        { "assert(false, 'asserted')", "asserted" },
        { "world:broadcast(x, { root = 9 })", "root = 9: world has rank 0 alone (C.ncclBroadcast would let NCCL refuse it)" },
        { "world:reduce(x, { root = -1 })", "root = -1: world has rank 0 alone (C.ncclReduce would" },
        { "world:send(x, 1)", "peer = 1: world has rank 0 alone (C.ncclSend would" },
        { "nccl.init_rank(2, nccl.unique_id(), 2)", "rank = 2: a communicator of 2 has ranks 0 to 1" },
        { "C.check(C.ncclBroadcast(x, x, 1, C.ncclInt32, 9, world, stream))", "ncclBroadcast: ncclInvalidArgument: Broadcast : invalid root 9" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fails_with(cases[i][0], cases[i][1]);
}
END_TEST

START_TEST(test_error_objects)
{
    prints("scenario { ranks = 1 }\n"
           "local x = cuda.buffer('int32', 16):fill(1)\n"
           "local function bcast(root) return C.ncclBroadcast(x, x, 16, C.ncclInt32, root, world, stream) end\n"
           "local ok, e = pcall(function() C.check(bcast(9)) end)\n"
           "print(ok, e.kind, e.code, e.name, e.call, e.rank, e.line, e.detail)\n"
           "print(e)\n"
           "local _, u = pcall(function() world:nothing() end)\n"
           "print(u.kind, u.name, u.code, u.call, u.label)\n"
           "local _, c = pcall(cuda.buffer, 'int8', 1 << 50)\n"
           "print(c.kind, c.name, c.code, c.call, cuda.last_error(), cuda.last_error())\n"
           "print(nccl.error_string('ncclInvalidUsage'))\n"
           "local _, r = pcall(function() world:broadcast(x, { root = 9, label = 'bad' }) end)\n"
           "print(r, r.kind, r.comm, r.label)\n",
           "[0] false\tnccl\t4\tncclInvalidArgument\tncclBroadcast\t0\t4\t"
           "Broadcast : invalid root 9 (root should be in the 0..1 range)\n"
           "[0] s.lua:4: ncclBroadcast: ncclInvalidArgument: Broadcast : invalid root 9 (root should "
           "be in the 0..1 range)\n"
           "[0] usage\tusage\t0\tnil\tnil\n"
           "[0] cuda\tcudaErrorMemoryAllocation\t2\tcudaMalloc\tcudaErrorMemoryAllocation\tnil\n"
           "[0] invalid usage (run with NCCL_DEBUG=WARN for details)\n"
           "[0] s.lua:12: broadcast: root = 9: world has rank 0 alone (C.ncclBroadcast would let NCCL "
           "refuse it) (label \"bad\")\tusage\tworld\tbad\n");
}
END_TEST

START_TEST(test_errors_in_groups)
{
    prints("scenario { ranks = 1 }\n"
           "local x = cuda.buffer('int32', 16):fill(1)\n"
           "local function bcast(root) return C.ncclBroadcast(x, x, 16, C.ncclInt32, root, world, stream) end\n"
           "print(select(2, pcall(nccl.group, function() world:all_reduce(x) C.check(bcast(5)) end)))\n"
           "print(select(2, pcall(nccl.group, function() world:all_reduce(x) error('mine', 0) end)))\n"
           "print(select(2, pcall(nccl.group, function() world:all_reduce(x) world:reduce(x, { root = 5 }) end)))\n"
           "print(expect.error('ncclInvalidArgument', function() C.check(bcast(7)) end).call)\n"
           "print(expect.error('ncclInvalidArgument', nccl.group, function() world:all_reduce(x) bcast(7) end).call)\n"
           "print(nccl.group(function() world:all_reduce(x) return 1, 2 end))\n"
           "stream:sync() expect.equal(x, 1)\n",
           "[0] s.lua:4: ncclBroadcast: ncclInvalidArgument: Broadcast : invalid root 5 (root should be in "
           "the 0..1 range); 1 queued call was dropped\n"
           "[0] mine\n"
           "[0] s.lua:6: reduce: root = 5: world has rank 0 alone (C.ncclReduce would let NCCL refuse it); "
           "1 queued call was dropped\n"
           "[0] ncclBroadcast\n[0] ncclGroupEnd\n[0] 1\t2\n");
}
END_TEST

START_TEST(test_ranks_exchange)
{
    passes("scenario { ranks = 3 }\n"
           "store:set('k' .. rank, { 1, 'two', { x = 2.5, [true] = false }, rank })\n"
           "local v = store:get('k' .. (rank + 1) % 3)\n"
           "expect.equal(v[2], 'two') expect.equal(v[3].x, 2.5) expect.equal(v[3][true], false)\n"
           "expect.equal(v[4], (rank + 1) % 3) expect.that(math.type(v[4]) == 'integer')\n"
           "store:set('seven', '1234567') expect.equal(store:get('seven'), '1234567')\n"
           "store:set('n', 5) barrier() store:add('n', 1) barrier() expect.equal(store:get('n'), 8)\n"
           "expect.equal(store:get('none', { timeout = 0.5 }), nil)\n"
           "local id\n"
           "if rank == 0 then id = nccl.unique_id() store:set('id', { id }) else id = store:get('id')[1] end\n"
           "local c = nccl.init_rank(3, id, rank, { name = 'pair', blocking = true })\n"
           "expect.equal(c.name, 'pair') expect.equal(tostring(c), 'comm pair ' .. rank .. '/3 device ' .. rank)\n"
           "local x = cuda.buffer('int32', 4):fill(1)\n"
           "c:all_reduce(x) c.stream:sync() expect.equal(x, 3)\n"
           "local mine = cuda.stream() c.stream = mine\n"
           "c:all_reduce(x) mine:sync() expect.equal(x, 9)\n"
           "c:finalize() expect.equal(c.state, 'finalized') c:close() expect.equal(c.state, 'destroyed')\n"
           "local t = spawn(function(a) sleep(2) return a, clock() >= 2 end, 'r')\n"
           "expect.equal(t.done, false)\n"
           "local a, b = t:join() expect.equal(a, 'r') expect.equal(b, true) expect.equal(t.done, true)\n"
           "local bad = spawn(function() sleep(1) C.check(C.ncclBroadcast(x, x, 4, C.ncclInt32, 9, c, mine)) end)\n"
           "local ok, e = pcall(bad.join, bad) expect.equal(ok, false) expect.equal(e.name, 'ncclInvalidArgument')\n");
}
END_TEST

START_TEST(test_nonblocking)
{
    passes("scenario { ranks = 2, world = { blocking = false }, sim = { ready_after = 4 } }\n"
           "local polls = 0\n"
           "while world:async_error() == 'ncclInProgress' do polls = polls + 1 end\n"
           "expect.that(world:wait_ready()) expect.equal(world.state, 'ready')\n"
           "local x = cuda.buffer('int32', 4):fill(1)\n"
           "world:all_reduce(x) world:wait_ready() stream:sync() expect.equal(x, 2)\n");
}
END_TEST

START_TEST(test_one_process)
{
    passes("scenario { ranks = 1, world = false }\n"
           "expect.equal(world, nil)\n"
           "local comms = nccl.init_all(4)\n"
           "local x = {}\n"
           "for i, c in ipairs(comms) do x[i] = cuda.buffer('float32', 8, { device = i - 1 }):fill(i) end\n"
           "nccl.group(function() for i, c in ipairs(comms) do c:all_reduce(x[i]) end end)\n"
           "for i, c in ipairs(comms) do c.stream:sync() expect.equal(x[i], 10) expect.equal(c.rank, i - 1) end\n"
           "local id = nccl.unique_id()\n"
           "local made = {}\n"
           "nccl.group(function() for i = 1, 2 do cuda.set_device(i - 1)\n"
           "  made[i] = nccl.init_rank(2, id, i - 1, { name = 'late' }) expect.equal(made[i].state, 'pending') end end)\n"
           "expect.equal(made[2].state, 'ready') expect.equal(made[2].name, 'late') expect.equal(made[2].device, 1)\n");
}
END_TEST

START_TEST(test_raw)
{
    passes("scenario { ranks = 2 }\n"
           "local rc, v = C.ncclGetVersion() expect.equal(rc, 0) expect.equal(v, 23007)\n"
           "expect.equal(C.ncclSum, 0) expect.equal(C.ncclFloat, C.ncclFloat32) expect.equal(C.sizeof('half'), 2)\n"
           "expect.equal(C.has('ncclAllReduce'), true) expect.equal(C.has('ncclNothing'), false)\n"
           "local host = C.host('float32', 4):fill { 1, 2, 3, 4 }\n"
           "local rc, p = C.cudaMalloc(16) expect.equal(rc, 0)\n"
           "expect.equal(C.cudaMemcpy(p, host, 16, C.cudaMemcpyHostToDevice), 0)\n"
           "expect.equal(C.ncclGroupStart(), 0)\n"
           "expect.equal(C.ncclAllReduce(p, p, 4, C.ncclFloat, C.ncclSum, world, stream), 0)\n"
           "expect.equal(C.ncclGroupEnd(), 0)\n"
           "expect.equal(C.cudaStreamSynchronize(stream), 0)\n"
           "expect.equal(C.cudaMemcpy(host.ptr + 4, p + 4, 12, C.cudaMemcpyDeviceToHost), 0)\n"
           "expect.equal(host, { 1, 4, 6, 8 })\n"
           "expect.equal(C.cudaFree(p), 0)\n"
           "expect.equal(C.ncclAllReduce(nil, nil, 0, 0, 0, nil, nil), C.ncclInvalidArgument)\n"
           "local rc, s = C.cudaStreamCreate() expect.equal(rc, 0) s:sync() expect.equal(C.cudaStreamDestroy(s), 0)\n"
           "expect.error('usage', function() s:sync() end)\n"
           "local id\n"
           "if rank == 0 then id = C.check(C.ncclGetUniqueId()) store:set('id', id) else id = store:get('id') end\n"
           "local rc, comm = C.ncclCommInitRankConfig(2, id, rank, C.ncclConfig { blocking = 1 })\n"
           "expect.equal(rc, 0) expect.equal(comm.nranks, 2)\n"
           "local one = C.host('float32'):fill(0.5)\n"
           "local op = C.check(C.ncclRedOpCreatePreMulSum(one, C.ncclFloat, C.ncclScalarHostImmediate, comm))\n"
           "local x = cuda.buffer('float32', 4):fill(2)\n"
           "expect.equal(C.ncclAllReduce(x, x, 4, C.ncclFloat, op, comm, stream), 0) stream:sync()\n"
           "expect.equal(x, 2) expect.equal(C.ncclRedOpDestroy(op, comm), 0) expect.equal(C.ncclCommDestroy(comm), 0)\n");
}
END_TEST

START_TEST(test_expectations)
{
    const struct ncs_result *r = execute(
        "scenario { ranks = 1 }\nlocal x = cuda.buffer('int32', 8):fill(2)\nx[3] = 7\n"
        "expect.equal(x, 2)\nexpect.equal({ 1, { 2, 3 } }, { 1, { 2, 4 } })\n"
        "expect.that(1 > 2, 'not so')\nexpect.equal('a', 'b', { label = 'L' })\n"
        "expect.error('usage', function() end)\n"
        "local h = cuda.buffer('float16', 2):fill(0.1)\nexpect.equal(h, 0.1) expect.equal(h, 0.1, { tol = 0 })\n"
        "expect.equal(h, 0.2, { tol = 0.2 })\nexpect.equal(0.1 + 0.2, 0.3)\n"
        "expect.equal(h, 0.11)\nexpect.equal(1, 2, { fatal = true })\nprint('not reached')\n", false);
    static const char *const want[] = {
        "element 3: got 7, want 2 (1 of 8 differs)", "element 2: element 2: got 3, want 4", "not so",
        "got a, want b", "no error, want usage", "element 1: got 0.0999756, want 0.109985 (2 of 2 differ)",
        "got 1, want 2" };
    ck_assert_int_eq(r->verdict, NCS_WRONG);
    ck_assert_uint_eq(r->expects, sizeof want / sizeof *want);
    for (size_t i = 0; i < r->expects; i++)
        ck_assert_str_eq(r->expect[i].message, want[i]);
    ck_assert_int_eq(r->expect[0].place.line, 4);
    ck_assert_str_eq(r->expect[3].label, "L");
    ck_assert_uint_eq(r->errors, 1);
    ck_assert_int_eq(r->error[0].kind, NCS_KIND_EXPECT);
    ck_assert_ptr_null(r->output.text);
    finish();
}
END_TEST

/* ---- how a rank ends ---- */

START_TEST(test_hang_abandons_everything)
{
    /* What waits may hold to-be-closed values, catch everything, or sit in coroutines and threads. */
    verdict_of("scenario { ranks = 3 }\n"
               "local x = cuda.buffer('int32', 4):fill(1)\n"
               "local v <close> = setmetatable({}, { __close = function(_, e) while e do end end })\n"
               "local t = spawn(function() while true do pcall(sleep, 1) store:get('never') end end)\n"
               "if rank ~= 1 then while true do pcall(coroutine.wrap(function()\n"
               "  pcall(function() world:all_reduce(x) stream:sync() end) end)) store:get('never') end end\n",
               NCS_HANG);
}
END_TEST

START_TEST(test_thread_error)
{
    const struct ncs_result *r = execute(
        "scenario { ranks = 2 }\nspawn(function()\n  error('boom') end)\nsleep(1)\n", false);
    ck_assert_int_eq(r->verdict, NCS_INVALID);
    ck_assert_uint_eq(r->errors, 2);
    ck_assert_int_eq(r->error[0].thread, 1);
    ck_assert_str_eq(r->error[0].message, "boom");
    ck_assert_int_eq(r->error[0].place.line, 3);
    ck_assert_ptr_nonnull(strstr(r->error[0].detail, "traceback"));
    finish();
}
END_TEST

START_TEST(test_thread_error_taken)
{
    prints("scenario { ranks = 1 }\nlocal t = spawn(function() error('boom', 0) end)\nsleep(1)\n"
           "print(pcall(t.join, t)) print(pcall(t.join, t))\n"
           "t = spawn(function() return table.unpack({}, 1, 600000) end)\nsleep(1)\n"
           "print(pcall(t.join, t))\n"
           "for i = 1, 50 do t = spawn(function() return i end) assert(t:join() == i) end\n"
           "collectgarbage() collectgarbage() print(t:join(), t.done)\n",
           "[0] false\tboom\n[0] false\tboom\n[0] false\ttoo many results\n[0] 50\ttrue\n");
    /* Nobody's: reported once, whether the main thread ends well or not. */
    const struct ncs_result *r = execute("scenario { ranks = 1 }\n"
                                         "spawn(function() error('boom') end)\nsleep(1)\n"
                                         "error('main')\n", false);
    ck_assert_uint_eq(r->errors, 2);
    ck_assert_str_eq(r->error[0].message, "boom");
    ck_assert_int_eq(r->error[0].thread, 1);
    ck_assert_str_eq(r->error[1].message, "main");
    finish();
}
END_TEST

START_TEST(test_locks_and_messages)
{
    prints("scenario { ranks = 1 }\n"
           "print(pcall(function() string.upper = 1 end))\n"
           "print(pcall(rawset, math, 'pi', 3), pcall(table.insert, table, 1), getmetatable(''))\n"
           "print(pcall(C.ncclConfig, { foo = 1, bar = 1, baz = 1, quux = 2, zip = 3 }))\n"
           "print(pcall(C.ncclCommInitAll, 70000))\n"
           "print(C.cudaErrorTimeout, C.ncclTimeout, C.ncclNumResults, C.NCCL_VERSION_CODE)\n"
           "print(C.cudaStreamSynchronize(C.cudaStreamPerThread), C.cudaMemAttachGlobal)\n"
           "expect.error('lua', function() error('x') end)\n"
           "print(pcall(cuda.buffer, 'float32', 1 << 40, { device = 1 })) print(cuda.device())\n"
           "local x = cuda.buffer('float32', 4):fill(1)\n"
           "local ok, e = pcall(x.fill, x, function(i) return x[1] and i == 3 and 'a' or i end,\n"
           "  { label = 'L' }) print(e.label)\n"
           "stream:destroy() print(pcall(world.all_reduce, world, x)) print(pcall(stream.sync, stream))\n"
           "local t = {} for i = 1, 20000 do t['k' .. i] = i end\n"
           "store:set('t', t) print(store:get('t').k20000)\n"
           "print(pcall(function() return nccl.ncclCommInitRank end))\n",
           "[0] false\ts.lua:2: string.upper cannot be assigned\n"
           "[0] false\tfalse\tfalse\n"
           "[0] false\ts.lua:4: C.ncclConfig: no such field 'bar'\n"
           "[0] false\ts.lua:5: ncclCommInitAll: ndev 70000 is more than 65536\n"
           "[0] 909\t8\t9\t23007\n[0] 0\t1\n"
           "[0] false\ts.lua:9: cudaMalloc: cudaErrorMemoryAllocation: out of memory\n[0] 0\n"
           "[0] L\n[0] false\ts.lua:13: all_reduce: the default stream was destroyed at line 13 (C.ncclAllReduce would pass it on)\n"
           "[0] false\ts.lua:13: sync: this stream was destroyed at line 13\n[0] 20000\n"
           "[0] false\ts.lua:16: no such field 'ncclCommInitRank' in nccl: did you mean 'init_rank'?\n");
}
END_TEST

START_TEST(test_verdicts)
{
    verdict_of("scenario { ranks = 2 }\nerror({})", NCS_INVALID);
    verdict_of("scenario { ranks = 2 }\nerror(nil)", NCS_INVALID);
    verdict_of("local x = math.pi\nscenario { ranks = 2 }", NCS_INVALID);
    verdict_of("scenario { ranks = 2 }\nassert(false)", NCS_WRONG);
    verdict_of("scenario { ranks = 2 }\npcall(skip, 'why')\nerror('not reached')", NCS_SKIPPED);
    verdict_of("scenario { ranks = 2 }\nC.check(C.cudaSetDevice(99))", NCS_ERROR);
    verdict_of("scenario { ranks = 2 }\nlocal f f = function() return 1 + f() end\nf()", NCS_INVALID);
    verdict_of("scenario { ranks = 2 }\nlocal s = {} for i = 1, 300 do s[i] = '(' end\n"
               "expect.equal(load('return ' .. table.concat(s) .. '1'), nil)", NCS_PASS);
}
END_TEST

START_TEST(test_memory_limit)
{
    struct ncs_script *s = script = load(
        "scenario { ranks = 2 }\nlocal t = {}\nwhile true do t[#t + 1] = ('x'):rep(10000) .. #t end");
    s->memory_limit = 8 << 20;
    struct ncs_run_options o = { .driver = "sim", .ranks = 2, .devices = 8, .verify = true };
    struct ncs_program p = ncs_script_program(s, &scenario);
    run = ncs_run_new(&o, &p, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    ck_assert_int_eq(r->verdict, NCS_INVALID);
    ck_assert_ptr_nonnull(strstr(r->error[0].message, "out of memory"));
    finish();
}
END_TEST

/* ---- the editor stubs say what there is ---- */

static char *stubs(void)
{
    FILE *in = fopen("lua/library/ncclscript.d.lua", "rb");
    static char text[65536];
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    return text;
}

static void declared(const char *text, const char *owner, char separator, const char *name)
{
    char line[128];
    snprintf(line, sizeof line, "\nfunction %s%c%s(", owner, separator, name);
    ck_assert_msg(strstr(text, line) != NULL, "not in the stubs: %s", line + 1);
}

START_TEST(test_stubs)
{
    const char *text = stubs();
    static const char *const owners[NCS_CLASSES] = {
        [NCS_CLASS_BUFFER] = "buffer", [NCS_CLASS_STREAM] = "stream_methods",
        [NCS_CLASS_EVENT] = "event", [NCS_CLASS_COMM] = "comm", [NCS_CLASS_REDOP] = "op",
        [NCS_CLASS_THREAD] = "thread" };
    size_t methods = 0, lines = 0;
    for (int i = 0; i < NCS_CLASSES; i++) {
        const luaL_Reg *m = ncs_classes[i]->methods;
        for (; m && m->name; m++, methods++)
            declared(text, owners[i], ':', m->name);
        methods += ncs_classes[i]->close != NULL;
    }
    for (const luaL_Reg *m = ncs_collectives; m->name; m++, methods++)
        declared(text, "comm", ':', m->name);
    for (const char *at = text; (at = strstr(at, "\nfunction ")) != NULL; at++)
        lines += strcspn(at + 1, ":\n") < strcspn(at + 1, ".(\n");
    ck_assert_uint_eq(lines, methods + 3); /* and those of store */

    /* Every library function that the stubs declare can be read; what can be read is declared. */
    prints("scenario { ranks = 1 }\nlocal n = 0\n"
           "for _, l in ipairs { nccl, cuda, expect } do assert(l) n = n + 1 end\n"
           "local f = { nccl.unique_id, nccl.init_rank, nccl.init_all, nccl.group, nccl.version,\n"
           "  nccl.error_string, nccl.last_error, cuda.buffer, cuda.stream, cuda.event, cuda.device,\n"
           "  cuda.set_device, cuda.device_count, cuda.sync, cuda.memory, cuda.last_error,\n"
           "  cuda.runtime_version, cuda.driver_version, expect.equal, expect.that, expect.error,\n"
           "  C.host, C.sizeof, C.check, C.has, C.ncclConfig }\n"
           "print(#f)\n", "[0] 26\n");
    size_t functions = 0;
    for (const char *at = text; (at = strstr(at, "\nfunction ")) != NULL; at++)
        functions += strcspn(at + 1, ".\n") < strcspn(at + 1, ":(\n");
    ck_assert_uint_eq(functions, 26);
}
END_TEST

NCS_TEST_MAIN("script", test_small_floats, test_every_small_float_comes_back, test_integers,
              test_declaration, test_declaration_functions, test_bad_declarations, test_sandbox,
              test_order_and_identity, test_seed, test_collectives, test_objects, test_usage, test_errors_in_groups,
              test_error_objects, test_ranks_exchange, test_nonblocking, test_one_process, test_raw,
              test_expectations, test_hang_abandons_everything, test_thread_error,
              test_thread_error_taken, test_locks_and_messages, test_verdicts,
              test_memory_limit, test_stubs)
