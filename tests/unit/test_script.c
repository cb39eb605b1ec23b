/* Lua scenarios: the sandbox and the objects, by running small scripts on the simulator and reading
 * what they print. */
#include "script_lab.h"

#include "base/sanitizer.h"
#include "base/str.h"
#include "script/object.h"

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
           "print(('a'):rep(3 << 20):find('a*b?$'))\n",
           "[0] io\tfalse\n[0] dofile\tfalse\n[0] loadfile\tfalse\n[0] package\tfalse\n"
           "[0] collect\tfalse\n"
           "[0] false\ts.lua:4: no such field 'execute' in os: closed to scenarios, --unsafe opens it\n"
           "[0] nil\tnil\tnil\n"
           "[0] nil\tattempt to load a binary chunk (mode is 't')\n"
           "[0] 3\t0\tfalse\tstring.rep: the result would be longer than 256 MiB\n"
           "[0] false\tsetmetatable: scripts have no __gc; write local x <close> = ...\n"
           "[0] false\trawset: globals cannot be assigned\n"
           "[0] 1\t3145728\n");
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
    static const char text[] = "scenario { ranks = 2 }\nprint(math.random(1 << 40), math.random(), os.time(), os.date('!%Y'))\n"
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
           "local q = cuda.buffer('int32', 4):fill(rank) world:all_reduce(q, nil, { op = 'max' })\n"
           "stream:sync() expect.equal(q, 3) q:fill(rank + 1)\n"
           "local w = cuda.buffer('int32', 4):fill(0) world:reduce(q, rank == 0 and w or nil)\n"
           "stream:sync() expect.equal(w, rank == 0 and 10 or 0)\n"
           "expect.error('usage', world.reduce, world, q, nil, { root = rank })\n"
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
           "local rc, v = C.ncclGetVersion() expect.equal(rc, 0) expect.equal(v, 23203)\n"
           "expect.equal(C.ncclSum, 0) expect.equal(C.ncclFloat, C.ncclFloat32) expect.equal(C.sizeof('half'), 2)\n"
           "expect.equal(C.sizeof(C.ncclFloat64), 8) expect.equal(C.host(C.ncclInt64, 2).bytes, 16)\n"
           "expect.equal(C.NCCL_VERSION_CODE, C.NCCL_MAJOR * 10000 + C.NCCL_MINOR * 100 + C.NCCL_PATCH)\n"
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
        "expect.equal(h, 0.11)\nexpect.equal(1, 2, { fatal = true })\nprint('not reached')\n",
        false);
    static const char *const want[] = { "element 3: got 7, want 2 (1 of 8 differs)",
                                        "element 2: element 2: got 3, want 4",
                                        "not so",
                                        "got a, want b",
                                        "no error, want usage",
                                        "element 1: got 0.0999756, want 0.109985 (2 of 2 differ)",
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
    static const char *const owners[NCS_CLASSES] = { [NCS_CLASS_ID] = "id",
                                                     [NCS_CLASS_BUFFER] = "buffer",
                                                     [NCS_CLASS_STREAM] = "stream_methods",
                                                     [NCS_CLASS_EVENT] = "event",
                                                     [NCS_CLASS_COMM] = "comm",
                                                     [NCS_CLASS_REDOP] = "op",
                                                     [NCS_CLASS_THREAD] = "thread",
                                                     [NCS_CLASS_WINDOW] = "window",
                                                     [NCS_CLASS_GRAPH] = "graph",
                                                     [NCS_CLASS_REGISTRATION] = "registration" };
    size_t methods = 0, lines = 0;
    for (int i = 0; i < NCS_CLASSES; i++) {
        for (size_t k = 0; ncs_classes[i]->methods[k]; k++)
            for (const luaL_Reg *m = ncs_classes[i]->methods[k]; m->name; m++, methods++)
                declared(text, owners[i], ':', m->name);
        methods += ncs_classes[i]->close != NULL;
    }
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        if (!info->counted || info->one_sided || !info->lua_name)
            continue;
        declared(text, "comm", ':', strchr(info->lua_name, ':') + 1);
        methods++;
    }
    for (const char *at = text; (at = strstr(at, "\nfunction ")) != NULL; at++)
        lines += strcspn(at + 1, ":\n") < strcspn(at + 1, ".(\n");
    ck_assert_uint_eq(lines, methods + 3); /* and those of store */

    /* Every library function that the stubs declare can be read; what can be read is declared. */
    prints("scenario { ranks = 1 }\nlocal n = 0\n"
           "for _, l in ipairs { nccl, cuda, expect } do assert(l) n = n + 1 end\n"
           "local f = { nccl.unique_id, nccl.init_rank, nccl.init_all, nccl.group, nccl.version,\n"
           "  nccl.error_string, nccl.last_error, cuda.buffer, cuda.stream, cuda.event, cuda.graph, cuda.device,\n"
           "  cuda.set_device, cuda.device_count, cuda.sync, cuda.memory, cuda.last_error,\n"
           "  cuda.runtime_version, cuda.driver_version, expect.equal, expect.that, expect.error,\n"
           "  cuda.properties, cuda.can_access_peer, cuda.enable_peer,\n"
           "  nccl.param, nccl.params, C.host, C.sizeof, C.check, C.has, C.ncclConfig, C.ncclSimInfo,\n"
           "  nccl.grow, nccl.simulate, fault.kill, fault.stall, fault.slow, fault.fail,\n"
           "  fault.corrupt, fault.link, fault.async_error }\n"
           "print(#f)\n",
           "[0] 42\n");
    size_t functions = 0;
    for (const char *at = text; (at = strstr(at, "\nfunction ")) != NULL; at++)
        functions += strcspn(at + 1, ".\n") < strcspn(at + 1, ":(\n");
    ck_assert_uint_eq(functions, 42);
}
END_TEST

/* In the state of which ranks' states are copies, words that look like addresses are moved: a scenario has no word there. */
START_TEST(test_copies_hold_nothing_of_the_scenario)
{
    enum { LARGE = 300000 };
    static const char *const small = "scenario { ranks = 2 }\n";
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "%slocal constant, long = 0x7f0012345678, '", small);
        for (int k = 0; i && k < LARGE / 10; k++)
            ncs_str_add(&text, "0123456789");
        ncs_str_add(&text, "'\nlocal function held() return constant, long end\nheld()\n");
        execute(text.text, false);
        ck_assert(script->model.L || NCS_ASAN);
        bytes[i] = script->model.heap.arena_bytes;
        finish();
        ncs_str_free(&text);
    }
    ck_assert_uint_eq(bytes[0], bytes[1]);
}
END_TEST

NCS_TEST_MAIN("script", test_sandbox, test_order_and_identity, test_seed, test_collectives, test_objects, test_ranks_exchange,
              test_nonblocking, test_one_process, test_raw, test_expectations, test_stubs,
              test_copies_hold_nothing_of_the_scenario)
