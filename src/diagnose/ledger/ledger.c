/* Enters what calls make, and strikes out what they free. */
#include "diagnose/ledger/ledger.h"

#include "base/hash.h"
#include "base/mem.h"
#include "diagnose/ledger/private.h"

#define EXPORTS_MOST 4096 /* imports of further ones refer to unknown memory */
#define STALE_MOST 256    /* places that are remembered, and times of each */

struct ncs_ledger *ncs_ledger_open(const struct ncs_journal *journal, const struct ncs_ledger_options *options)
{
    struct ncs_ledger *l = ncs_new(sizeof *l);
    l->journal = journal;
    l->options = *options;
    return l;
}

static int ledger_process(const struct ncs_ledger *l, const struct ncs_call *call)
{
    if (!l->options.one_process)
        return call->rank;
    return l->options.process ? l->options.process() : 0;
}

/* Operators are small numbers: only the communicator makes them unique. */
static uint64_t ledger_key(enum ncs_resource kind, int process, const void *handle, const void *comm)
{
    uint64_t key = ncs_hash(ncs_hash(0, (uint64_t)kind), (uint64_t)process);
    key = ncs_hash(key, ncs_map_key(handle));
    return kind == NCS_RESOURCE_OPERATOR ? ncs_hash(key, ncs_map_key(comm)) : key;
}

static uint64_t entry_key(const struct entry *e)
{
    return ledger_key(e->kind, e->process, e->handle, e->comm);
}

static void free_entry(struct ncs_ledger *l, struct entry *e)
{
    if (e->newer)
        e->newer->older = e->older;
    else
        l->newest[e->kind] = e->older;
    if (e->older)
        e->older->newer = e->newer;
    l->pending -= !e->handle;
    ncs_call_unpin(e->call);
    ncs_free(e);
}

/* Strikes the entry out. What the end of a script releases stays as that. */
static void strike(struct ncs_ledger *l, struct entry *e, bool released)
{
    if (e->handle && ncs_map_get(&l->entries, entry_key(e)) == e)
        ncs_map_remove(&l->entries, entry_key(e));
    e->released = true;
    if (!released)
        free_entry(l, e);
}

/* An address that is in use again belongs to the newer resource: something unseen has freed the older one. */
static void enter_handle(struct ncs_ledger *l, struct entry *e, const void *handle)
{
    e->handle = handle;
    struct entry *old = ncs_map_get(&l->entries, entry_key(e));
    if (old)
        strike(l, old, false);
    ncs_map_put(&l->entries, entry_key(e), e);
}

static void ledger_clear(struct ncs_ledger *l, int process)
{
    for (int kind = 0; kind < NCS_RESOURCES; kind++)
        for (struct entry *e = l->newest[kind], *older; e; e = older) {
            older = e->older;
            if (process < 0 || e->process == process)
                strike(l, e, false);
        }
}

void ncs_ledger_close(struct ncs_ledger *l)
{
    if (!l)
        return;
    ledger_clear(l, -1);
    for (size_t i = 0; i < l->stales; i++) {
        for (size_t k = 0; k < l->stale[i].calls; k++)
            ncs_call_unpin(l->stale[i].call[k]);
        ncs_free(l->stale[i].call);
    }
    for (size_t i = 0; i < l->lefts; i++)
        ncs_free(l->left[i].rank);
    ncs_map_free(&l->entries);
    ncs_free(l->export);
    ncs_free(l->stale);
    ncs_free(l->left);
    ncs_free(l);
}

/* ---- made ---- */

static uint64_t entry_bytes(const struct ncs_call *call)
{
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES), *height = ncs_call_arg(call, NCS_ARG_HEIGHT);
    if (height)
        return ncs_call_arg(call, NCS_ARG_WIDTH)->u * height->u;
    return bytes ? bytes->u : 0;
}

static const void *ledger_comm(const struct ncs_call *call)
{
    const union ncs_arg *comm = ncs_call_arg(call, NCS_ARG_COMM);
    return comm ? comm->p : NULL;
}

static struct entry *new_entry(struct ncs_ledger *l, struct ncs_call *call, enum ncs_resource kind)
{
    struct entry *e = ncs_new(sizeof *e);
    *e = (struct entry){ .kind = kind,
                         .fn = call->fn,
                         .rank = call->rank,
                         .process = ledger_process(l, call),
                         .place = call->place,
                         .raw = call->by_c_name,
                         .opening = call->opening,
                         .group = call->group,
                         .older = l->newest[kind] };
    if (l->newest[kind])
        l->newest[kind]->newer = e;
    l->newest[kind] = e;
    l->pending++;
    return e;
}

static void settle_entry(struct ncs_ledger *l, struct entry *e, const void *handle)
{
    l->pending--;
    enter_handle(l, e, handle);
}

/* A reference to memory: its call is kept for reports. */
static void refers(struct entry *e, struct ncs_call *call, const void *from, uint64_t bytes)
{
    e->from = from;
    e->bytes = bytes;
    e->call = call;
    ncs_call_pin(call);
}

static uint64_t export_id(const void *handle)
{
    return handle ? ncs_hash_bytes(0, handle, CUDA_IPC_HANDLE_SIZE) : 0;
}

static struct export *find_export(const struct ncs_ledger *l, uint64_t id)
{
    for (size_t i = 0; i < l->exports; i++)
        if (l->export[i].id == id)
            return &l->export[i];
    return NULL;
}

/* The entry of memory that has the address; an address within an allocation is not looked for. */
static const struct entry *ledger_memory_at(const struct ncs_ledger *l, int process, const void *p)
{
    return ncs_map_get(&l->entries, ledger_key(NCS_RESOURCE_MEMORY, process, p, NULL));
}

static void add_export(struct ncs_ledger *l, const struct ncs_call *call)
{
    const void *p = ncs_call_arg(call, NCS_ARG_MEMORY)->p;
    const struct entry *memory = ledger_memory_at(l, ledger_process(l, call), p);
    uint64_t id = export_id(ncs_call_arg(call, NCS_ARG_IPCMEM_OUT)->p);
    struct export *known = find_export(l, id), fresh = { .id = id };
    if (!memory || (!known && l->exports == EXPORTS_MOST))
        return;
    if (!known) {
        NCS_PUSH(l->export, l->exports, l->exports_room, fresh);
        known = &l->export[l->exports - 1];
    }
    known->from = memory->from;
    known->bytes = memory->bytes;
}

/* Where the call puts the handle of what it makes; NULL = it makes memory, whose address the record has, or a
 * stream, whose handle it has as well. */
static const void *const *cell_of(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    static const enum ncs_kind kinds[] = { NCS_ARG_COMM_OUT,  NCS_ARG_WINDOW_OUT,    NCS_ARG_REGISTRATION_OUT, NCS_ARG_EVENT_OUT,
                                           NCS_ARG_GRAPH_OUT, NCS_ARG_GRAPHEXEC_OUT, NCS_ARG_POOL_OUT };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (info->at[kinds[i]])
            return ncs_call_arg(call, kinds[i])->p;
    return NULL;
}

static void makes_comms(struct ncs_ledger *l, struct ncs_call *call)
{
    const void *const *handle = ncs_call_arg(call, NCS_ARG_COMMS_OUT)->p;
    int64_t count = ncs_call_arg(call, NCS_ARG_NRANKS)->i;
    for (int64_t i = 0; i < count && !call->group; i++)
        if (handle[i])
            settle_entry(l, new_entry(l, call, NCS_RESOURCE_COMM), handle[i]);
}

/* The handle, if it is known by now. */
static const void *handle_made(const struct ncs_call *call)
{
    const union ncs_arg *memory = ncs_call_arg(call, NCS_ARG_MEMORY_OUT);
    const union ncs_arg *stream = ncs_call_arg(call, NCS_ARG_STREAM_OUT);
    const union ncs_arg *op = ncs_call_arg(call, NCS_ARG_REDOP_OUT);
    const void *const *cell = cell_of(call);
    if (memory || stream)
        return memory ? memory->p : stream->p;
    if (op)
        return (const void *)(uintptr_t) * (const ncclRedOp_t *)op->p;
    if (ncs_fn_info[call->fn].makes == NCS_RESOURCE_REGISTERED)
        return ncs_call_arg(call, NCS_ARG_MEMORY)->p;
    return cell ? *cell : NULL;
}

/* True if the end of the group makes it, or drops it. */
static bool is_made_late(const struct ncs_call *call)
{
    return call->group && ncs_fn_info[call->fn].grouped && cell_of(call);
}

static void ledger_makes(struct ncs_ledger *l, struct ncs_call *call)
{
    enum ncs_resource kind = ncs_fn_info[call->fn].makes;
    if (ncs_call_arg(call, NCS_ARG_COMMS_OUT)) {
        makes_comms(l, call);
        return;
    }
    const void *handle = handle_made(call);
    if (!handle && !is_made_late(call))
        return; /* nothing was made: no bytes, no color, a window that NCCL left out */
    struct entry *e = new_entry(l, call, kind);
    e->comm = ledger_comm(call);
    e->cell = is_made_late(call) ? cell_of(call) : NULL;
    if (kind == NCS_RESOURCE_REGISTRATION || kind == NCS_RESOURCE_WINDOW) {
        refers(e, call, ncs_call_arg(call, NCS_ARG_MEMORY)->p, entry_bytes(call));
    } else if (kind == NCS_RESOURCE_IMPORT) {
        const struct export *x = find_export(l, export_id(ncs_call_arg(call, NCS_ARG_IPCMEM)->p));
        refers(e, call, x ? x->from : NULL, x ? x->bytes : 0);
    } else {
        e->from = handle;
        e->bytes = entry_bytes(call);
    }
    if (handle && !e->cell)
        settle_entry(l, e, handle);
}

/* ---- a group has ended: handles are filled ---- */

static void fill_pending(struct ncs_ledger *l, const struct ncs_call *call, enum ncs_resource kind)
{
    for (struct entry *e = l->newest[kind], *older; e; e = older) {
        older = e->older;
        if (e->handle || e->group != call->group)
            continue;
        if ((call->rc == 0 || call->rc == ncclInProgress) && *e->cell)
            settle_entry(l, e, *e->cell);
        else
            free_entry(l, e); /* dropped with its group, or filled when the cell may be gone */
    }
}

/* ---- freed ---- */

static bool ledger_overlaps(const char *a, uint64_t a_bytes, const char *b, uint64_t b_bytes)
{
    return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

static bool ledger_same_place(struct ncs_place a, struct ncs_place b)
{
    return a.line == b.line && a.file == b.file;
}

static void add_stale(struct ncs_ledger *l, struct ncs_call *freed, struct ncs_call *made)
{
    size_t i = 0;
    while (i < l->stales && !(ledger_same_place(l->stale[i].call[0]->place, freed->place) &&
                              ledger_same_place(l->stale[i].call[1]->place, made->place)))
        i++;
    if (i == STALE_MOST)
        return;
    if (i == l->stales) {
        struct ncs_stale fresh = { 0 };
        NCS_PUSH(l->stale, l->stales, l->stales_room, fresh);
    }
    struct ncs_stale *s = &l->stale[i];
    if (s->calls >= (size_t)2 * STALE_MOST)
        return;
    ncs_call_pin(freed);
    ncs_call_pin(made);
    NCS_PUSH(s->call, s->calls, s->room, freed);
    NCS_PUSH(s->call, s->calls, s->room, made);
}

/* The mappings of a process end with it. */
static bool refers_to(const struct ncs_ledger *l, const struct entry *e, const struct entry *memory)
{
    bool import = e->kind == NCS_RESOURCE_IMPORT;
    if (import ? l->options.gone && l->options.gone(e->process) : e->process != memory->process)
        return false;
    return ledger_overlaps(memory->from, memory->bytes, e->from, e->bytes);
}

/* Looks for what refers to memory that is being freed. */
static void look_for_stale(struct ncs_ledger *l, struct ncs_call *call, const struct entry *memory)
{
    static const enum ncs_resource kinds[] = { NCS_RESOURCE_REGISTRATION, NCS_RESOURCE_WINDOW, NCS_RESOURCE_IMPORT };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (struct entry *e = l->newest[kinds[k]], *older; e; e = older) {
            older = e->older;
            if (e->released || !refers_to(l, e, memory))
                continue;
            add_stale(l, call, e->call);
            if (e->kind == NCS_RESOURCE_IMPORT)
                strike(l, e, false); /* no call can close it any more */
        }
}

/* A communicator takes along what belongs to it (NCCL 2.30.7, src/init.cc: commFree). */
static void end_of_comm(struct ncs_ledger *l, const void *comm, bool ending)
{
    static const enum ncs_resource kinds[] = { NCS_RESOURCE_OPERATOR, NCS_RESOURCE_REGISTRATION, NCS_RESOURCE_WINDOW };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (struct entry *e = l->newest[kinds[k]], *older; e; e = older) {
            older = e->older;
            if (e->comm == comm && !e->released)
                strike(l, e, ending);
        }
}

static const void *handle_freed(const struct ncs_call *call)
{
    const union ncs_arg *window = ncs_call_arg(call, NCS_ARG_WINDOW);
    const union ncs_arg *registration = ncs_call_arg(call, NCS_ARG_REGISTRATION);
    const union ncs_arg *op = ncs_call_arg(call, NCS_ARG_REDOP);
    if (op)
        return (const void *)(uintptr_t)op->i;
    return window ? window->p : registration ? registration->p : call->arg[0].p;
}

/* The n-th registration of one range has the handle of the first: the newest entry is struck out for any. */
static void ledger_frees(struct ncs_ledger *l, struct ncs_call *call)
{
    enum ncs_resource kind = ncs_fn_info[call->fn].frees;
    const void *handle = handle_freed(call);
    struct entry *e = ncs_map_get(&l->entries, ledger_key(kind, ledger_process(l, call), handle, ledger_comm(call)));
    if (e && kind == NCS_RESOURCE_MEMORY && !call->ending)
        look_for_stale(l, call, e);
    if (kind == NCS_RESOURCE_COMM)
        end_of_comm(l, handle, call->ending);
    if (e)
        strike(l, e, call->ending);
}

void ncs_ledger_call(struct ncs_ledger *l, struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    static const enum ncs_resource late[] = { NCS_RESOURCE_COMM, NCS_RESOURCE_WINDOW };
    bool done = call->rc == 0 && !call->captured;
    bool begun = done || (call->rc == ncclInProgress && info->result == NCS_RESULT_NCCL);
    if (call->rank < 0)
        return;
    if (info->makes && begun)
        ledger_makes(l, call);
    else if (info->frees && begun)
        ledger_frees(l, call);
    else if (call->fn == NCS_FN_cudaIpcGetMemHandle && done)
        add_export(l, call);
    else if (call->fn == NCS_FN_cudaDeviceReset && done)
        ledger_clear(l, ledger_process(l, call)); /* which devices its resources are on is not known */
    if (info->closes_group && l->pending > 0 && ncs_local && ncs_local->group_depth == 0)
        for (size_t i = 0; i < sizeof late / sizeof *late; i++)
            fill_pending(l, call, late[i]);
}

void ncs_ledger_settle(struct ncs_ledger *l, struct ncs_place (*settled)(struct ncs_place))
{
    for (int kind = 0; kind < NCS_RESOURCES; kind++)
        for (struct entry *e = l->newest[kind]; e; e = e->older)
            e->place = settled(e->place);
}

void ncs_ledger_each(const struct ncs_ledger *l, enum ncs_resource kind, void (*visit)(const void *handle, void *arg), void *arg)
{
    for (const struct entry *e = l->newest[kind]; e; e = e->older)
        if (!e->released && e->handle)
            visit(e->handle, arg);
}

const struct ncs_stale *ncs_ledger_stale(const struct ncs_ledger *l, size_t *count)
{
    *count = l->stales;
    return l->stale;
}
