#include "driver/dry_run.h"

#include "api/journal.h"
#include "api/types.h"
#include "base/map.h"
#include "base/mem.h"

/* Steps of the machine: a script that polls for a result of communication would poll for ever. */
#define STEPS 100000
#define STEPS_OF_RANK 5000

/* Memory that communication would have written. */
struct range {
    uintptr_t from, to;
};

struct reader {
    uint64_t first; /* 0 = it has read nothing unknown */
    bool listens;
};

static struct {
    struct range *range; /* of unknown contents */
    size_t ranges, room;
    struct range *window;
    size_t windows, window_room;
    struct ncs_map read;   /* calls that read some, by id */
    struct reader *reader; /* by rank */
    size_t readers;
    uint64_t first;           /* of all */
    struct ncs_api functions; /* the functions that scripts call */
    struct ncs_machine machine;
    const struct ncs_api *sim;
} dry_run;

bool ncs_driver_dry_run_unknown(uint64_t call)
{
    return ncs_map_get(&dry_run.read, call) != NULL;
}

static struct reader *reader_of(int rank)
{
    size_t at = rank < 0 ? 0 : (size_t)rank;
    if (at >= dry_run.readers) {
        dry_run.reader = ncs_resize(dry_run.reader, (at + 1) * sizeof *dry_run.reader);
        for (; dry_run.readers <= at; dry_run.readers++)
            dry_run.reader[dry_run.readers] = (struct reader){ 0 };
    }
    return &dry_run.reader[at];
}

uint64_t ncs_driver_dry_run_first(int rank)
{
    const struct reader *r = reader_of(rank);
    return r->listens ? dry_run.first : r->first;
}

void ncs_driver_dry_run_listens(int rank)
{
    reader_of(rank)->listens = true;
}

static void forget(void)
{
    ncs_map_free(&dry_run.read);
    dry_run.ranges = dry_run.windows = 0;
    ncs_free(dry_run.reader);
    dry_run.reader = NULL;
    dry_run.readers = 0;
    dry_run.first = 0;
}

/* ---- unknown memory ---- */

static struct range range_of(const void *p, size_t bytes)
{
    uintptr_t from = (uintptr_t)p;
    return (struct range){ from, bytes > UINTPTR_MAX - from ? UINTPTR_MAX : from + bytes };
}

static bool is_unknown(const void *p, size_t bytes)
{
    struct range r = range_of(p, bytes);
    for (size_t i = 0; i < dry_run.ranges; i++)
        if (dry_run.range[i].from < r.to && r.from < dry_run.range[i].to)
            return true;
    return false;
}

/* Marks a range as known; the remaining parts of older unknown ranges stay. */
static void set_known(const void *p, size_t bytes)
{
    struct range r = range_of(p, bytes);
    size_t count = dry_run.ranges, kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct range old = dry_run.range[i];
        if (old.to <= r.from || r.to <= old.from) {
            dry_run.range[kept++] = old;
            continue;
        }
        bool before = old.from < r.from, after = r.to < old.to;
        if (before)
            dry_run.range[kept++] = (struct range){ old.from, r.from };
        if (after && before) /* the range splits: its second part goes to the end */
            NCS_PUSH(dry_run.range, dry_run.ranges, dry_run.room, ((struct range){ r.to, old.to }));
        else if (after)
            dry_run.range[kept++] = (struct range){ r.to, old.to };
    }
    for (size_t i = count; i < dry_run.ranges; i++)
        dry_run.range[kept++] = dry_run.range[i];
    dry_run.ranges = kept;
}

static void set_unknown(const void *p, size_t bytes)
{
    if (!p || !bytes)
        return;
    set_known(p, bytes);
    NCS_PUSH(dry_run.range, dry_run.ranges, dry_run.room, range_of(p, bytes));
}

/* The call in flight reads unknown values; through the host, they can reach anything the script does later. */
static void note_read(void)
{
    const struct ncs_call *call = ncs_local ? ncs_local->call : NULL;
    if (!call)
        return;
    ncs_map_put(&dry_run.read, call->id, &dry_run);
    struct reader *r = reader_of(ncs_local->rank);
    if (!r->first)
        r->first = call->id;
    if (!dry_run.first)
        dry_run.first = call->id;
}

/* ---- communication: not carried out; the journal has the call with its arguments ---- */

static int ranks_of(const struct ncs_call *call)
{
    int nranks = 0;
    const union ncs_arg *arg = call->arg;
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    for (int i = 0; i < info->nargs; i++)
        if (info->arg[i].kind == NCS_ARG_COMM &&
            dry_run.sim->ncclCommCount((ncclComm_t)(uintptr_t)arg[i].p, &nranks) != ncclSuccess)
            nranks = 0;
    return nranks;
}

/* Refuses calls that NCCL refuses at once. */
static ncclResult_t note_communication(void)
{
    const struct ncs_call *call = ncs_local ? ncs_local->call : NULL;
    int nranks = call ? ranks_of(call) : 0, number;
    if (!call)
        return ncclSuccess;
    if (ncs_call_stray(call, nranks, &number))
        return ncclInvalidArgument;
    size_t bytes = ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
    set_unknown(ncs_call_recvbuff(call), bytes * ncs_call_writes(call, nranks));
    /* A put writes to its peer's window, which may be any of these. */
    for (size_t i = 0; call->fn == NCS_FN_ncclPutSignal && i < dry_run.windows; i++)
        set_unknown((const void *)dry_run.window[i].from, dry_run.window[i].to - dry_run.window[i].from);
    return ncclSuccess;
}

/* Without communication, a group has nothing to estimate. */
static ncclResult_t dry_run_ncclGroupSimulateEnd(ncclSimInfo_t *info)
{
    ncclResult_t rc = dry_run.sim->ncclGroupSimulateEnd(info);
    if (rc == ncclSuccess && info) {
        info->estimatedTime = 0;
        note_read();
    }
    return rc;
}

static ncclResult_t dry_run_ncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t bytes, ncclWindow_t *window, int flags)
{
    ncclResult_t rc = dry_run.sim->ncclCommWindowRegister(comm, buffer, bytes, window, flags);
    if (rc == ncclSuccess && buffer)
        NCS_PUSH(dry_run.window, dry_run.windows, dry_run.window_room, range_of(buffer, bytes));
    return rc;
}

/* ---- copies ---- */

static bool is_device(const void *p)
{
    struct cudaPointerAttributes a = { 0 };
    return dry_run.sim->cudaPointerGetAttributes(&a, p) == cudaSuccess && a.type != cudaMemoryTypeUnregistered;
}

static void copied(void *to, const void *from, size_t bytes)
{
    bool known = !is_unknown(from, bytes);
    if (known)
        set_known(to, bytes);
    else if (is_device(to))
        set_unknown(to, bytes);
    else
        note_read();
}

static cudaError_t dry_run_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t rc = dry_run.sim->cudaMemcpy(to, from, bytes, kind);
    if (rc == cudaSuccess)
        copied(to, from, bytes);
    return rc;
}

static cudaError_t dry_run_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                           cudaStream_t stream)
{
    cudaError_t rc = dry_run.sim->cudaMemcpyAsync(to, from, bytes, kind, stream);
    if (rc == cudaSuccess)
        copied(to, from, bytes);
    return rc;
}

static cudaError_t dry_run_cudaMemset(void *to, int value, size_t bytes)
{
    cudaError_t rc = dry_run.sim->cudaMemset(to, value, bytes);
    if (rc == cudaSuccess)
        set_known(to, bytes);
    return rc;
}

static cudaError_t dry_run_cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    cudaError_t rc = dry_run.sim->cudaMemsetAsync(to, value, bytes, stream);
    if (rc == cudaSuccess)
        set_known(to, bytes);
    return rc;
}

static cudaError_t dry_run_ncsAdd(void *to, const void *from, size_t count, ncclDataType_t datatype, cudaStream_t stream)
{
    size_t bytes = count * ncs_dtype_bytes((int)datatype);
    cudaError_t rc = dry_run.sim->ncsAdd(to, from, count, datatype, stream);
    if (rc == cudaSuccess && is_unknown(from, bytes))
        set_unknown(to, bytes);
    return rc;
}

/* Functions that communicate: the journal has their arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define PLAN_COUNTED(name, parameters)            \
    static ncclResult_t dry_run_##name parameters \
    {                                             \
        return note_communication();              \
    }
#define PLAN_CODE(...)
#define PLAN_VOID(...)
#define PLAN_TEXT(...)
#define NCS_FUNCTION(kind, export, result, name, parameters, ...) PLAN_##kind(name, parameters)
#include "api/gen/functions.def"
#undef NCS_FUNCTION
#pragma GCC diagnostic pop

/* ---- the driver ---- */

static void take_over(void)
{
    dry_run.functions = *dry_run.sim;
#define TAKES_DOWN(name) dry_run.functions.name = dry_run_##name
#define TAKE_COUNTED(name) TAKES_DOWN(name);
#define TAKE_CODE(name)
#define TAKE_VOID(name)
#define TAKE_TEXT(name)
#define NCS_FUNCTION(kind, export, result, name, ...) TAKE_##kind(name)
#include "api/gen/functions.def"
#undef NCS_FUNCTION
    TAKES_DOWN(ncclCommWindowRegister);
    TAKES_DOWN(ncclGroupSimulateEnd);
    TAKES_DOWN(cudaMemcpy);
    TAKES_DOWN(cudaMemcpyAsync);
    TAKES_DOWN(cudaMemset);
    TAKES_DOWN(cudaMemsetAsync);
    TAKES_DOWN(ncsAdd);
}

/* Opening the simulator's machine fills its table, because the table depends on the version of NCCL. */
static bool open(const struct ncs_machine_options *options, struct ncs_error *err)
{
    struct ncs_machine_options bounded = *options;
    bounded.step_limit = STEPS + (uint64_t)options->ranks * STEPS_OF_RANK;
    forget();
    if (!ncs_driver_sim.machine->open(&bounded, err))
        return false;
    take_over();
    return true;
}

const struct ncs_driver *ncs_driver_dry_run(void)
{
    static const struct ncs_driver driver = { "dry-run", &dry_run.functions, &dry_run.machine, false };
    dry_run.sim = ncs_driver_sim.api;
    dry_run.machine = *ncs_driver_sim.machine;
    dry_run.machine.open = open;
    return &driver;
}
