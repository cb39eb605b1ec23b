/* Creates the journal's records, groups them, trims them to the limit, and finds them. */
#include "api/journal.h"

#include <stddef.h>

#include "api/journal_private.h"
#include "base/mem.h"

static void lock(const struct ncs_journal *j)
{
    if (j->own->locked)
        pthread_mutex_lock(&j->own->lock);
}

static void unlock(const struct ncs_journal *j)
{
    if (j->own->locked)
        pthread_mutex_unlock(&j->own->lock);
}

struct ncs_journal *ncs_journal_open(size_t limit, bool locked)
{
    struct ncs_journal *j = ncs_new(sizeof *j);

    j->limit = limit;
    j->own = ncs_new(sizeof *j->own);
    j->own->locked = locked;
    j->own->trim_at = limit;
    for (size_t nargs = 0; nargs <= NCS_MAX_ARGS; nargs++)
        j->own->records[nargs].bytes = offsetof(struct ncs_call, arg) + nargs * sizeof(union ncs_arg);
    pthread_mutex_init(&j->own->lock, NULL);
    return j;
}

static void give_record(struct ncs_journal *j, struct ncs_call *call)
{
    ncs_journal_free_waits(call);
    ncs_free(call->rare);
    ncs_slab_give(&j->own->records[ncs_fn_info[call->fn].nargs], call);
}

void ncs_journal_close(struct ncs_journal *j)
{
    if (!j)
        return;
    for (struct ncs_call *call = j->oldest, *newer; call; call = newer) {
        newer = call->newer;
        give_record(j, call);
    }
    for (size_t nargs = 0; nargs <= NCS_MAX_ARGS; nargs++)
        ncs_slab_free(&j->own->records[nargs]);
    ncs_journal_free_hosts(j);
    ncs_journal_free_caught(j);
    ncs_journal_free_comms(j);
    ncs_map_free(&j->own->handles);
    ncs_map_free(&j->own->keys);
    ncs_map_free(&j->own->growths);
    ncs_map_free(&j->own->on_stream);
    ncs_map_free(&j->own->again_calls);
    ncs_map_free(&j->own->again_groups);
    ncs_journal_free_texts(j);
    ncs_free(j->own->unfilled);
    pthread_mutex_destroy(&j->own->lock);
    ncs_free(j->own);
    ncs_free(j);
}

void ncs_journal_ask(struct ncs_journal *j, const struct ncs_api *api)
{
    j->own->api = api;
}

/* ---- a numbered call ---- */

struct ncs_call *ncs_journal_call(const struct ncs_journal *j, int comm, int comm_rank, uint32_t number)
{
    struct ncs_call *call;

    lock(j);
    call = ncs_journal_find_numbered(j, comm, comm_rank, number);
    unlock(j);
    return call;
}

/* ---- the limit ---- */

static void journal_forget(struct ncs_journal *j, struct ncs_call *call)
{
    if (call->older)
        call->older->newer = call->newer;
    else
        j->oldest = call->newer;
    if (call->newer)
        call->newer->older = call->older;
    else
        j->newest = call->older;
    j->held -= ncs_call_bytes(call->fn);
    ncs_journal_set_comm(j, call, -1);
    ncs_call_unpin(ncs_call_rare(call)->launched);
    give_record(j, call);
}

static void journal_drop(struct ncs_journal *j, struct ncs_call *call)
{
    if (call->number)
        ncs_journal_uncount_call(j, call);
    j->dropped++;
    journal_forget(j, call);
}

static size_t bytes_held(const struct ncs_journal *j)
{
    return j->held + j->held_comms;
}

/* Drops a sixteenth more than needed; otherwise every new record would walk again over the
 * pending and pinned records at the old end. */
static void journal_trim(struct ncs_journal *j)
{
    size_t slack = j->limit / 16, goal = j->limit - slack;

    for (struct ncs_call *call = j->oldest, *newer; call && bytes_held(j) > goal; call = newer) {
        newer = call->newer;
        if (call->returned && __atomic_load_n(&call->pins, __ATOMIC_ACQUIRE) == 0)
            journal_drop(j, call);
    }
    j->own->trim_at = bytes_held(j) > j->limit ? bytes_held(j) + slack : j->limit;
}

void ncs_call_pin(struct ncs_call *call)
{
    if (call)
        __atomic_add_fetch(&call->pins, 1, __ATOMIC_ACQ_REL);
}

void ncs_call_unpin(struct ncs_call *call)
{
    if (call)
        __atomic_sub_fetch(&call->pins, 1, __ATOMIC_ACQ_REL);
}

/* ---- a call ---- */

static bool journal_has_failed(int rc)
{
    return rc != ncclSuccess && rc != ncclInProgress;
}

static void journal_append(struct ncs_journal *j, struct ncs_call *call)
{
    call->id = ++j->calls;
    call->older = j->newest;
    if (j->newest)
        j->newest->newer = call;
    else
        j->oldest = call;
    j->newest = call;
    j->held += ncs_call_bytes(call->fn);
    if (bytes_held(j) > j->own->trim_at)
        journal_trim(j);
}

struct ncs_call *ncs_journal_again(struct ncs_journal *j, struct ncs_call *captured, struct ncs_call *by)
{
    lock(j);
    struct ncs_call *call = ncs_journal_find_again(j, captured, by);
    if (call) {
        unlock(j);
        return call;
    }
    call = ncs_slab_take(&j->own->records[ncs_fn_info[captured->fn].nargs]);
    call->fn = captured->fn;
    call->comm = -1;
    journal_append(j, call);
    ncs_journal_fill_again(j, call, captured, by);
    unlock(j);
    if (j->entered)
        j->entered(j, call);
    if (j->returned)
        j->returned(j, call);
    return call;
}

struct ncs_call *ncs_journal_enter(struct ncs_journal *j, enum ncs_fn fn)
{
    struct ncs_local *local = ncs_local;
    struct ncs_call *call;

    lock(j);
    call = ncs_slab_take(&j->own->records[ncs_fn_info[fn].nargs]);
    unlock(j);
    call->fn = fn;
    call->rank = local ? local->rank : -1;
    call->comm = call->comm_rank = -1;
    if (local) {
        call->thread = local->thread;
        if (local->where)
            call->place = local->where(local->where_arg);
        call->label = local->label;
        call->unverified = local->unverified;
        call->by_c_name = local->by_c_name;
        call->declared = (unsigned char)local->declared;
        call->opening = local->opening;
        call->ending = local->ending;
        local->call = call;
        if (!local->ending)
            local->last = call->place;
    }

    lock(j);
    journal_append(j, call);
    unlock(j);
    if (j->entered)
        j->entered(j, call);
    return call;
}

/* Keeps the address of an allocation or a new object: the variable that received it may be gone later. */
static void keep_address(struct ncs_call *call, enum ncs_kind kind)
{
    const union ncs_arg *arg = ncs_call_arg(call, kind);

    if (arg)
        ((union ncs_arg *)arg)->p = arg->p && !call->rc ? *(void *const *)arg->p : NULL;
}

static void keep_outputs(struct ncs_call *call)
{
    if (call->fn == NCS_FN_ncclCommGetAsyncError)
        call->arg[1].i = call->arg[1].p && !call->rc ? *(const ncclResult_t *)call->arg[1].p : ncclInProgress;
    else if (call->fn == NCS_FN_cudaMemcpy && !call->rc)
        ncs_journal_keep_read(call);
    else
        keep_address(call, NCS_ARG_STREAM_OUT);
}

static int journal_current_device(const struct ncs_journal *j)
{
    int device = -1;

    if (!j->own->api || !j->own->api->cudaGetDevice || j->own->api->cudaGetDevice(&device) != cudaSuccess)
        return -1;
    return device;
}

/* The number that the call will have on its communicator; 0 = calls of its kind are not counted. */
static uint32_t journal_next_number(const struct ncs_journal *j, const struct ncs_call *call)
{
    if (!ncs_fn_info[call->fn].counted || call->comm < 0)
        return 0;
    return j->comm[call->comm]->member[call->comm_rank].calls + 1;
}

/* Asks the hook outside the lock, because other contexts may run meanwhile. */
static int ask_fault(struct ncs_journal *j, struct ncs_call *call)
{
    const struct ncs_local *local = ncs_local;
    if (!j->own->fault || !local || local->rank < 0 || local->ending)
        return 0;
    lock(j);
    call->number = journal_next_number(j, call);
    unlock(j);
    int rc = j->own->fault(j->own->fault_arg, call);
    call->number = 0;
    return rc;
}

void ncs_journal_fault(struct ncs_journal *j, int (*fault)(void *arg, struct ncs_call *call), void *arg)
{
    j->own->fault = fault;
    j->own->fault_arg = arg;
}

void ncs_journal_take_back(struct ncs_journal *j, struct ncs_call *call)
{
    lock(j);
    call->returned = true;
    call->number = 0;
    ncs_journal_set_comm(j, call, -1); /* the caller has not joined it */
    call->comm_rank = -1;
    if (ncs_local)
        ncs_local->call = NULL;
    unlock(j);
}

void ncs_journal_withdraw(struct ncs_journal *j, struct ncs_call *call)
{
    lock(j);
    call->withdrawn = true;
    call->number = 0;
    ncs_journal_set_comm(j, call, -1);
    call->comm_rank = -1;
    if (ncs_local)
        ncs_local->call = NULL;
    unlock(j);
}

int ncs_journal_begin(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_local *local = ncs_local;
    /* Asked outside the lock, because it is a call of the driver. */
    bool joins = ncs_call_makes_rank(call);
    int device = joins ? journal_current_device(j) : -1;
    const void *base = ncs_call_uses_window(call) ? ncs_journal_ask_window(j, call) : NULL;

    if (call->fn == NCS_FN_ncclWaitSignal)
        ncs_journal_copy_waits(call);

    /* Asked before the group opens and the communicator is known: calls that the fault handler
     * makes first must not land in this call's group. */
    bool early = joins || call->fn == NCS_FN_ncclGroupStart;
    int rc = early ? ask_fault(j, call) : 0;

    if (call->withdrawn)
        return rc;
    lock(j);
    if (local) {
        if (call->fn == NCS_FN_ncclGroupStart && local->group_depth++ == 0)
            local->group = ++j->own->groups;
        call->group = local->group;
    }
    ncs_journal_resolve(j, call, device);
    ncs_journal_use_window(j, call, base);
    unlock(j);
    rc = early ? rc : ask_fault(j, call);
    lock(j); /* also for the flag: another thread that trims the journal reads its byte */
    call->faulted = rc != 0;
    if (call->withdrawn) {
        unlock(j);
        return rc;
    }
    if (call->fn == NCS_FN_ncclCommWindowRegister)
        ncs_journal_add_window(j, call);
    if (ncs_fn_info[call->fn].counted && call->comm >= 0)
        ncs_journal_count_call(j, call);
    unlock(j);
    return rc;
}

/* Keeps the call at hand until its group ends. */
static void stay_grouped(struct ncs_local *local, struct ncs_call *call)
{
    if (!call->number || !call->group || call->group != local->group)
        return;
    ncs_call_pin(call);
    call->grouped = local->grouped;
    local->grouped = call;
}

static void end_grouped(struct ncs_journal *j, struct ncs_local *local, bool rejected)
{
    for (struct ncs_call *c = local->grouped; c; c = local->grouped) {
        local->grouped = c->grouped;
        c->grouped = NULL;
        if (rejected)
            ncs_journal_reject_queued(j, c);
        else
            ncs_journal_leave_captured(j, c);
        ncs_call_unpin(c);
    }
}

/* Calls of a group that was only estimated (ncclGroupSimulateEnd) never happen, unless NCCL is still working. */
static void leave_group(struct ncs_journal *j, struct ncs_local *local, int rc, bool simulated)
{
    if (local->group_depth == 0 || --local->group_depth > 0)
        return;
    ncs_journal_group_ended(j, local->group, !journal_has_failed(rc));
    end_grouped(j, local, journal_has_failed(rc) || (simulated && rc == ncclSuccess));
    if (journal_has_failed(rc)) {
        ncs_journal_drop_windows(j, local);
        local->failed_group = local->group;
    }
    local->group = 0;
}

/* True if handles of communicators may have been filled when this call returned. */
static bool fills_handles(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];

    if (call->fn == NCS_FN_ncclCommGetAsyncError)
        return call->rc == ncclSuccess && *(const ncclResult_t *)call->arg[1].p == ncclSuccess;
    return (info->child || info->closes_group) && !journal_has_failed(call->rc);
}

/* Asks the driver outside the lock, because on the simulator other contexts may run meanwhile. */
static void adopt_filled(struct ncs_journal *j, int run_rank)
{
    const struct ncs_api *api = j->own->api;
    struct ncs_unfilled u;

    for (;;) {
        lock(j);
        bool any = ncs_journal_take_filled(j, run_rank, &u);
        unlock(j);
        if (!any)
            return;
        int rank = u.child_rank, nranks = u.child_nranks;
        bool known = rank >= 0 ||
                     (api->ncclCommUserRank(*u.out, &rank) == ncclSuccess && api->ncclCommCount(*u.out, &nranks) == ncclSuccess);
        if (!known || rank < 0 || nranks <= rank)
            continue;
        lock(j);
        ncs_journal_adopt(j, &u, rank, nranks);
        unlock(j);
    }
}

void ncs_journal_heard(struct ncs_journal *j)
{
    lock(j);
    if (ncs_local)
        ncs_local->heard = j->calls;
    unlock(j);
}

/* True if the call may have shown its thread how far other threads have come. */
static bool shows_other_threads(enum ncs_fn fn)
{
    switch ((int)fn) {
    case NCS_FN_ncclGroupStart:
    case NCS_FN_ncclGroupEnd:
    case NCS_FN_cudaEventRecord:
    case NCS_FN_cudaEventRecordWithFlags:
    case NCS_FN_cudaStreamWaitEvent:
    case NCS_FN_cudaMemcpyAsync:
    case NCS_FN_cudaMemsetAsync:
    case NCS_FN_cudaLaunchHostFunc:
    case NCS_FN_cudaGetDevice:
    case NCS_FN_cudaSetDevice: return false;
    }
    return !ncs_fn_info[fn].counted;
}

void ncs_journal_leave(struct ncs_journal *j, struct ncs_call *call, int rc)
{
    struct ncs_local *local = ncs_local;
    const char *said = !call->withdrawn && journal_has_failed(rc) ? ncs_journal_ask_error(j, call, rc) : NULL;

    lock(j);
    if (call->withdrawn) {
        journal_forget(j, call);
        unlock(j);
        return;
    }
    call->returned = true;
    call->rc = rc;
    if (said)
        ncs_call_add_rare(call)->said = ncs_journal_keep_text(j, said);
    if (local)
        local->said = ncs_call_rare(call)->said;
    keep_address(call, NCS_ARG_MEMORY_OUT);
    ncs_journal_learn(j, call);
    if (call->number && (journal_has_failed(rc) || call->faulted))
        ncs_journal_reject(j, call);
    if (!call->group)
        ncs_journal_leave_captured(j, call);
    else if (local)
        stay_grouped(local, call);
    if (call->fn == NCS_FN_ncclCommWindowRegister && journal_has_failed(rc))
        ncs_journal_drop_window(j, call);
    else if (call->fn == NCS_FN_ncclCommWindowRegister && rc == ncclSuccess && !call->group)
        ncs_journal_learn_window(j, call);
    else if (call->fn == NCS_FN_ncclCommWindowDeregister && !journal_has_failed(rc))
        ncs_journal_end_window(j, call);
    if (local && ncs_fn_info[call->fn].closes_group)
        leave_group(j, local, rc, call->fn == NCS_FN_ncclGroupSimulateEnd);
    bool fills = fills_handles(call);
    keep_outputs(call);
    if (local)
        local->call = NULL;
    if (local && shows_other_threads(call->fn))
        local->heard = j->calls;
    unlock(j);
    if (fills && local && j->own->api)
        adopt_filled(j, local->rank);
    if (j->returned)
        j->returned(j, call);
}

/* ---- communicators by handle ---- */

bool ncs_journal_find(const struct ncs_journal *j, const void *handle, int *comm, int *comm_rank)
{
    uint64_t where;

    lock(j);
    where = ncs_map_number(&j->own->handles, ncs_map_key(handle));
    unlock(j);
    if (!where)
        return false;
    ncs_unpack_handle(where, comm, comm_rank);
    return true;
}

void ncs_journal_keep_comm(struct ncs_journal *j, int comm)
{
    lock(j);
    ncs_journal_use_comm(j, comm, 1);
    unlock(j);
}

bool ncs_journal_name(struct ncs_journal *j, const void *handle, const char *name)
{
    int comm, comm_rank;

    if (!ncs_journal_find(j, handle, &comm, &comm_rank))
        return false;
    lock(j);
    ncs_journal_rename(j, comm, name);
    unlock(j);
    return true;
}
