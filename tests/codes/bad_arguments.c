/* Every function of the API with arguments of which one is bad, then with several bad ones: NULL,
 * handles of nobody, of another kind and of what is gone, numbers out of range. As both versions, alone
 * and in a group, on blocking and non-blocking communicators. Nothing may crash, every code is one of
 * its library's, and nothing is left behind. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "../kernel/kernel.h"
#include "api/invoke.h"
#include "base/hash.h"
#include "base/sanitizer.h"

#if NCS_TSAN
enum { MIXTURES = 2 };
#elif NCS_ASAN
enum { MIXTURES = 20 };
#else
enum { MIXTURES = 60 };
#endif

enum { ROOM = 4096, LIST = 64 };

static _Alignas(64) char host[ROOM], nobody[ROOM];
static _Alignas(64) char out[NCS_MAX_ARGS][16384];
static struct ncs_local local[2];
static bool blocking;

/* What an argument is made of: values to choose from, the first of them good. */
struct choice {
    int count;
    union ncs_arg (*make)(int which);
    const int64_t *number;
};

static cudaStream_t new_stream(void)
{
    cudaStream_t stream = NULL;
    api->cudaStreamCreate(&stream);
    return stream;
}

static ncclComm_t new_comm(int nranks)
{
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    ncclConfig_t config = {
        .size = sizeof config, .magic = NCCL_CONFIG_MAGIC, .version = NCCL_VERSION(2, 14, 0), .blocking = blocking && nranks == 1
    };
    OK(api->ncclGetUniqueId(&id));
    api->ncclCommInitRankConfig(&comm, nranks, id, 0, &config);
    ncclResult_t state = ncclInProgress;
    while (nranks == 1 && state == ncclInProgress && !machine->cancelled())
        api->ncclCommGetAsyncError(comm, &state);
    return comm;
}

static void *device_memory(void)
{
    void *p = NULL;
    api->cudaMalloc(&p, 4096);
    return p;
}

static const void *bad_pointer(int which)
{
    static const uintptr_t nowhere[] = { 0, 24, 1, UINTPTR_MAX - 8 };
    if (which < 4)
        return (const void *)nowhere[which];
    return which == 4 ? (void *)nobody : (void *)new_stream();
}
enum { BAD_POINTERS = 6 };

static union ncs_arg make_comm(int which)
{
    ncclComm_t comm = which < 7 ? new_comm(which == 6 ? 2 : 1) : NULL;
    switch (which) {
    case 0: break;
    case 1: api->ncclCommDestroy(comm); break;
    case 2: api->ncclCommAbort(comm); break;
    case 3: api->ncclCommFinalize(comm); break;
    case 4:
        if (api->ncclCommRevoke)
            api->ncclCommRevoke(comm, 0);
        break;
    case 5: api->ncclAllReduce(NULL, NULL, 1, ncclNumTypes, ncclSum, comm, NULL); break;
    case 6: break; /* in progress */
    default: return (union ncs_arg){ .p = bad_pointer(which - 7) };
    }
    return (union ncs_arg){ .p = comm };
}

static union ncs_arg make_memory(int which)
{
    char *p = which < 4 ? device_memory() : NULL;
    switch (which) {
    case 0: break;
    case 1: api->cudaFree(p); break;
    case 2: p += 4090; break;
    case 3: p += 1; break;
    case 4: p = host; break;
    case 5: api->cudaMallocHost((void **)&p, 64); break;
    case 6: api->cudaMallocManaged((void **)&p, 64, 1); break;
    case 7: api->cudaMallocAsync((void **)&p, 64, NULL); break;
    default: return (union ncs_arg){ .p = bad_pointer(which - 8) };
    }
    return (union ncs_arg){ .p = p };
}

static union ncs_arg make_stream(int which)
{
    cudaStream_t stream = which < 3 ? new_stream() : NULL;
    switch (which) {
    case 0: break;
    case 1: api->cudaStreamDestroy(stream); break;
    case 2:
        api->cudaSetDevice(1);
        stream = new_stream();
        api->cudaSetDevice(0);
        break;
    case 3: stream = cudaStreamLegacy; break;
    case 4: stream = cudaStreamPerThread; break;
    case 5: return (union ncs_arg){ .p = new_comm(1) };
    default: return (union ncs_arg){ .p = bad_pointer(which - 6) };
    }
    return (union ncs_arg){ .p = stream };
}

static union ncs_arg make_event(int which)
{
    cudaEvent_t event = NULL;
    if (which >= 3)
        return (union ncs_arg){ .p = bad_pointer(which - 3) };
    api->cudaEventCreate(&event);
    if (which == 1)
        api->cudaEventDestroy(event);
    if (which == 2)
        api->cudaEventRecord(event, NULL);
    return (union ncs_arg){ .p = event };
}

static union ncs_arg make_pool(int which)
{
    cudaMemPool_t pool = NULL;
    if (which >= 2)
        return (union ncs_arg){ .p = bad_pointer(which - 2) };
    struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned, .location = { cudaMemLocationTypeDevice, 0 } };
    api->cudaMemPoolCreate(&pool, &props);
    if (which == 1)
        api->cudaMemPoolDestroy(pool);
    return (union ncs_arg){ .p = pool };
}

static union ncs_arg make_handle(int which)
{
    return (union ncs_arg){ .p = bad_pointer(which) };
}

static union ncs_arg make_parameter(int which)
{
    ncclParamHandle_t param = NULL;
    if (which >= 2)
        return (union ncs_arg){ .p = bad_pointer(which - 2) };
    if (api->ncclParamBind)
        api->ncclParamBind(&param, which ? "NCCL_DEBUG_FILE" : "NCCL_CUMEM_ENABLE");
    return (union ncs_arg){ .p = param };
}

static union ncs_arg make_id(int which)
{
    static ncclUniqueId id;
    memset(&id, which == 1 ? 0 : 0x5a, sizeof id);
    if (which == 0 || which == 3)
        api->ncclGetUniqueId(&id);
    if (which == 3) {
        ncclComm_t comm;
        api->ncclCommInitRank(&comm, 1, id, 0);
    }
    return (union ncs_arg){ .p = which == 4 ? NULL : &id };
}

static union ncs_arg make_id_value(int which)
{
    return make_id(which);
}

static union ncs_arg make_ids(int which)
{
    static ncclUniqueId ids[LIST];
    memset(ids, 0, sizeof ids);
    api->ncclGetUniqueId(&ids[0]);
    return (union ncs_arg){ .p = which == 1 ? NULL : ids };
}

static union ncs_arg make_config(int which)
{
    static ncclConfig_t config;
    static const ncclConfig_t good = {
        .size = sizeof good, .magic = NCCL_CONFIG_MAGIC, .version = NCCL_VERSION(2, 14, 0), .blocking = 1
    };
    config = good;
    switch (which) {
    case 0: return (union ncs_arg){ .p = NULL };
    case 1: break;
    case 2: config.magic = 0; break;
    case 3: config.size = 0; break;
    case 4: config.size = SIZE_MAX; break;
    case 5: config.version = 0; break;
    case 6: config.version = UINT_MAX; break;
    default:
        memset(&config, which == 7 ? 0 : 0x7f, sizeof config);
        config.size = sizeof config;
        config.magic = NCCL_CONFIG_MAGIC;
        config.version = NCCL_VERSION(2, 30, 7);
        config.netName = config.commName = NULL;
    }
    return (union ncs_arg){ .p = &config };
}

static union ncs_arg make_list(int which)
{
    static int list[LIST];
    static const int first[] = { 1, 0, -1, INT_MAX, INT_MIN };
    if (which == 5)
        return (union ncs_arg){ .p = NULL };
    for (int i = 0; i < LIST; i++)
        list[i] = which == 0 ? i + 1 : first[which];
    return (union ncs_arg){ .p = list };
}

static union ncs_arg make_waits(int which)
{
    static ncclWaitSignalDesc_t list[LIST];
    static const ncclWaitSignalDesc_t first[] = {
        { 1, 0, 0, 0 },  { 0, 0, 0, 0 },       { -1, 0, 0, 0 }, { INT_MAX, 0, 0, 0 },
        { 1, -1, 0, 0 }, { 1, INT_MAX, 0, 0 }, { 1, 0, -1, 0 }, { 1, 0, 0, 9 },
    };
    for (int i = 0; i < LIST && which < 8; i++)
        list[i] = first[which];
    return (union ncs_arg){ .p = which == 8 ? NULL : list };
}

static union ncs_arg make_siminfo(int which)
{
    static ncclSimInfo_t info;
    info = (ncclSimInfo_t){ sizeof info, which == 1 ? 0 : NCCL_SIM_INFO_MAGIC, 0, -1 };
    if (which == 2)
        info.size = 0;
    if (which == 3)
        info.size = SIZE_MAX;
    return (union ncs_arg){ .p = which == 4 ? NULL : &info };
}

static union ncs_arg make_redop(int which)
{
    static const int64_t built[] = { ncclSum, ncclAvg, -1, ncclNumOps, 77, INT_MAX, INT_MIN };
    ncclRedOp_t op = ncclSum;
    float two = 2;
    if (which < 7)
        return (union ncs_arg){ .i = built[which] };
    ncclComm_t comm = new_comm(1);
    api->ncclRedOpCreatePreMulSum(&op, &two, ncclFloat32, ncclScalarHostImmediate, comm);
    return (union ncs_arg){ .i = op };
}

static union ncs_arg make_text(int which)
{
    static const char *const texts[] = { "NCCL_DEBUG_FILE", "", "NCCL_NO_SUCH_THING", "0000:00:00.0", "%s%n", NULL };
    return (union ncs_arg){ .p = texts[which] };
}

static union ncs_arg make_pool_props(int which)
{
    static struct cudaMemPoolProps props;
    memset(&props, which == 1 ? 0 : 0x7f, sizeof props);
    if (which == 0)
        props = (struct cudaMemPoolProps){ .allocType = cudaMemAllocationTypePinned,
                                           .location = { cudaMemLocationTypeDevice, 0 } };
    return (union ncs_arg){ .p = which == 3 ? NULL : &props };
}

static union ncs_arg make_location(int which)
{
    static const struct cudaMemLocation places[] = {
        { cudaMemLocationTypeDevice, 0 },    { cudaMemLocationTypeDevice, -1 }, { cudaMemLocationTypeDevice, INT_MAX },
        { (enum cudaMemLocationType)99, 0 }, { cudaMemLocationTypeHost, 0 },
    };
    return (union ncs_arg){ .p = &places[which] };
}

/* Memory of the caller's own, as large as anything that is read from it. */
static union ncs_arg make_own(int which)
{
    return (union ncs_arg){ .p = which == 1 ? NULL : host };
}

static union ncs_arg make_seconds(int which)
{
    const double seconds[] = { 1e-6, 0, -1, (double)NAN, (double)INFINITY, 1e300 };
    return (union ncs_arg){ .d = seconds[which] };
}

static void on_host(void *unused)
{
    (void)unused;
}

static void on_stream(cudaStream_t stream, cudaError_t status, void *unused)
{
    (void)stream;
    (void)status;
    (void)unused;
}

static union ncs_arg make_host_function(int which)
{
    return (union ncs_arg){ .f = which ? NULL : (void (*)(void))on_host };
}

static union ncs_arg make_stream_function(int which)
{
    return (union ncs_arg){ .f = which ? NULL : (void (*)(void))on_stream };
}

#define MADE(n, maker)                \
    {                                 \
        .count = (n), .make = (maker) \
    }
#define NUMBERS(...)                                                                                   \
    {                                                                                                  \
        .count = sizeof(const int64_t[]){ __VA_ARGS__ } / sizeof(int64_t), .number = (const int64_t[]) \
        {                                                                                              \
            __VA_ARGS__                                                                                \
        }                                                                                              \
    }
#define INTEGER NUMBERS(0, 1, -1, 2, INT_MAX, INT_MIN)
#define SIZE NUMBERS(16, 0, 1, 4096, (int64_t)1 << 40, INT64_MAX / 4, INT64_MAX, -1)

/* Out-parameters are in no table: a place with room for anything, or NULL. */
static const struct choice choices[] = {
    [NCS_ARG_IN] = MADE(8 + BAD_POINTERS, make_memory),
    [NCS_ARG_OUT] = MADE(8 + BAD_POINTERS, make_memory),
    [NCS_ARG_INOUT] = MADE(8 + BAD_POINTERS, make_memory),
    [NCS_ARG_MEMORY] = MADE(8 + BAD_POINTERS, make_memory),
    [NCS_ARG_COUNT] = SIZE,
    [NCS_ARG_BYTES] = SIZE,
    [NCS_ARG_OFFSET] = SIZE,
    [NCS_ARG_PITCH] = SIZE,
    [NCS_ARG_WIDTH] = SIZE,
    [NCS_ARG_HEIGHT] = SIZE,
    [NCS_ARG_DTYPE] = NUMBERS(7, 10, 12, -1, INT_MAX, INT_MIN),
    [NCS_ARG_REDOP] = MADE(8, make_redop),
    [NCS_ARG_ROOT] = INTEGER,
    [NCS_ARG_PEER] = INTEGER,
    [NCS_ARG_COMM] = MADE(7 + BAD_POINTERS, make_comm),
    [NCS_ARG_STREAM] = MADE(6 + BAD_POINTERS, make_stream),
    [NCS_ARG_EVENT] = MADE(3 + BAD_POINTERS, make_event),
    [NCS_ARG_ID] = MADE(4, make_id_value),
    [NCS_ARG_ID_IN] = MADE(5, make_id),
    [NCS_ARG_IDS] = MADE(2, make_ids),
    [NCS_ARG_CONFIG] = MADE(9, make_config),
    [NCS_ARG_SCALAR] = MADE(2, make_own),
    [NCS_ARG_RESIDENCE] = NUMBERS(1, 0, 2, -1, INT_MAX),
    [NCS_ARG_RESULT] = NUMBERS(0, 8, 9, -1, INT_MAX, INT_MIN),
    [NCS_ARG_ERROR] = NUMBERS(0, 1, 999, 12345, -1, INT_MIN),
    [NCS_ARG_INT] = INTEGER,
    [NCS_ARG_NRANKS] = NUMBERS(1, 0, -1, 2, LIST, INT_MAX, INT_MIN),
    [NCS_ARG_RANK] = INTEGER,
    [NCS_ARG_DEVICE] = NUMBERS(0, 1, -1, 8, INT_MAX, INT_MIN),
    [NCS_ARG_DEVICES] = MADE(6, make_list),
    [NCS_ARG_RANKS] = MADE(6, make_list),
    [NCS_ARG_WAITS] = MADE(9, make_waits),
    [NCS_ARG_FLAGS] = NUMBERS(0, 1, 2, 7, UINT_MAX),
    [NCS_ARG_LONGFLAGS] = NUMBERS(0, 1, 7, -1),
    [NCS_ARG_MEMCPY] = NUMBERS(4, 0, 1, 2, 3, 5, -1, INT_MAX),
    [NCS_ARG_SECONDS] = MADE(6, make_seconds),
    [NCS_ARG_ITEMS] = NUMBERS(1, 0, -1, 2, LIST, INT_MIN),
    [NCS_ARG_ROOM] = NUMBERS(64, 0, -1, 1, 8, INT_MIN),
    [NCS_ARG_SIMINFO] = MADE(5, make_siminfo),
    [NCS_ARG_COLOR] = INTEGER,
    [NCS_ARG_MEMSTAT] = NUMBERS(0, 3, 4, -1, INT_MAX),
    [NCS_ARG_WINDOW] = MADE(BAD_POINTERS, make_handle),
    [NCS_ARG_REGISTRATION] = MADE(BAD_POINTERS, make_handle),
    [NCS_ARG_PARAM] = MADE(2 + BAD_POINTERS, make_parameter),
    [NCS_ARG_TEXT] = MADE(6, make_text),
    [NCS_ARG_POOL] = MADE(2 + BAD_POINTERS, make_pool),
    [NCS_ARG_POOLPROPS] = MADE(4, make_pool_props),
    [NCS_ARG_POOLATTR] = NUMBERS(4, 1, 0, 99, -1),
    [NCS_ARG_ATTRIBUTE] = MADE(2, make_own),
    [NCS_ARG_LOCATION] = MADE(5, make_location),
    [NCS_ARG_CAPTUREMODE] = NUMBERS(0, 1, 2, 3, -1),
    [NCS_ARG_CAPTUREMODE_IO] = MADE(2, make_own),
    [NCS_ARG_GRAPH] = MADE(BAD_POINTERS, make_handle),
    [NCS_ARG_GRAPHEXEC] = MADE(BAD_POINTERS, make_handle),
    [NCS_ARG_NODES] = MADE(2, make_own),
    [NCS_ARG_NODECOUNT] = MADE(2, make_own),
    [NCS_ARG_ADVICE] = NUMBERS(1, 0, 99, -1),
    [NCS_ARG_DEVICEATTR] = NUMBERS(1, 0, 99999, -1),
    [NCS_ARG_LIMIT] = NUMBERS(0, 99, -1),
    [NCS_ARG_PROPERTIES] = MADE(2, make_own),
    [NCS_ARG_HOSTFN] = MADE(2, make_host_function),
    [NCS_ARG_STREAMFN] = MADE(2, make_stream_function),
    [NCS_ARG_USERDATA] = MADE(BAD_POINTERS, make_handle),
    [NCS_ARG_IPCMEM] = MADE(1, make_own),
    [NCS_ARG_IPCEVENT] = MADE(1, make_own),
};

struct trial {
    const struct ncs_fn_info *info;
    enum ncs_fn fn;
    bool grouped;
    int which[NCS_MAX_ARGS];
};

static struct trial trial;
static uint64_t calls;

static int choices_of(enum ncs_kind kind)
{
    return ncs_kind_is_out(kind) ? 2 : choices[kind].count;
}

static bool has_list(const struct ncs_fn_info *info)
{
    for (int i = 0; i < info->nargs; i++)
        if (info->arg[i].kind == NCS_ARG_COMMS_OUT)
            return true;
    return false;
}

static union ncs_arg argument(int at)
{
    enum ncs_kind kind = trial.info->arg[at].kind;
    int which = trial.which[at];
    if (ncs_kind_is_out(kind))
        return (union ncs_arg){ .p = which ? NULL : out[at] };
    const struct choice *c = &choices[kind];
    if (c->make)
        return c->make(which);
    /* a list of so many is as long as it says */
    if (kind == NCS_ARG_NRANKS && c->number[which] > LIST && has_list(trial.info))
        return (union ncs_arg){ .i = LIST };
    return (union ncs_arg){ .i = c->number[which] };
}

static void describe(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s%s%s", trial.info->name, trial.grouped ? " in a group" : "",
                                   blocking ? "" : ", non-blocking");
    for (int i = 0; i < trial.info->nargs && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %d", trial.which[i]);
}

static bool valid(const union ncs_arg *result)
{
    switch (trial.info->result) {
    case NCS_RESULT_NCCL: return result->i >= 0 && result->i < ncclTimeout;
    case NCS_RESULT_CUDA: return strcmp(api->cudaGetErrorName((cudaError_t)result->i), "unrecognized error code") != 0;
    case NCS_RESULT_TEXT: return result->p != NULL;
    case NCS_RESULT_VOID: break;
    }
    return true;
}

static void make_call(void *unused)
{
    (void)unused;
    union ncs_arg arg[NCS_MAX_ARGS] = { 0 }, result = { 0 };
    for (int i = 0; i < trial.info->nargs; i++)
        arg[i] = argument(i);
    local[0].guarded = true;
    local[0].ranges = 2;
    local[0].range[0] = (struct ncs_range){ .from = host, .bytes = sizeof host };
    local[0].range[1] = (struct ncs_range){ .from = nobody, .bytes = sizeof nobody };
    if (trial.grouped)
        api->ncclGroupStart();
    bool there = ncs_invoke(api, trial.fn, arg, &result);
    if (machine->cancelled())
        return;
    if (there) {
        char text[256];
        describe(text, sizeof text);
        ck_assert_msg(valid(&result), "%s gives %lld", text, (long long)result.i);
        calls++;
    }
    api->ncclGroupEnd();
    api->cudaDeviceSynchronize();
    machine->end(NCS_END_RETURNED, NULL, (struct ncs_place){ 0 });
}

static void attempt(void)
{
    struct ncs_error err;
    memset(nobody, 0, sizeof nobody);
    memset(host, 0, sizeof host);
    local[0] = (struct ncs_local){ 0 };
    struct ncs_context_options options = { .local = &local[0], .main = make_call };
    ck_assert_msg(machine->spawn(&options, &err), "%s", err.text);
    machine->run();
    machine->reset();
    uint64_t objects, bytes, unused;
    machine->stats(&objects, &bytes, &unused);
    char text[256];
    describe(text, sizeof text);
    ck_assert_msg(objects == 0 && bytes == 0, "%s leaves %d objects, %d bytes", text, (int)objects, (int)bytes);
}

/* Each argument bad in turn, the others good. */
static void one_bad(void)
{
    memset(trial.which, 0, sizeof trial.which);
    attempt();
    for (int i = 0; i < trial.info->nargs; i++) {
        for (int w = 1; w < choices_of(trial.info->arg[i].kind); w++) {
            trial.which[i] = w;
            attempt();
        }
        trial.which[i] = 0;
    }
}

static void several_bad(struct ncs_random *dice)
{
    for (int k = 0; k < MIXTURES && trial.info->nargs > 1; k++) {
        for (int i = 0; i < trial.info->nargs; i++)
            trial.which[i] = (int)ncs_random_below(dice, (uint64_t)choices_of(trial.info->arg[i].kind));
        attempt();
    }
}

static void walk(int version, bool own_threads)
{
    struct ncs_random dice = { .state = 1 };
    kernel_open(&(struct ncs_machine_options){
        .nccl_version = version, .own_threads = own_threads, .step_limit = 100000, .device_memory = 1 << 26, .ready_after = 1 });
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        for (int mode = 0; mode < 4; mode++) {
            trial = (struct trial){ .info = &ncs_fn_info[fn], .fn = (enum ncs_fn)fn, .grouped = mode & 1 };
            blocking = mode & 2;
            if (!own_threads)
                one_bad();
            several_bad(&dice);
        }
    machine->close();
    printf("%llu calls as %d\n", (unsigned long long)calls, version);
}

START_TEST(every_kind_has_choices)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        for (int i = 0; i < ncs_fn_info[fn].nargs; i++) {
            const struct ncs_fn_arg *a = &ncs_fn_info[fn].arg[i];
            ck_assert_msg(ncs_kind_is_out(a->kind) ||
                              ((size_t)a->kind < sizeof choices / sizeof *choices && choices[a->kind].count > 0),
                          "%s: nothing to choose from for %s", ncs_fn_info[fn].name, a->name);
        }
}
END_TEST

START_TEST(new_survives)
{
    walk(NCCL_VERSION(2, 30, 7), false);
}
END_TEST

START_TEST(old_survives)
{
    walk(NCCL_VERSION(2, 28, 9), false);
}
END_TEST

START_TEST(threads_survive)
{
    walk(NCCL_VERSION(2, 30, 7), true);
}
END_TEST

#include "harness.h"

NCS_TEST_MAIN("bad arguments", every_kind_has_choices, new_survives, old_survives, threads_survive)
