/* Programs that free, reset, register and alias memory through C, and use it by methods: bytes choose
 * among the statements below and what is put in for their letters. Whether a program touches memory
 * that is not its own a sanitizer sees; nothing else is asked of it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "run.h"
#include "run/run.h"

enum { STATEMENTS_MOST = 60 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

/* @b a buffer, @p a pointer, @a either, @n a number, @s a stream, @w a window, @i an index, @m a kind
 * of memory, @d a device, @t a data type. */
static const char *const statements[] = {
    /* makes */
    "b[@i] = cuda.buffer('uint8', @n, { memory = '@m', device = @d })",
    "b[@i] = cuda.buffer('uint8', 4096, { memory = '@m' }):fill(7)",
    "b[@i] = cuda.buffer('uint8', @n, { stream = @s })",
    "b[@i] = C.host('uint8', @n)",
    "b[@i] = @b:slice(1 + @n)",
    "b[@i] = @b:part(1, 4)",
    "b[@i] = w[@i].buffer",
    /* aliases */
    "p[@i] = @b.ptr + @n",
    "p[@i] = @p + @n",
    "p[@i] = @b.ptr + (@b.ptr - @b.ptr)",
    "p[@i] = select(2, C.cudaPointerGetAttributes(@a)).devicePointer",
    "p[@i] = select(2, C.cudaPointerGetAttributes(@a)).hostPointer",
    "p[@i] = select(2, C.cudaHostGetDevicePointer(@a, 0))",
    "p[@i] = select(2, C.ncclWinGetUserPtr(world, @w))",
    "p[@i] = w[@i].ptr",
    "p[@i] = select(2, C.cudaMalloc(@n))",
    "p[@i] = select(2, C.cudaMallocHost(@n))",
    "p[@i] = select(2, C.cudaMallocManaged(@n, 1))",
    "p[@i] = select(2, C.cudaMallocAsync(@n, @s))",
    "p[@i] = select(2, C.ncclMemAlloc(@n))",
    /* ends */
    "C.cudaFree(@a)",
    "C.cudaFreeHost(@a)",
    "C.cudaFreeAsync(@a, @s)",
    "C.ncclMemFree(@a)",
    "@b:free()",
    "@b:free { stream = @s }",
    "C.cudaDeviceReset()",
    "C.cudaHostRegister(@a, @n, 0)",
    "C.cudaHostUnregister(@a)",
    "b[@i] = nil collectgarbage()",
    "collectgarbage() spray(@n)",
    "C.cudaSetDevice(@d)",
    /* uses, by C */
    "C.cudaMemcpy(@a, @a, @n, C.cudaMemcpyDefault)",
    "C.cudaMemcpyAsync(@a, @a, @n, C.cudaMemcpyDefault, @s)",
    "C.cudaMemcpyAsync(@a, @a, @n, C.cudaMemcpyDefault, @s)",
    "C.cudaMemcpy2DAsync(@a, @n, @a, @n, 8, 8, C.cudaMemcpyDefault, @s)",
    "C.cudaMemcpyPeerAsync(@a, @d, @a, @d, @n, @s)",
    "C.cudaMemset(@a, 66, @n)",
    "C.cudaMemsetAsync(@a, 66, @n, @s)",
    "C.cudaMemset2DAsync(@a, @n, 66, 8, 8, @s)",
    "C.ncclAllReduce(@a, @a, @n, @t, @i, world, @s)",
    "C.ncclAllGather(@a, @a, @n, @t, world, @s)",
    "C.ncclAlltoAll(@a, @a, @n, @t, world, @s)",
    "C.ncclSend(@a, @n, @t, 1 - rank, world, @s)",
    "C.ncclRecv(@a, @n, @t, 1 - rank, world, @s)",
    "C.ncclRedOpCreatePreMulSum(@a, @t, @d, world)",
    "C.ncclCommRegister(world, @a, @n)",
    "w[@i] = select(2, C.ncclCommWindowRegister(world, @a, @n, 1))",
    "C.ncclCommWindowDeregister(world, @w)",
    "C.ncclPutSignal(@a, @n, @t, 1 - rank, @w, @n, 0, 0, 0, world, @s)",
    "C.cudaMemPoolGetAttribute(select(2, C.cudaDeviceGetDefaultMemPool(@d)), 4, @a)",
    "C.cudaIpcOpenMemHandle(select(2, C.cudaIpcGetMemHandle(@a)), 1)",
    /* uses, by methods */
    "local v = @b[1 + @n]",
    "local x = @b x[#x] = 66",
    "@b:fill(66)",
    "@b:fill(67, { stream = @s })",
    "@b:fill(function(i) if i == 3 then act() end return 66 end)",
    "@b:copy_from(@b)",
    "@b:copy_from(@b, { stream = @s })",
    "@b:add(@b)",
    "@b:add(@b, { stream = @s })",
    "@b:get()",
    "tostring(@b)",
    "expect.equal(@b, 66)",
    "expect.equal(@b, @b)",
    "expect.equal(@b, function(i) if i == 3 then act() end return 66 end)",
    "world:all_reduce(@b, { stream = @s })",
    "world:all_reduce(@b, { op = world:premulsum('uint8', @b) })",
    "world:broadcast(@b)",
    "world:all_to_all(@b, @b, { verify = false })",
    "w[@i] = world:window(@b, { symmetric = true })",
    "w[@i]:deregister()",
    "world:put_signal(@b, 1 - rank, @w)",
    "world:signal(1 - rank)",
    "world:register(@b)",
    /* whens */
    "@s:delay(0.001)",
    "@s:sync()",
    "C.cudaDeviceSynchronize()",
    "sleep(0.0005)",
    "C.cudaLaunchHostFunc(@s, act)",
    "spawn(act)",
    "kept.t = spawn(act) kept.t:join() kept.t = nil collectgarbage()",
    "coroutine.wrap(act)()",
    "spawn(function() leave(act) end):join()",
    "leave(act)",
    "coroutine.close(kept.c)",
    "q[@i] = select(2, C.ncclCommSplit(world, @d, 0, nil))",
    "q[@i] = world:split { color = @d, blocking = false }",
    "q[@i]:all_reduce(@b)",
    "q[@i]:abort()",
    "q[@i]:destroy()",
    "q[@i] = nil collectgarbage()",
    "C.ncclGroupStart()",
    "C.ncclGroupEnd()",
};

struct choices {
    const unsigned char *data;
    size_t count;
};

static unsigned choose(struct choices *c, unsigned n)
{
    if (c->count == 0)
        return 0;
    c->count--;
    return *c->data++ % n;
}

static void add_operand(struct ncs_str *out, char letter, struct choices *c)
{
    static const char *const numbers[] = { "0",    "1",    "8",     "63", "64",  "65",        "1024",
                                           "4096", "4097", "70000", "-1", "-64", "(1 << 40)", "(1 << 62)" };
    static const char *const kinds[] = { "device", "pinned", "managed", "nccl", "pageable" };
    switch (letter) {
    case 'b':
    case 'p':
    case 's':
    case 'w': ncs_str_addf(out, "%c[%u]", letter, 1 + choose(c, letter == 's' ? 3 : 4)); break;
    case 'a': ncs_str_addf(out, "%c[%u]", choose(c, 2) ? 'b' : 'p', 1 + choose(c, 4)); break;
    case 'n': ncs_str_add(out, numbers[choose(c, sizeof numbers / sizeof *numbers)]); break;
    case 'm': ncs_str_add(out, kinds[choose(c, sizeof kinds / sizeof *kinds)]); break;
    case 't': ncs_str_addf(out, "%u", choose(c, 12)); break;
    case 'd': ncs_str_addf(out, "%u", choose(c, 2)); break;
    default: ncs_str_addf(out, "%u", 1 + choose(c, 4));
    }
}

/* On one rank only, or on both; what fails is no news. */
static void add_statement(struct ncs_str *out, struct choices *c)
{
    unsigned where = choose(c, 8);
    const char *text = statements[choose(c, sizeof statements / sizeof *statements)];
    ncs_str_addf(out, "%spcall(function() ", where == 0 ? "if rank == 0 then " : where == 1 ? "if rank == 1 then " : "");
    for (; *text; text++)
        if (*text == '@')
            add_operand(out, *++text, c);
        else
            ncs_str_add_bytes(out, text, 1);
    ncs_str_addf(out, " end)%s\n", where < 2 ? " end" : "");
}

static void change(struct ncs_run_options *options, void *arg)
{
    const unsigned *how = arg;
    options->look = *how & 1 ? 16 : 0;
    options->repair = (*how & 6) == 2;
    options->own_threads = (*how & 24) == 8;
    options->seeded = (*how & 32) != 0;
    options->seed = *how;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct choices c = { data, bytes };
    struct ncs_str text = { 0 };
    unsigned how = choose(&c, 64);
    ncs_str_add(&text, "scenario { ranks = 2, devices = 2 }\n"
                       "local b, p, q, w, kept = {}, {}, {}, {}, {}\n"
                       "local s = { stream, cuda.stream { blocking = false }, cuda.stream() }\n"
                       "local function spray(n)\n"
                       "    for i = 1, 40 do kept[#kept + 1] = ('A'):rep(math.min(n, 8192) + i) end\n"
                       "end\n"
                       "local function leave(fn)\n"
                       "    kept.c = coroutine.create(function()\n"
                       "        local v <close> = setmetatable({}, { __close = fn })\n"
                       "        coroutine.yield()\n"
                       "    end)\n"
                       "    coroutine.resume(kept.c)\n"
                       "end\n"
                       "for i, m in ipairs { 'device', 'pinned', 'managed', 'nccl' } do\n"
                       "    b[i] = cuda.buffer('uint8', 4096, { memory = m }):fill(i)\n"
                       "    p[i] = select(2, C.cudaPointerGetAttributes(b[i])).devicePointer\n"
                       "end\n"
                       "local function act()\n");
    for (int i = 0; i < 2; i++)
        add_statement(&text, &c);
    ncs_str_add(&text, "end\n");
    for (int i = 0; c.count > 0 && i < STATEMENTS_MOST; i++)
        add_statement(&text, &c);
    if (getenv("FUZZ_PRINT")) /* to look at an input, and to run it by hand */
        puts(text.text);
    if (!fuzz_run(text.text, text.bytes, change, &how)) {
        fprintf(stderr, "does not load:\n%s", text.text);
        abort();
    }
    ncs_str_free(&text);
    return 0;
}
