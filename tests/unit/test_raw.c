/* The table C of scripts: how each kind of argument reaches the library and each kind of result
 * comes back. The library is the simulator with functions of the test's own in it, which write down
 * what they were given. */
#include "harness.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "api/driver.h"
#include "base/mem.h"
#include "run/private.h"
#include "script/script.h"

static struct ncs_api lib;
static char seen[4096]; /* what the functions were given */
static cudaHostFn_t host_fn;
static cudaStreamCallback_t stream_fn;
static void *user_data;

static void __attribute__((format(printf, 1, 2))) note(const char *fmt, ...)
{
    va_list args;
    size_t n = strlen(seen);
    va_start(args, fmt);
    vsnprintf(seen + n, sizeof seen - n, fmt, args);
    va_end(args);
}

/* ---- the library ---- */

#define COMM ((ncclComm_t)0x1000)
#define WINDOW ((ncclWindow_t)0x2000)
#define REGISTRATION ((void *)0x3000)
#define PARAM ((ncclParamHandle_t)0x4000)
#define POOL ((cudaMemPool_t)0x5000)

static ncclResult_t scalable(ncclComm_t *comm, int nranks, int rank, int n, ncclUniqueId *ids, ncclConfig_t *config)
{
    note("scalable %d %d %d", nranks, rank, n);
    for (int i = 0; i < n && ids; i++)
        note(" %d", memcmp(&ids[i], &ids[0], sizeof *ids) == 0);
    note(" %d\n", config ? config->blocking : -9);
    *comm = COMM;
    return ncclSuccess;
}

static ncclResult_t split(ncclComm_t comm, int color, int key, ncclComm_t *out, ncclConfig_t *config)
{
    note("split %d %d %d %d\n", comm == COMM, color, key, config != NULL);
    *out = color == NCCL_SPLIT_NOCOLOR ? NULL : COMM;
    return ncclSuccess;
}

static ncclResult_t shrink(ncclComm_t comm, int *list, int n, ncclComm_t *out, ncclConfig_t *config, int flags)
{
    (void)comm, (void)config;
    note("shrink");
    for (int i = 0; i < n && list; i++)
        note(" %d", list[i]);
    note(" flags %d\n", flags);
    *out = NULL;
    return ncclInvalidArgument;
}

static ncclResult_t grow(ncclComm_t comm, int nranks, const ncclUniqueId *id, int rank, ncclComm_t *out, ncclConfig_t *config)
{
    (void)comm, (void)config;
    note("grow %d %d %d\n", nranks, id != NULL, rank);
    *out = COMM;
    return ncclSuccess;
}

static ncclResult_t user_rank(ncclComm_t comm, int *rank)
{
    (void)comm;
    *rank = 5;
    return ncclSuccess;
}
static ncclResult_t count(ncclComm_t comm, int *n)
{
    (void)comm;
    *n = 7;
    return ncclSuccess;
}
static ncclResult_t destroy(ncclComm_t comm)
{
    (void)comm;
    return ncclSuccess;
}

static ncclResult_t window_register(ncclComm_t comm, void *buff, size_t bytes, ncclWindow_t *win, int flags)
{
    (void)comm;
    note("window %d %zu %d\n", buff != NULL, bytes, flags);
    *win = bytes > 16 ? NULL : WINDOW;
    return ncclSuccess;
}

static ncclResult_t comm_register(ncclComm_t comm, void *buff, size_t bytes, void **handle)
{
    (void)comm, (void)buff, (void)bytes;
    *handle = REGISTRATION;
    return ncclSuccess;
}

static ncclResult_t comm_deregister(ncclComm_t comm, void *handle)
{
    (void)comm;
    note("deregister %d\n", handle == REGISTRATION);
    return ncclSuccess;
}

static ncclResult_t put_signal(const void *buff, size_t n, ncclDataType_t dtype, int peer, ncclWindow_t win, size_t offset,
                               int sig, int ctx, unsigned flags, ncclComm_t comm, cudaStream_t stream)
{
    note("put %d %zu %d %d %d %zu %d %d %u %d %d\n", buff != NULL, n, dtype, peer, win == WINDOW, offset, sig, ctx, flags,
         comm == NULL, stream != NULL);
    return ncclSuccess;
}

static ncclResult_t wait_signal(int n, ncclWaitSignalDesc_t *d, ncclComm_t comm, cudaStream_t stream)
{
    (void)comm, (void)stream;
    note("wait %d", n);
    for (int i = 0; i < n && d; i++)
        note(" %d/%d/%d/%d", d[i].opCnt, d[i].peer, d[i].sigIdx, d[i].ctx);
    note("\n");
    return ncclSuccess;
}

static ncclResult_t simulate_end(ncclSimInfo_t *info)
{
    note("simulate %d %x\n", info ? (int)info->size : 0, info ? info->magic : 0);
    if (info)
        info->estimatedTime = 2.5f;
    return ncclSuccess;
}

static ncclResult_t mem_stats(ncclComm_t comm, ncclCommMemStat_t stat, uint64_t *value)
{
    (void)comm;
    *value = (uint64_t)1 << (40 + stat);
    return ncclSuccess;
}

static ncclResult_t properties(ncclComm_t comm, ncclCommProperties_t *p)
{
    (void)comm;
    note("properties %zu %x\n", p->size, p->magic);
    p->nRanks = 9;
    p->multimemSupport = true;
    p->railedGinType = NCCL_GIN_TYPE_GPI;
    return ncclSuccess;
}

static ncclResult_t param_bind(ncclParamHandle_t *out, const char *key)
{
    note("bind %s\n", key ? key : "NULL");
    *out = PARAM;
    return key ? ncclSuccess : ncclInvalidArgument;
}

static ncclResult_t param_i8(ncclParamHandle_t h, int8_t *out)
{
    *out = h == PARAM ? -3 : 0;
    return ncclSuccess;
}

static ncclResult_t param_u64(ncclParamHandle_t h, uint64_t *out)
{
    (void)h;
    *out = (uint64_t)1 << 50;
    return ncclSuccess;
}

static ncclResult_t param_get(ncclParamHandle_t h, void *out, int room, int *len)
{
    (void)h;
    memset(out, 1, (size_t)room);
    *len = room;
    return ncclSuccess;
}

static ncclResult_t param_text(const char *key, const char **value, int *len)
{
    (void)key;
    *value = "ring";
    *len = 4;
    return ncclSuccess;
}

static ncclResult_t param_keys(const char ***table, int *n)
{
    static const char *keys[] = { "ALGO", "PROTO" };
    *table = keys;
    *n = 2;
    return ncclSuccess;
}

static void dump_all(void)
{
    note("dump\n");
}

static cudaError_t device_properties(struct cudaDeviceProp *p, int device)
{
    strcpy(p->name, "A test");
    memcpy(p->uuid, "0123456789abcdef", 16);
    p->totalGlobalMem = (size_t)1 << 40;
    p->maxGridSize[2] = 77;
    p->hostNumaMultinodeIpcSupported = device;
    return cudaSuccess;
}

static cudaError_t choose(int *device, const struct cudaDeviceProp *p)
{
    note("choose %s %d %d\n", p->name, p->major, p->maxThreadsDim[1]);
    *device = 3;
    return cudaSuccess;
}

static cudaError_t bus_id(char *text, int len, int device)
{
    snprintf(text, len > 0 ? (size_t)len : 0, "0000:%02x:00.0", device);
    return cudaSuccess;
}

static cudaError_t by_bus_id(int *device, const char *text)
{
    note("bus %s\n", text);
    *device = 4;
    return cudaSuccess;
}

static cudaError_t pool_create(cudaMemPool_t *pool, const struct cudaMemPoolProps *p)
{
    note("pool %d %d %d %zu\n", p->allocType, p->location.type, p->location.id, p->maxSize);
    *pool = POOL;
    return cudaSuccess;
}

static cudaError_t pool_set(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    note("pool set %d %d %llu\n", pool == POOL, attr, *(unsigned long long *)value);
    return cudaSuccess;
}

static cudaError_t pointer_attributes(struct cudaPointerAttributes *a, const void *p)
{
    a->type = p ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    a->device = p ? 0 : cudaInvalidDeviceId;
    a->devicePointer = (void *)p;
    return cudaSuccess;
}

static cudaError_t advise(const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation location)
{
    (void)p;
    note("advise %zu %d %d %d\n", n, advice, location.type, location.id);
    return cudaSuccess;
}

static cudaError_t ipc_get(cudaIpcMemHandle_t *handle, void *p)
{
    (void)p;
    memset(handle, 'h', sizeof *handle);
    return cudaSuccess;
}

static cudaError_t ipc_open(void **p, cudaIpcMemHandle_t handle, unsigned flags)
{
    note("ipc %c %u\n", handle.reserved[63], flags);
    *p = NULL;
    return cudaErrorNotSupported;
}

static cudaError_t launch_host(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    (void)stream;
    if (!fn)
        return cudaErrorInvalidValue;
    host_fn = fn;
    user_data = data;
    return cudaSuccess;
}

static cudaError_t add_callback(cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned flags)
{
    (void)stream;
    if (flags)
        return cudaErrorInvalidValue;
    stream_fn = fn;
    user_data = data;
    return cudaSuccess;
}

/* Here the functions are run in the rank's own context. */
static cudaError_t stream_synchronize(cudaStream_t stream)
{
    cudaHostFn_t host = host_fn;
    cudaStreamCallback_t callback = stream_fn;
    host_fn = NULL;
    stream_fn = NULL;
    if (host)
        host(user_data);
    if (callback)
        callback(stream, cudaErrorLaunchFailure, user_data);
    return cudaSuccess;
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           enum cudaMemcpyKind kind)
{
    (void)dst, (void)src, (void)kind;
    note("2d %zu %zu %zu %zu\n", dpitch, spitch, width, height);
    return cudaSuccess;
}

static void make_library(void)
{
    lib = *ncs_driver_sim.api;
    lib.ncclCommInitRankScalable = scalable;
    lib.ncclCommSplit = split;
    lib.ncclCommShrink = shrink;
    lib.ncclCommGrow = grow;
    lib.ncclCommUserRank = user_rank;
    lib.ncclCommCount = count;
    lib.ncclCommDestroy = destroy;
    lib.ncclCommAbort = destroy;
    lib.ncclCommWindowRegister = window_register;
    lib.ncclCommRegister = comm_register;
    lib.ncclCommDeregister = comm_deregister;
    lib.ncclPutSignal = put_signal;
    lib.ncclWaitSignal = wait_signal;
    lib.ncclGroupSimulateEnd = simulate_end;
    lib.ncclCommMemStats = mem_stats;
    lib.ncclCommQueryProperties = properties;
    lib.ncclParamBind = param_bind;
    lib.ncclParamGetI8 = param_i8;
    lib.ncclParamGetU64 = param_u64;
    lib.ncclParamGet = param_get;
    lib.ncclParamGetParameter = param_text;
    lib.ncclParamGetAllParameterKeys = param_keys;
    lib.ncclParamDumpAll = dump_all;
    lib.ncclAlltoAll = NULL;
    lib.cudaGetDeviceProperties = device_properties;
    lib.cudaChooseDevice = choose;
    lib.cudaDeviceGetPCIBusId = bus_id;
    lib.cudaDeviceGetByPCIBusId = by_bus_id;
    lib.cudaMemPoolCreate = pool_create;
    lib.cudaMemPoolSetAttribute = pool_set;
    lib.cudaPointerGetAttributes = pointer_attributes;
    lib.cudaMemAdvise = advise;
    lib.cudaIpcGetMemHandle = ipc_get;
    lib.cudaIpcOpenMemHandle = ipc_open;
    lib.cudaLaunchHostFunc = launch_host;
    lib.cudaStreamAddCallback = add_callback;
    lib.cudaStreamSynchronize = stream_synchronize;
    lib.cudaMemcpy2D = copy_2d;
}

/* The simulator's functions are there once its machine is open. */
static bool open_machine(const struct ncs_machine_options *options, struct ncs_error *err)
{
    bool opened = ncs_driver_sim.machine->open(options, err);
    make_library();
    return opened;
}

/* ---- running a script on it ---- */

static struct ncs_scenario scenario;
static struct ncs_script *script;
static struct ncs_run *run;

static const struct ncs_result *execute(const char *text)
{
    static struct ncs_driver driver;
    static struct ncs_script_settings settings = { .policy = -1 };
    char folder[] = "/tmp/ncs_raw_XXXXXX", path[64];
    struct ncs_error err = { 0 };
    static struct ncs_machine machine;
    seen[0] = 0;
    machine = *ncs_driver_sim.machine;
    machine.open = open_machine;
    driver = ncs_driver_sim;
    driver.machine = &machine;
    driver.api = &lib;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/s.lua", folder);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out, "scenario { ranks = 1, world = false }\n%s\n", text);
    fclose(out);
    ncs_scenario_init(&scenario, path);
    script = ncs_script_load(path, &settings, &scenario, &err);
    remove(path);
    rmdir(folder);
    ck_assert_msg(script != NULL, "%s", err.text);
    struct ncs_run_options o = { .driver = "sim", .ranks = 1, .hosts.devices = 8, .verify = true };
    struct ncs_program p = ncs_script_program(script, &scenario);
    run = ncs_run_new(&o, &p, NULL, NULL);
    return ncs_run_execute_on(run, &driver);
}

static void finish(void)
{
    ncs_run_free(run);
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
}

/* The statements hold, and the library was given that. */
static void gives(const char *text, const char *want)
{
    const struct ncs_result *r = execute(text);
    const char *why = r->errors ? r->error[0].message : r->expects ? r->expect[0].message : r->internal.text;
    ck_assert_msg(r->verdict == NCS_PASS, "%s: %s\n%s", ncs_verdict_name(r->verdict), why, text);
    ck_assert_str_eq(seen, want);
    finish();
}

static void refuses(const char *statement, const char *message)
{
    const struct ncs_result *r = execute(statement);
    ck_assert_msg(r->errors == 1, "no error: %s", statement);
    ck_assert_msg(strstr(r->error[0].message, message) != NULL, "got: %s\nwant: %s", r->error[0].message, message);
    ck_assert_int_eq(r->error[0].kind, NCS_KIND_USAGE);
    finish();
}

START_TEST(test_communicators)
{
    gives("local a, b = nccl.unique_id(), nccl.unique_id()\n"
          "local rc, c = C.ncclCommInitRankScalable(4, 2, 2, { a, b }, C.ncclConfig { blocking = 0 })\n"
          "expect.equal(rc, 0) expect.equal(tostring(c), 'comm comm1 2/4 device 0')\n"
          "local rc, s = C.ncclCommSplit(c, 1, -2)\n"
          "expect.equal(rc, 0) expect.equal(tostring(s), 'comm comm1/split1.1 5/7 device 0')\n"
          "local rc, none = C.ncclCommSplit(c, C.NCCL_SPLIT_NOCOLOR, 0, C.ncclConfig {})\n"
          "expect.equal(rc, 0) expect.equal(none, nil)\n"
          "local rc, none = C.ncclCommShrink(c, { 3, 1 }, 2, nil, C.NCCL_SHRINK_ABORT)\n"
          "expect.equal(rc, C.ncclInvalidArgument) expect.equal(none, nil)\n"
          "C.ncclCommShrink(c, nil, 2, nil, 0)\n"
          "expect.equal(C.ncclCommGrow(nil, 8, a, 6), 0) expect.equal(C.ncclCommGrow(c, 8, nil, -1), 0)\n"
          "local rc, v = C.ncclCommMemStats(c, C.ncclStatGpuMemTotal) expect.equal(v, 1 << 43)\n"
          "local rc, p = C.ncclCommQueryProperties(c)\n"
          "expect.equal(p.nRanks, 9) expect.equal(p.multimemSupport, true)\n"
          "expect.equal(p.hostRmaSupport, false) expect.equal(p.railedGinType, C.NCCL_GIN_TYPE_GPI)\n",
          "scalable 4 2 2 1 0 0\nsplit 1 1 -2 0\nsplit 1 -1 0 1\nshrink 3 1 flags 1\nshrink flags 0\n"
          "grow 8 1 6\ngrow 8 0 -1\nproperties 56 cafebeef\n");
}
END_TEST

START_TEST(test_windows_and_signals)
{
    gives("local x = cuda.buffer('float32', 4)\n"
          "local rc, w = C.ncclCommWindowRegister(nil, x, 16, C.NCCL_WIN_COLL_SYMMETRIC)\n"
          "expect.equal(rc, 0) expect.equal(tostring(w):match('window') ~= nil, true)\n"
          "local rc, none = C.ncclCommWindowRegister(nil, x, 17, 0) expect.equal(none, nil)\n"
          "expect.equal(C.ncclPutSignal(x, 4, C.ncclFloat, 1, w, 8, 2, 3, 4, nil, stream), 0)\n"
          "expect.equal(C.ncclWaitSignal(2, { { opCnt = 1, peer = 2 }, { ctx = 4, sigIdx = 3 } }, nil, stream), 0)\n"
          "expect.equal(C.ncclWaitSignal(0, nil, nil, stream), 0)\n"
          "local rc, r = C.ncclCommRegister(nil, x, 16) expect.equal(C.ncclCommDeregister(nil, r), 0)\n"
          "expect.equal(C.ncclCommDeregister(nil, nil), 0)\n",
          "window 1 16 1\nwindow 1 17 0\nput 1 4 7 1 1 8 2 3 4 1 1\nwait 2 1/2/0/0 0/0/3/4\nwait 0\n"
          "deregister 1\nderegister 0\n");
}
END_TEST

START_TEST(test_parameters)
{
    gives("local rc, p = C.ncclParamBind('ALGO') expect.equal(rc, 0)\n"
          "local rc, v = C.ncclParamGetI8(p) expect.equal(v, -3)\n"
          "local rc, v = C.ncclParamGetU64(p) expect.equal(v, 1 << 50)\n"
          "local b = C.host('uint8', 4):fill(0)\n"
          "local rc, n = C.ncclParamGet(p, b, 3) expect.equal(n, 3) expect.equal(b, { 1, 1, 1, 0 })\n"
          "local rc, text, n = C.ncclParamGetParameter('ALGO') expect.equal(text, 'ring') expect.equal(n, 4)\n"
          "local rc, keys, n = C.ncclParamGetAllParameterKeys() expect.equal(n, 2)\n"
          "expect.equal(table.concat(keys, ' '), 'ALGO PROTO')\n"
          "expect.equal(select('#', C.ncclParamDumpAll()), 0)\n"
          "local rc, none = C.ncclParamBind(nil) expect.equal(rc, 4) expect.equal(none, nil)\n",
          "bind ALGO\ndump\nbind NULL\n");
    gives("local s = C.ncclSimInfo {}\n"
          "expect.equal(s.estimatedTime, -1) expect.equal(s.size, 24)\n"
          "expect.equal(C.ncclGroupSimulateEnd(s), 0) expect.equal(s.estimatedTime, 2.5)\n"
          "C.ncclGroupSimulateEnd(C.ncclSimInfo { magic = 0x12 }) C.ncclGroupSimulateEnd(nil)\n",
          "simulate 24 74685283\nsimulate 24 12\nsimulate 0 0\n");
}
END_TEST

START_TEST(test_devices_and_memory)
{
    gives("local rc, p = C.cudaGetDeviceProperties(1)\n"
          "expect.equal(p.name, 'A test') expect.equal(p.uuid, '0123456789abcdef')\n"
          "expect.equal(p.totalGlobalMem, 1 << 40) expect.equal(p.maxGridSize[3], 77)\n"
          "expect.equal(p.hostNumaMultinodeIpcSupported, 1)\n"
          "local rc, d = C.cudaChooseDevice { name = 'x', major = 9, maxThreadsDim = { 1, 2, 3 } }\n"
          "expect.equal(d, 3)\n"
          "local rc, text = C.cudaDeviceGetPCIBusId(20, 10) expect.equal(text, '0000:0a:00.0')\n"
          "local rc, text = C.cudaDeviceGetPCIBusId(0, 10) expect.equal(text, '')\n"
          "local rc, d = C.cudaDeviceGetByPCIBusId('0000:0a:00.0') expect.equal(d, 4)\n"
          "local rc, pool = C.cudaMemPoolCreate { allocType = C.cudaMemAllocationTypePinned, maxSize = 5,\n"
          "  location = { type = C.cudaMemLocationTypeDevice, id = 2 } }\n"
          "local v = C.host('uint64', 1):fill(99)\n"
          "expect.equal(C.cudaMemPoolSetAttribute(pool, C.cudaMemPoolAttrReleaseThreshold, v), 0)\n"
          "local x = cuda.buffer('int32', 4)\n"
          "local rc, a = C.cudaPointerGetAttributes(x) expect.equal(a.type, C.cudaMemoryTypeDevice)\n"
          "expect.that(a.devicePointer == x.ptr) expect.equal(a.hostPointer, nil)\n"
          "local rc, a = C.cudaPointerGetAttributes(nil) expect.equal(a.device, C.cudaInvalidDeviceId)\n"
          "expect.equal(C.cudaMemAdvise(x, 16, C.cudaMemAdviseSetAccessedBy, { type = 1, id = 3 }), 0)\n"
          "local rc, h = C.cudaIpcGetMemHandle(x) expect.equal(#h, 64)\n"
          "local rc, none = C.cudaIpcOpenMemHandle(h, C.cudaIpcMemLazyEnablePeerAccess)\n"
          "expect.equal(rc, C.cudaErrorNotSupported) expect.equal(none, nil)\n"
          "local host = C.host('uint8', 24)\n"
          "expect.equal(C.cudaMemcpy2D(host, 10, x, 16, 4, 3, C.cudaMemcpyDefault), 0)\n"
          "expect.equal(C.cudaDevAttrClusterLaunch, 120) expect.equal(C.cudaHostAllocMapped, 2)\n",
          "choose x 9 2\nbus 0000:0a:00.0\npool 1 1 2 5\npool set 1 4 99\nadvise 16 5 1 3\nipc h 1\n"
          "2d 10 16 4 3\n");
}
END_TEST

START_TEST(test_functions_in_streams)
{
    gives("local got = {}\n"
          "expect.equal(C.cudaLaunchHostFunc(stream, function(...) got = { ... } end, 'data'), 0)\n"
          "collectgarbage() expect.equal(#got, 0) stream:sync()\n"
          "expect.equal(#got, 1) expect.equal(got[1], 'data')\n"
          "expect.equal(C.cudaStreamAddCallback(stream, function(...) got = table.pack(...) end, nil, 0), 0)\n"
          "collectgarbage() stream:sync()\n"
          "expect.equal(got.n, 3) expect.equal(got[1], stream) expect.equal(got[2], C.cudaErrorLaunchFailure)\n"
          "expect.equal(got[3], nil)\n"
          "expect.equal(C.cudaLaunchHostFunc(stream, nil, nil), C.cudaErrorInvalidValue)\n"
          "expect.equal(C.cudaStreamAddCallback(stream, print, nil, 1), C.cudaErrorInvalidValue)\n"
          "collectgarbage() stream:sync()\n",
          "");
    const struct ncs_result *r = execute("C.cudaLaunchHostFunc(stream, function()\nerror('in here') end)\n"
                                         "stream:sync()\n");
    ck_assert_int_eq(r->verdict, NCS_ERROR);
    ck_assert_str_eq(r->error[0].message, "in here");
    ck_assert_int_eq(r->error[0].place.line, 3);
    finish();
}
END_TEST

START_TEST(test_misuse)
{
    static const struct {
        const char *statement, *message;
    } cases[] = {
        { "C.ncclCommInitRankScalable(4, 2, 3, { nccl.unique_id() })", "commIds has 1 entries, the call says 3" },
        { "C.ncclCommInitRankScalable(4, 2, 1, { 7 })", "an entry must be an id, got 7" },
        { "C.ncclCommShrink(nil, 3, 1, nil, 0)", "excludeRanksList must be a list or nil, got 3" },
        { "C.ncclCommShrink(nil, { 'a' }, 1, nil, 0)", "a rank must be a whole number, got" },
        { "C.ncclCommSplit(nil, 1 << 40, 0)", "color must be within C's int, got 1099511627776" },
        { "C.ncclWaitSignal(1, { { peers = 1 } })", "no such field 'peers': did you mean 'peer'?" },
        { "C.ncclWaitSignal(1, { 1 })", "an entry must be a table with C's names of the fields, got 1" },
        { "C.ncclPutSignal(nil, 0, 0, 0, stream)", "peerWin must be a window, got stream" },
        { "C.ncclGroupSimulateEnd({})", "simInfo must be a simInfo, got" },
        { "C.ncclSimInfo { estimated = 1 }", "no such field 'estimated'" },
        { "C.ncclParamBind(3)", "key must be a text or nil, got 3" },
        { "C.ncclParamBind('a\\0b')", "key has a zero byte" },
        { "C.ncclParamGet(nil, C.host('uint8', 4), 5)", "5 bytes do not fit: the host memory has 4 bytes there" },
        { "C.cudaDeviceGetPCIBusId(70000, 0)", "len 70000 is more than 65536" },
        { "C.cudaMemPoolCreate { location = 3 }", "location must be a table" },
        { "C.cudaMemPoolSetAttribute(nil, 4, C.host('int32'))", "8 bytes do not fit: the host memory" },
        { "C.cudaLaunchHostFunc(stream, 3)", "fn must be a function or nil, got 3" },
        { "C.cudaMemcpy2D(C.host('uint8', 23), 10, nil, 10, 4, 3, 0)", "24 bytes do not fit: the host memory has 23 bytes" },
        { "C.cudaIpcOpenMemHandle('short', 0)", "handle must be a handle of 64 bytes" },
        { "C.cudaChooseDevice { majr = 9 }", "no such field 'majr': did you mean 'major'?" },
        { "C.cudaChooseDevice { maxGridSize = { 1 } }", "maxGridSize must be a list of 3 integers" },
        { "C.ncclAlltoAll()", "ncclAlltoAll is" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuses(cases[i].statement, cases[i].message);
}
END_TEST

NCS_TEST_MAIN("raw", test_communicators, test_windows_and_signals, test_parameters, test_devices_and_memory,
              test_functions_in_streams, test_misuse)
