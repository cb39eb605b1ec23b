#include "driver/dry_run.h"

#include "api/invoke.h"
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

/* ---- the driver ---- */

/* A call that has succeeded. */
static void note_done(enum ncs_fn fn, const union ncs_arg *arg)
{
    void *first = (void *)arg[0].p;
    switch (fn) {
    case NCS_FN_cudaMemcpy:
    case NCS_FN_cudaMemcpyAsync: copied(first, arg[1].p, (size_t)arg[2].u); break;
    case NCS_FN_cudaMemset:
    case NCS_FN_cudaMemsetAsync: set_known(first, (size_t)arg[2].u); break;
    case NCS_FN_ncsAdd: {
        size_t bytes = (size_t)arg[2].u * ncs_dtype_bytes((int)arg[3].i);
        if (is_unknown(arg[1].p, bytes))
            set_unknown(first, bytes);
        break;
    }
    case NCS_FN_ncclGroupSimulateEnd: /* without communication, a group has nothing to estimate */
        if (first) {
            ((ncclSimInfo_t *)first)->estimatedTime = 0;
            note_read();
        }
        break;
    case NCS_FN_ncclCommWindowRegister:
        if (arg[1].p)
            NCS_PUSH(dry_run.window, dry_run.windows, dry_run.window_room, range_of(arg[1].p, (size_t)arg[2].u));
        break;
    default: break;
    }
}

static union ncs_arg dry_run_call(enum ncs_fn fn, const union ncs_arg *arg)
{
    union ncs_arg result = { .i = 0 };
    if (ncs_fn_info[fn].counted) { /* the journal has its arguments */
        result.i = note_communication();
        return result;
    }
    ncs_invoke(dry_run.sim, fn, arg, &result);
    if (result.i == 0)
        note_done(fn, arg);
    return result;
}

#define THROUGH dry_run_call
#include "api/through.inc"

/* The simulator's functions, and all that communicate. */
static void take_over(void)
{
    struct ncs_api has = *dry_run.sim;
#define TAKE_COUNTED(name) has.name = through_##name;
#define TAKE_CODE(name)
#define TAKE_VOID(name)
#define TAKE_TEXT(name)
#define NCS_FUNCTION(kind, export, result, name, ...) TAKE_##kind(name)
#include "api/gen/functions.def"
#undef NCS_FUNCTION
    through_fill(&dry_run.functions, &has);
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
