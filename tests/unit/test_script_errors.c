/* Lua scenarios: what is refused and in which words, errors as values, and how a rank ends. */
#include "base/budget.h"
#include "script_lab.h"

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
        { "x:fill({ 1 })", "the list has 1 value, the buffer 16 elements" },
        { "world:all_reduce(x, { count = 17 })", "all_reduce: send is too small for count 17: it has 16 elements" },
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
        { "world:broadcast_coalesced(x)", "did you mean 'broadcast'?" },
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
        { "local id = nccl.unique_id() for _ = 1, 2 do nccl.init_rank(1, id, 0) end",
          "ncclCommInitRank: ncclRemoteError: ncclOsSocketStartConnect: connect to 10.0.0.1<" },
        { "nccl.group(function() return world:split({ color = 0 }).rank end)",
          "CommUserRank : comm argument is NULL; this comm is made when the group ends; 1 queued call was dropped" },
        { "local c pcall(nccl.group, function() c = world:split({ color = 0 }) error('x') end) c:all_reduce(x)",
          "AllReduce : comm argument is NULL; the group that should have made this comm failed" },
        { "barrier { ranks = { first = 0 } }", "ranks must be a list of ranks: the table has a key 'first'" },
        { "world:wait_signal { peer = 0 }", "peer must be a rank or a list of ranks and tables: the table has a key 'peer'" },
        { "world:shrink { [0] = 1 }", "ranks must be a list of ranks: the table has a key '0'" },
        { "C.ncclCommInitAll(1, { dev = 0 })", "devlist must be a list or nil: the table has a key 'dev'" },
        { "sleep(-1)", "seconds must be 0 or more" },
        { "sleep(math.huge)", "seconds must be less than 9e9, got inf" },
        { "expect.equal(1, 1, { tol = -1 })", "tol must be 0 or more, got -1" },
        { "C.sizeof(1 << 32)", "dtype must be a name or one of C's constants" },
        { "C.check(1 << 32)", "rc must be within 32 bits" },
        { "C.cudaMemcpy(x, C.host('int32', 4), 17, 1)", "17 bytes do not fit: the host memory has 16 bytes" },
        { "C.cudaMemcpy(x, 4096, 4, 1)", "src must be a buffer, a pointer or nil, got 4096" },
        { "C.ncclAllRedcue()", "no such field 'ncclAllRedcue' in C: did you mean 'ncclAllReduce'?" },
        { "C.ncclConfig { blokcing = 0 }", "no such field 'blokcing': did you mean 'blocking'?" },
        { "C.check(C.ncclCommCount(nil))", "ncclCommCount: ncclInvalidArgument" },
        { "nccl.group(3)", "fn must be a function, got 3" },
        { "require('../x')", "is not the name of a module" },
        { "require('nothing_here')", "cannot be opened" },
        { "nccl.ncclAllReduce(x)", "no such field 'ncclAllReduce' in nccl: did you mean 'world:all_reduce'?" },
        { "cuda.cudaMemGetInfo()", "in cuda: did you mean 'memory'?" },
        { "world:commSplit(x)", "in comm: did you mean 'split'?" },
        { "world.stream:cudaStreamSynchronize()", "in stream: did you mean 'sync'?" },
        { "ncclBcast(x)", "no such global 'ncclBcast': did you mean 'C.ncclBcast'?" },
        { "C.allReduce(x)", "no such field 'allReduce' in C: did you mean 'ncclAllReduce'?" },
        { "world:all_reduce(x, { op = 'ncclMax' })", "no op \"ncclMax\": did you mean \"max\"?" },
        { "world:all_reduce(x, { redOp = 'sum' })", "no option 'redOp': did you mean 'op'?" },
        { "cuda.buffer('torch.bfloat16', 1)", "did you mean \"bfloat16\"?" },
        { "cuda.buffer('fp16', 1)", "did you mean \"float16\"?" },
        { "C:ncclGetVersion()", "C takes a dot, not a colon: its functions are called as C.ncclGetVersion(...)" },
        { "fault.kil { rank = 0 }", "no such field 'kil' in fault: did you mean 'kill'?" },
        { "C.sizeof(99)", "C.sizeof: dtype must be a name or one of C's constants, as C.ncclFloat32, got 99" },
        { "C.host(-1, 4)", "C.host: dtype must be a name or one of C's constants" },
        /* NCCL's text with our addition; where NCCL is silent, not its text about another call. */
        { "world:destroy() C.check(C.ncclAllReduce(x, x, 8, C.ncclInt32, C.ncclSum, world, stream))",
          "ncclAllReduce: ncclInvalidArgument: Error: corrupted comm object detected (the communicator was destroyed" },
        { "C.ncclCommCount(nil) C.check(C.ncclCommRevoke(world, 7))",
          "ncclCommRevoke: ncclInvalidArgument: revokeFlags must be 0" },
        { "world:signal(0, { sig_idx = 1 })", "ncclSignal: ncclInvalidArgument: Signal index 1 is invalid" },
        { "world:signal(0, { ctx = 9 })", "ncclSignal: ncclInvalidArgument: Context 9 is invalid" },
        { "world:signal(0, { flags = 1 })", "Flags 1 is invalid (must be 0)" },
        { "world:wait_signal { { peer = 0, ctx = 9 } }", "ncclWaitSignal: descriptor 0 has invalid context 9" },
        { "world:wait_signal(0, { sig_idx = 1 })", "ncclWaitSignal: descriptor 0 has invalid sigIdx 1" },
        { "world:wait_signal(0, { op_cnt = 0 })", "ncclWaitSignal: descriptor 0 has invalid opCnt 0" },
        { "world:wait_signal { {} }", "wait_signal: peer must be a whole number, got nil" },
        { "world.rank = 3", "'rank' of a comm cannot be assigned" },
        { "world:all_reduce(x, { count = 99 })", "send is too small for count 99: it has 16 elements" },
        { "error('plain')", "plain" },
        { "assert(false, 'asserted')", "asserted" },
        { "world:wait_signal(1)", "wait_signal: peer = 1: world has rank 0 alone (C.ncclWaitSignal allows it)" },
        { "world:wait_signal { { peer = -1 } }", "wait_signal: peer = -1: world has rank 0 alone" },
        { "world:shrink { 1 }", "shrink: ranks = 1: world has rank 0 alone (C.ncclCommShrink allows it)" },
        { "C.check(C.ncclBroadcast(x, x, 1, C.ncclInt32, 9, world, stream))",
          "ncclBroadcast: ncclInvalidArgument: Broadcast : invalid root 9" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fails_with(cases[i][0], cases[i][1]);
}
END_TEST

/* Roots, peers and places that are none are NCCL's to refuse: an error as of any failed call. */
START_TEST(test_refused_by_nccl)
{
    static const char *const cases[][3] = {
        { "world:broadcast(x, { root = 2 })", "ncclBroadcast", "Broadcast : invalid root 2 (" },
        { "world:broadcast(x, { root = -1 })", "ncclBroadcast", "Broadcast : invalid root -1 (" },
        { "world:reduce(x, { root = nranks })", "ncclReduce", "Reduce : invalid root 2 (" },
        { "world:gather(x, x, { root = 7 })", "ncclGather", "Gather : invalid root 7 (" },
        { "world:gather(x, nil, { root = -7 })", "ncclGather", "Gather : invalid root -7 (" },
        { "world:scatter(nil, x, { root = 2 })", "ncclScatter", "Scatter : invalid root 2 (" },
        { "world:send(x, 99)", "ncclSend", "Send : invalid root 99 (" },
        { "world:send(x, { peer = -1 })", "ncclSend", "Send : invalid root -1 (" },
        { "world:recv(x, 2147483647)", "ncclRecv", "Recv : invalid root 2147483647 (" },
        { "world:recv(x, { peer = 2 })", "ncclRecv", "Recv : invalid root 2 (" },
        { "world:signal(2)", "ncclSignal", "Signal : invalid root 2 (" },
        { "world:put_signal(x, 2, world:window(cuda.buffer('int32', 4, { memory = 'nccl' })))", "ncclPutSignal",
          "PutSignal : invalid root 2 (" },
        { "nccl.init_rank(2, nccl.unique_id(), 2)", "ncclCommInitRank", "Invalid rank requested : 2/2" },
        { "nccl.init_rank(2, { nccl.unique_id() }, -1)", "ncclCommInitRankScalable", "Invalid rank requested : -1/2" },
        { "nccl.init_rank(0, nccl.unique_id(), 0)", "ncclCommInitRank", "nranks=0" },
        { "nccl.grow(3, nccl.unique_id(), 3)", "ncclCommGrow", "new rank 3 exceeds total ranks 3" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "scenario { ranks = 2 }\n"
                 "local x = cuda.buffer('int32', 16):fill(1)\n%s\nstream:sync()",
                 cases[i][0]);
        const struct ncs_result *r = execute(text, false);
        ck_assert_msg(r->verdict == NCS_ERROR && r->errors == 2, "%s: %s", cases[i][0], ncs_verdict_name(r->verdict));
        const struct ncs_run_error *e = &r->error[0];
        ck_assert_int_eq(e->kind, NCS_KIND_NCCL);
        ck_assert_str_eq(e->name, "ncclInvalidArgument");
        ck_assert_str_eq(e->call, cases[i][1]);
        ck_assert_msg(strstr(e->message, cases[i][2]) != NULL, "%s: %s", cases[i][0], e->message);
        ck_assert_int_eq(e->place.line, 3);
        finish();
    }
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
           "[0] s.lua:12: ncclBroadcast: ncclInvalidArgument: Broadcast : invalid root 9 (root should "
           "be in the 0..1 range) (label \"bad\")\tnccl\tworld\tbad\n");
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
           "[0] s.lua:6: ncclReduce: ncclInvalidArgument: Reduce : invalid root 5 (root should be in "
           "the 0..1 range); 1 queued call was dropped\n"
           "[0] ncclBroadcast\n[0] ncclGroupEnd\n[0] 1\t2\n");
}
END_TEST

/* ---- how a rank ends ---- */

START_TEST(test_hang_abandons_everything)
{
    /* A waiting rank may hold to-be-closed values, catch everything, or wait in coroutines and threads. */
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
    const struct ncs_result *r = execute("scenario { ranks = 2 }\nspawn(function()\n  error('boom') end)\nsleep(1)\n", false);
    ck_assert_int_eq(r->verdict, NCS_ERROR);
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
                                         "error('main')\n",
                                         false);
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
           "[0] 909\t8\t9\t23203\n[0] 0\t1\n"
           "[0] false\ts.lua:9: cudaMalloc: cudaErrorMemoryAllocation: out of memory\n[0] 0\n"
           "[0] L\n[0] false\ts.lua:13: all_reduce: the default stream was destroyed at line 13 (C.ncclAllReduce allows it)\n"
           "[0] false\ts.lua:13: sync: this stream was destroyed at line 13\n[0] 20000\n"
           "[0] false\ts.lua:16: no such field 'ncclCommInitRank' in nccl: did you mean 'init_rank'?\n");
}
END_TEST

START_TEST(test_verdicts)
{
    static const struct {
        const char *text;
        enum ncs_verdict verdict;
    } cases[] = {
        /* wrong declarations, found where the statement stands */
        { "local x = math.pi\nscenario { ranks = 2 }", NCS_INVALID },
        { "scenario { ranks = 2 }\nscenario { ranks = 2 }", NCS_INVALID },
        { "scenario { ranks = 2 }\nassert(false)", NCS_WRONG },
        { "scenario { ranks = 2 }\npcall(skip, 'why')\nerror('not reached')", NCS_SKIPPED },
        { "scenario { ranks = 2 }\nC.check(C.cudaSetDevice(99))", NCS_ERROR },
        { "scenario { ranks = 2 }\nlocal s = {} for i = 1, 300 do s[i] = '(' end\n"
          "expect.equal(load('return ' .. table.concat(s) .. '1'), nil)",
          NCS_PASS },
        /* what is caught is no verdict */
        { "scenario { ranks = 2 }\npcall(error, 'boom')\nxpcall(error, print, 'boom')\n"
          "expect.error('lua', error, 'boom')\n"
          "coroutine.resume(coroutine.create(function() error('boom') end))",
          NCS_PASS },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        verdict_of(cases[i].text, cases[i].verdict);
}
END_TEST

/* From the first statement on, whatever a rank raises is an error of the program, with its words and its
 * place. Line 1 is the declaration, and every error is in the third. */
START_TEST(test_raised)
{
    static const char *const cases[][2] = {
        { "\nerror('boom')", "boom" },
        { "local t\nprint(t.x)", "attempt to index a nil value (local 't')" },
        { "local n\nprint(n + 1)", "attempt to perform arithmetic on a nil value (local 'n')" },
        { "\nlocal s = {} .. 'x'", "attempt to concatenate a table value" },
        { "\ncuda.bufer('float32', 8)", "no such field 'bufer' in cuda: did you mean 'buffer'?" },
        { "\ncuda.buffer('float32', 'many')", "cuda.buffer: count must be a whole number, got \"many\"" },
        { "\nerror()", "nil" },
        { "\nerror(nil)", "nil" },
        { "\nerror(42.5)", "42.5" },
        { "\nerror({})", "{}" },
        { "\nerror({ code = 3 })", "{ code = 3 }" },
        { "\nerror({ message = 'mine' })", "mine" },
        { "\nassert(nil, { code = 3 })", "{ code = 3 }" },
        { "local mt = { __tostring = function() return 'as text' end }\nerror(setmetatable({}, mt))", "as text" },
        { "local mt = { __tostring = function() error('again') end }\nerror(setmetatable({}, mt))", "an error that has no text" },
        { "\nerror('two\\nlines\\r')", "two lines " },
        { "\nerror('\\27[31mred\\7')", "\033[31mred\a" },
        { "local function need(x) if not x then error('need x', 2) end end\nneed()", "need x" },
        { "local step = coroutine.wrap(function() coroutine.yield()\nerror('in a coroutine') end)\n"
          "step()\nstep()",
          "in a coroutine" },
        { "do local c <close> = setmetatable({}, { __close = function()\nerror('closing') end }) end", "closing" },
        { "\nsetmetatable({}, { __gc = print })", "setmetatable: scripts have no __gc; write local x <close> = ..." },
        { "local t = spawn(function()\nerror('in a thread') end)\nt:join()", "in a thread" },
        { "spawn(function()\nerror('in a thread') end)", "in a thread" },
        { "C.cudaLaunchHostFunc(stream, function()\nerror('in a callback') end)\nstream:sync()", "in a callback" },
        { "\nlocal s = ('x'):rep(1 << 40)", "string.rep: the result would be longer than 256 MiB" },
        { "local f\nf = function() return 1 + f() end\nf()", "stack overflow" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "scenario { ranks = 2 }\n%s", cases[i][0]);
        const struct ncs_result *r = execute(text, false);
        ck_assert_msg(r->verdict == NCS_ERROR && r->errors >= 2, "%s: %s", cases[i][0], ncs_verdict_name(r->verdict));
        const struct ncs_run_error *e = &r->error[0];
        ck_assert_msg(strncmp(e->message, cases[i][1], strlen(cases[i][1])) == 0, "%s: %s", cases[i][0], e->message);
        ck_assert_int_eq(e->place.line, 3);
        ck_assert_ptr_nonnull(strstr(e->place.file, "/s.lua"));
        finish();
    }
}
END_TEST

/* The others wait for the rank that raised: its error is the cause, their hang what follows. */
START_TEST(test_raised_while_others_wait)
{
    static const int ranks[] = { 2, 3, 64 };
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "scenario { ranks = %d }\n"
                 "local x = cuda.buffer('float32', 8):fill(rank)\n"
                 "if rank == nranks - 1 then error('boom') end\n"
                 "world:all_reduce(x)\nstream:sync()\n",
                 ranks[i]);
        const struct ncs_result *r = execute(text, false);
        ck_assert_int_eq(r->verdict, NCS_ERROR);
        ck_assert_int_eq(r->stop, NCS_STOP_QUIET);
        ck_assert_int_eq(r->certainty, NCS_CERTAIN);
        ck_assert_uint_eq(r->errors, 1);
        ck_assert_int_eq(r->error[0].rank, ranks[i] - 1);
        ck_assert_uint_eq(r->diagnosis.findings, 1);
        ck_assert_str_eq(r->diagnosis.finding[0].rule, "error-path");
        ck_assert_uint_eq(r->diagnosis.finding[0].blockeds, (size_t)ranks[i] - 1);
        finish();
    }
    const struct ncs_result *r = execute("scenario { ranks = 1 }\nerror('boom')\n", false);
    ck_assert_int_eq(r->verdict, NCS_ERROR);
    ck_assert_uint_eq(r->diagnosis.findings, 0);
    finish();
}
END_TEST

START_TEST(test_memory_limit)
{
    struct ncs_script *s = script = load(
        "scenario { ranks = 2 }\nlocal t = {}\nwhile true do t[#t + 1] = ('x'):rep(10000) .. #t end");
    struct ncs_run_options o = { .driver = "sim", .ranks = 2, .hosts.devices = 8, .verify = true };
    struct ncs_program p = ncs_script_program(s, &scenario);
    ncs_budget_limit(ncs_budget_used() + (8 << 20));
    run = ncs_run_new(&o, &p, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    ck_assert_int_eq(r->verdict, NCS_MEMORY);
    ck_assert_ptr_nonnull(strstr(r->error[0].message, "not enough memory"));
    ck_assert_ptr_nonnull(strstr(r->error[0].message, "(--memory)"));
    finish();
    ncs_budget_limit(NCS_BUDGET_NONE);
}
END_TEST

NCS_TEST_MAIN("script errors", test_usage, test_refused_by_nccl, test_error_objects, test_errors_in_groups,
              test_hang_abandons_everything, test_thread_error, test_thread_error_taken, test_locks_and_messages, test_verdicts,
              test_raised, test_raised_while_others_wait, test_memory_limit)
