/* Follows NCCL's calls on real hardware: copies inputs and outputs, notices the end, and tells the observer. */
#include <string.h>

#include "api/journal.h"
#include "api/local.h"
#include "api/types.h"
#include "base/mem.h"
#include "driver/stage.h"
#include "driver/token.h"
#include "driver/world.h"

/* Copies and events of a rank in flight at a time: far fewer than a stream accepts before its host blocks. */
enum { UNDER_WAY = 256 };

/* A thread's calls that NCCL has not taken over yet. */
static _Thread_local struct {
    struct stage_launch *pending; /* of its open group */
    struct stage_launch *at_once; /* of the call that is being made, if it is not queued in a group */
    struct stage_part *latest;    /* of the call that is being made */
    int depth;
} mine;

/* ---- opening and closing ---- */

void ncs_stage_open(int count, size_t bytes)
{
    const struct ncs_api *api = ncs_real.plain;
    ncs_real.stage.open = count > 0 && api->cudaMemcpyAsync && api->cudaEventCreateWithFlags && api->cudaEventRecord &&
                          api->cudaEventQuery && api->cudaStreamWaitEvent;
    ncs_real.stage.ranks = ncs_real.stage.open ? count : 0;
    ncs_real.stage.arena = ncs_new((size_t)ncs_real.stage.ranks * sizeof *ncs_real.stage.arena);
    ncs_real.stage.under_way = ncs_new((size_t)ncs_real.stage.ranks * sizeof *ncs_real.stage.under_way);
    ncs_real.stage.ops = ncs_new((size_t)ncs_real.stage.ranks * sizeof *ncs_real.stage.ops);
    ncs_real.stage.copies = ncs_real.stage.open && ncs_pinned_open(bytes);
}

void ncs_stage_observe(const struct ncs_observer *observer)
{
    ncs_meet_observe(observer);
}

static void end_making(const struct stage_launch *l);
static void forget(struct stage_launch **launches);
static int ops_of(const struct stage_launch *l);

static void give_event(struct stage_launch *l)
{
    if (!l->done)
        return;
    ncs_copy_give_event(l->done, l->line->device);
    ncs_real.stage.ops[l->rank] -= ops_of(l);
    l->done = NULL;
}

static void free_launch(struct stage_launch *l)
{
    end_making(l);
    give_event(l);
    for (struct stage_part *p = l->first, *next; p; p = next) {
        next = p->next;
        ncs_meet_free(p);
    }
    ncs_free(l);
}

void ncs_stage_close(void)
{
    bool idle = true;
    ncs_stage_look_at_all();
    idle = !ncs_real.stage.in_progress;
    forget(&ncs_real.stage.in_progress);
    for (int r = 0; r < ncs_real.stage.ranks; r++)
        for (struct stage_launch *l = ncs_real.stage.under_way[r], *next; l; l = next) {
            next = l->next;
            idle = false;
            free_launch(l);
        }
    ncs_meet_close();
    ncs_pinned_close(idle);
    ncs_copy_close();
    ncs_free(ncs_real.stage.arena);
    ncs_free(ncs_real.stage.under_way);
    ncs_free(ncs_real.stage.ops);
    ncs_stage_line_close_all();
    ncs_real.stage = (struct stage_state){ .made = ncs_real.stage.made };
    ncs_meet_observe(NULL);
}

/* ---- parts and launches ---- */

static struct stage_launch *launch_in(struct stage_launch **at, struct stage_line *line, int rank)
{
    while (*at && (*at)->line != line)
        at = &(*at)->next;
    if (!*at) {
        *at = ncs_new(sizeof **at);
        (*at)->line = line;
        (*at)->last = &(*at)->first;
        (*at)->rank = rank;
    }
    return *at;
}

static void add_stream(struct stage_launch *l, cudaStream_t stream)
{
    int i = 0;
    while (i < l->streams && l->stream[i] != stream)
        i++;
    if (i == STREAMS)
        l->odd = true;
    else if (i == l->streams)
        l->stream[l->streams++] = stream;
}

static void add_part(struct ncs_call *call, ncclComm_t comm)
{
    struct stage_line *line = ncs_stage_line_of(call, comm);
    /* An empty collective has no ordinal: NCCL launches nothing for it, and its stream is not the launch's. */
    if (!line || call->ordinal == 0 || call->rank < 0 || call->rank >= ncs_real.stage.ranks)
        return;
    struct stage_part *p = ncs_new(sizeof *p);
    bool waits = mine.depth > 0 && !ncs_call_is_immediate(call, line->nranks);
    struct stage_launch *l = launch_in(waits ? &mine.pending : &mine.at_once, line, call->rank);
    ncs_call_pin(call);
    p->call = call;
    p->line = line;
    p->arena = &ncs_real.stage.arena[call->rank];
    *l->last = p;
    l->last = &p->next;
    l->parts++;
    add_stream(l, (cudaStream_t)ncs_call_stream(call));
    mine.latest = p;
}

static int ops_of(const struct stage_launch *l)
{
    return 2 * l->parts + 2 * l->streams;
}

static bool share_stream(const struct stage_launch *a, const struct stage_launch *b)
{
    for (int i = 0; i < a->streams; i++)
        for (int k = 0; k < b->streams; k++)
            if (a->stream[i] == b->stream[k])
                return true;
    return false;
}

/* The order of the copies need not be the order of the launches: then the copies prove nothing. */
static void cross(struct stage_launch *l)
{
    for (struct stage_launch *other = ncs_real.stage.made; other; other = other->next_made)
        if ((other->owner != l->owner || other->in_progress) && other != l && (other->line == l->line || share_stream(other, l)))
            other->crossed = l->crossed = true;
}

static void begin_making(struct stage_launch *l)
{
    l->owner = &mine.pending;
    cross(l);
    l->next_made = ncs_real.stage.made;
    ncs_real.stage.made = l;
}

static void end_making(const struct stage_launch *l)
{
    struct stage_launch **at = &ncs_real.stage.made;
    while (*at && *at != l)
        at = &(*at)->next_made;
    if (*at)
        *at = l->next_made;
}

static void arrive(struct stage_launch *l)
{
    for (struct stage_part *p = l->first, *next; p && !l->nothing; p = next) {
        next = p->next;
        l->first = next;
        ncs_meet_arrive(p);
    }
    free_launch(l);
}

static void append(struct stage_launch **list, struct stage_launch *l)
{
    while (*list)
        list = &(*list)->next;
    *list = l;
}

/* NCCL has put the launch into its streams, or that is unknown. `standing`: the thread has an error of the
 * program's in CUDA, which must stay. */
static void launched(struct stage_launch *l, bool standing)
{
    if (!l->done) {
        arrive(l);
        return;
    }
    int device = ncs_copy_enter(l);
    bool held = ncs_token_leave();
    bool ok = ncs_copy_outputs(l);
    /* Records an event even after a failure: a query of an event that was never recorded reports completion. */
    ok = ncs_real.plain->cudaEventRecord(l->done, l->stream[0]) == cudaSuccess && ok;
    ncs_token_take(held, NCS_FN_cudaMemcpyAsync, 0);
    if (!standing)
        ncs_copy_leave(device);
    else if (device >= 0)
        ncs_real.plain->cudaSetDevice(device);
    end_making(l);
    if (!ok || l->crossed)
        ncs_copy_lose(l, ok ? NCS_UNVERIFIED_SHARED_STREAM : NCS_UNVERIFIED_COPY);
    append(&ncs_real.stage.under_way[l->rank], l);
}

static void end_launch(struct stage_launch *l, int rc)
{
    if (rc == ncclInProgress && l->done) { /* an output copied now could be copied before it is written */
        l->in_progress = true;
        cross(l);
        append(&ncs_real.stage.in_progress, l);
        return;
    }
    l->nothing = rc != ncclSuccess && rc != ncclInProgress;
    if (rc != ncclSuccess)
        ncs_copy_lose(l, NCS_UNVERIFIED_IN_PROGRESS);
    launched(l, false);
}

/* Ends the launches in progress of a communicator. known: it is ready. Otherwise later calls may have
 * changed the data already. */
static void end_progress(ncclComm_t comm, bool known)
{
    for (struct stage_launch **at = &ncs_real.stage.in_progress, *l; (l = *at) != NULL;) {
        if (l->line->handle != comm) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        l->next = NULL;
        l->in_progress = false;
        bool standing = ncs_copy_standing_error() != cudaSuccess;
        if (!known || standing)
            ncs_copy_lose(l, known ? NCS_UNVERIFIED_COPY : NCS_UNVERIFIED_IN_PROGRESS);
        launched(l, standing);
        at = &ncs_real.stage.in_progress; /* other threads may have changed the list meanwhile */
    }
}

/* The reason to copy nothing of the launch. */
static enum ncs_unverified why_not(const struct stage_launch *l)
{
    if (l->odd || ops_of(l) > UNDER_WAY)
        return NCS_UNVERIFIED_BUSY;
    if (ncs_real.stage.ops[l->rank] + ops_of(l) > UNDER_WAY)
        ncs_stage_look();
    if (ncs_real.stage.ops[l->rank] + ops_of(l) > UNDER_WAY)
        return NCS_UNVERIFIED_BUSY;
    /* A copy's error would hide an error of the program. */
    return ncs_copy_standing_error() == cudaSuccess ? NCS_FIT : NCS_UNVERIFIED_COPY;
}

static void begin_launch(struct stage_launch *l)
{
    end_progress(l->line->handle, false); /* the script has not asked whether it is ready */
    enum ncs_unverified why = why_not(l);
    if (why) {
        ncs_copy_lose(l, why);
        return;
    }
    begin_making(l);
    int device = ncs_copy_enter(l);
    l->done = ncs_copy_take_event(l->line->device);
    if (l->done)
        ncs_real.stage.ops[l->rank] += ops_of(l);
    for (struct stage_part *p = l->first; p && l->done && ncs_real.stage.copies; p = p->next)
        ncs_copy_make_room(p);
    bool held = ncs_token_leave();
    bool ok = l->done && ncs_real.stage.copies && ncs_copy_inputs(l);
    ncs_token_take(held, NCS_FN_cudaMemcpyAsync, 0);
    ncs_copy_leave(device);
    if (!ok)
        ncs_copy_lose(l, ncs_real.stage.copies ? NCS_UNVERIFIED_COPY : NCS_UNVERIFIED_ROOM);
}

void ncs_stage_ready(ncclComm_t comm)
{
    if (ncs_real.stage.open && ncs_real.stage.in_progress)
        end_progress(comm, true);
}

static void end_all(struct stage_launch **launches, int rc)
{
    while (*launches) {
        struct stage_launch *l = *launches;
        *launches = l->next;
        l->next = NULL;
        end_launch(l, rc);
    }
}

static void forget(struct stage_launch **launches)
{
    while (*launches) {
        struct stage_launch *l = *launches;
        *launches = l->next;
        free_launch(l);
    }
}

void ncs_stage_forget(void)
{
    forget(&mine.pending);
    forget(&mine.at_once);
}

/* Drops the part of a call that was refused. */
static void drop_latest(void)
{
    for (struct stage_launch *l = mine.pending; l; l = l->next)
        for (struct stage_part **at = &l->first; *at; at = &(*at)->next)
            if (*at == mine.latest) {
                *at = NULL;
                l->last = at;
                l->parts--;
                ncs_meet_free(mine.latest);
                return;
            }
}

/* ---- calls ---- */

void ncs_stage_begin(enum ncs_fn fn, ncclComm_t comm)
{
    struct ncs_call *call = ncs_local ? ncs_local->call : NULL;
    mine.latest = NULL;
    if (!ncs_real.stage.open || !call || call->fn != fn || fn == NCS_FN_ncclSignal || fn == NCS_FN_ncclWaitSignal)
        return;
    add_part(call, comm);
    if (mine.at_once)
        begin_launch(mine.at_once);
}

void ncs_stage_end(int rc)
{
    bool refused = rc != ncclSuccess && rc != ncclInProgress;
    if (mine.at_once)
        end_all(&mine.at_once, rc);
    else if (refused && mine.latest)
        drop_latest();
    mine.latest = NULL;
}

void ncs_stage_group_started(void)
{
    mine.depth++;
}

void ncs_stage_group_ending(bool simulate)
{
    for (struct stage_launch *l = mine.pending; l && mine.depth == 1 && !simulate; l = l->next)
        begin_launch(l);
}

void ncs_stage_group_ended(bool simulate, int rc)
{
    mine.depth -= mine.depth > 0;
    if (mine.depth > 0)
        return;
    if (simulate)
        ncs_stage_forget();
    else
        end_all(&mine.pending, rc);
}

void ncs_stage_leaves(enum ncs_fn fn, ncclComm_t comm)
{
    /* The code that aborts communicators after a run has no token, and nobody observes them any more. */
    int number = ncs_real.stage.open && ncs_token_is_held() ? ncs_stage_line_comm(comm) : -1;
    if (number < 0)
        return;
    end_progress(comm, false);
    if (fn != NCS_FN_ncclCommDestroy) {
        ncs_stage_look_at_all();
        ncs_stage_line_break(number);
    }
    if (fn != NCS_FN_ncclCommRevoke)
        ncs_stage_line_drop(comm);
}

/* ---- launches in flight ---- */

static void look_at(int rank)
{
    for (struct stage_launch **at = &ncs_real.stage.under_way[rank], *l; (l = *at) != NULL;) {
        if (ncs_real.plain->cudaEventQuery(l->done) == cudaErrorNotReady) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        give_event(l);
        arrive(l);
        ncs_token_progress();
        at = &ncs_real.stage.under_way[rank]; /* the observer may have taken time, in which more ended */
    }
}

static void look(int from, int end)
{
    cudaError_t before = ncs_copy_standing_error();
    for (int r = from; r < end; r++)
        look_at(r);
    if (before == cudaSuccess && ncs_copy_standing_error() == cudaErrorNotReady)
        ncs_real.plain->cudaGetLastError();
}

void ncs_stage_look(void)
{
    int rank = ncs_local ? ncs_local->rank : -1;
    if (ncs_real.stage.open && rank >= 0 && rank < ncs_real.stage.ranks && ncs_real.stage.under_way[rank])
        look(rank, rank + 1);
}

void ncs_stage_look_at_all(void)
{
    if (ncs_real.stage.open)
        look(0, ncs_real.stage.ranks);
}
