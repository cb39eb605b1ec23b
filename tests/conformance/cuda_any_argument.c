/* Every function of the CUDA runtime with any argument at all, the handles among them that calls have
 * given out: none of them crashes, and nothing is left. */
#include "cuda_lab.h"

#include "api/invoke.h"
#include "base/hash.h"

#define HANDLES 16

static union ncs_arg known[HANDLES]; /* what calls have given out, and some that they never did */
static char memory[4096];
static size_t given;

static void keep(const void *p)
{
    known[given++ % HANDLES].p = p;
}

static union ncs_arg any_number(struct ncs_random *r)
{
    static const int64_t odd[] = { 0, 1, 2, -1, 3, 4, 8, 64, INT_MIN, INT_MAX, INT64_MIN, INT64_MAX, 4096, 0x12345678 };
    return (union ncs_arg){ .i = odd[ncs_random_below(r, sizeof odd / sizeof *odd)] };
}

static union ncs_arg any_pointer(struct ncs_random *r)
{
    union ncs_arg arg = known[ncs_random_below(r, HANDLES)];
    if (ncs_random_below(r, 4) == 0)
        arg = any_number(r);
    else if (ncs_random_below(r, 4) == 0)
        arg.u++;
    return arg;
}

static union ncs_arg any(struct ncs_random *r, enum ncs_kind kind)
{
    static const char *const texts[] = { NULL, "", "0000:10:00.0", "cuInit", ":::....", "10:0.0" };
    union ncs_arg arg = { .i = 0 };
    switch (kind) {
    case NCS_ARG_BYTES: /* what the host could give for real is slow under sanitizers */
        arg = any_number(r);
        return arg.i > 4096 && arg.i <= INT_MAX ? (union ncs_arg){ .i = 1 << 16 } : arg;
    case NCS_ARG_IN:
    case NCS_ARG_OUT:
    case NCS_ARG_INOUT:
    case NCS_ARG_MEMORY:
    case NCS_ARG_STREAM:
    case NCS_ARG_EVENT:
    case NCS_ARG_POOL:
    case NCS_ARG_ATTRIBUTE:
    case NCS_ARG_USERDATA:
    case NCS_ARG_GRAPH:
    case NCS_ARG_GRAPHEXEC: return any_pointer(r);
    case NCS_ARG_TEXT: arg.p = texts[ncs_random_below(r, 6)]; return arg;
    case NCS_ARG_HOSTFN: arg.f = ncs_random_below(r, 4) ? (void (*)(void))nothing : NULL; return arg;
    case NCS_ARG_STREAMFN: arg.f = ncs_random_below(r, 4) ? (void (*)(void))nothing_of_stream : NULL; return arg;
    case NCS_ARG_SECONDS: arg.d = (double)any_number(r).i; return arg;
    case NCS_ARG_LOCATION:
    case NCS_ARG_IPCMEM:
    case NCS_ARG_IPCEVENT:
        for (size_t i = 0; i < 64; i += sizeof(int))
            memcpy(memory + i, &(int){ (int)ncs_random_below(r, 4) }, sizeof(int));
        arg.p = memory;
        return arg;
    case NCS_ARG_POOLPROPS:
    case NCS_ARG_PROPERTIES:
    case NCS_ARG_NODES:
    case NCS_ARG_NODECOUNT:
    case NCS_ARG_CAPTUREMODE_IO: arg.p = ncs_random_below(r, 4) ? memory : NULL; return arg;
    default:
        if (!ncs_kind_is_out(kind))
            return any_number(r);
        arg.p = ncs_random_below(r, 8) ? memory + 1024 : NULL;
        return arg;
    }
}

static uint64_t seed;
static size_t made, succeeded;

static void garbage(void)
{
    struct ncs_random r = { ncs_hash(0, seed) };
    struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned, .location = { cudaMemLocationTypeDevice, 0 } };
    given = 0;
    for (int i = 0; i < HANDLES; i++)
        known[i] = any_number(&r);
    for (int i = 0; i < 1000; i++) {
        enum ncs_fn fn = (enum ncs_fn)ncs_random_below(&r, NCS_FN_COUNT);
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        union ncs_arg arg[NCS_MAX_ARGS], result = { .i = 0 };
        if (info->lib == NCS_LIB_NCCL || !ncs_api_has(api, fn))
            continue;
        memcpy(memory, &props, sizeof props);
        for (int k = 0; k < info->nargs; k++)
            arg[k] = any(&r, info->arg[k].kind);
        ncs_local->guarded = true; /* none of it is memory of the caller's */
        ck_assert(ncs_invoke(api, fn, arg, &result));
        ncs_local->guarded = false;
        made++;
        if (info->result == NCS_RESULT_TEXT || result.i != 0)
            continue;
        succeeded++;
        for (int k = 0; k < info->nargs; k++)
            if (arg[k].p == memory + 1024 && ncs_random_below(&r, 2) == 0)
                keep(*(void **)(memory + 1024));
    }
}

START_TEST(any_argument)
{
    struct ncs_machine_options options = { .hosts.devices = 4, .device_memory = (uint64_t)1 << 20 };
    for (seed = 0; seed < 40; seed++) {
        options.own_threads = seed % 8 == 0;
        run(&options, garbage);
    }
    ck_assert_uint_gt(made, 15000);
    ck_assert_uint_gt(succeeded, made / 10); /* else it says little */
}
END_TEST

NCS_TEST_MAIN("cuda_any_argument", any_argument)
