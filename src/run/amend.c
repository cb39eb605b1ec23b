/* A rank's calls as rounds of edits change them, on their way to the journal. What is made in place of
 * a call comes from its round, and goes through those after it. */
#include <string.h>

#include "api/invoke.h"
#include "base/mem.h"
#include "run/amend_private.h"

struct held { /* a call that waits for another to be made first */
    size_t change;
    struct ncs_call call;
    struct ncs_local said; /* label and the like */
};

struct stage { /* a round, on one rank */
    const struct round *round;
    bool concerned;          /* it has changes of this rank's */
    bool *done, *open;       /* by change; open: a group that it has started */
    uint64_t *seen;          /* by change: uses of the place that an inserted call comes after */
    uint32_t *count;         /* counted calls by communicator, as numbered for this rank */
    size_t counts;
    struct held *held;       size_t helds, held_room;
    const void **due;        size_t dues, due_room;      /* streams to synchronise after the group */
    union ncs_arg *back;     size_t backs, back_room;    /* .p streams whose synchronising is put off */
};

struct amender {
    struct stage *stage;
    size_t stages;
    struct ncs_map nth; /* (communicator, rank in it) -> which of the rank's, from 1 */
};

/* What a call is, for a round: `number` there, on the rank's nth communicator; 0 = not counted. */
struct passing {
    struct ncs_run *run;
    struct amender *a;
    size_t level;
    struct stage *s;
    struct ncs_call *call; /* NULL: no call, but a place where the rank may wait, or its end */
    uint32_t nth, number;
    bool ends;             /* of the script, or of the communicator */
};

/* ---- making calls ---- */

static int make(const struct passing *p, enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_local *local = ncs_local;
    union ncs_arg result = { .i = 0 };
    int outer = local->amended;
    local->amended = (int)p->level + 1;
    ncs_invoke(p->run->api, fn, arg, &result);
    local->amended = outer;
    return (int)result.i;
}

static int make_plain(const struct passing *p, enum ncs_fn fn)
{
    static const union ncs_arg none[NCS_MAX_ARGS];
    return make(p, fn, none);
}

static void synchronize(const struct passing *p, const void *stream)
{
    union ncs_arg arg = { .p = stream };
    make(p, NCS_FN_cudaStreamSynchronize, &arg);
}

static const struct change *change(const struct passing *p, size_t i)
{
    return &p->s->round->change[i];
}

static bool is_on(const struct passing *p, size_t i, enum ncs_edit_kind kind)
{
    return change(p, i)->edit.kind == kind && change(p, i)->edit.rank == ncs_local->rank;
}

static uint32_t counted(const struct stage *s, uint32_t nth)
{
    return nth < s->counts ? s->count[nth] : 0;
}

/* ---- inserted calls ---- */

static bool find_member(const struct passing *p, uint32_t nth, int *comm, int *comm_rank)
{
    const struct ncs_journal *j = p->run->journal;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++) {
            const struct ncs_member *m = &j->comm[i]->member[k];
            if (m->rank != ncs_local->rank || !m->handle || m->gone ||
                ncs_amend_membership(j, (int)i, k) != nth)
                continue;
            *comm = (int)i;
            *comm_rank = k;
            return true;
        }
    return false;
}

/* That of its nearest call there, else of any call of the rank's. */
static const void *stream_for(const struct passing *p, int comm, int comm_rank)
{
    const struct ncs_member *m = &p->run->journal->comm[comm]->member[comm_rank];
    if (m->last)
        return ncs_call_stream(m->last);
    if (p->number && ncs_call_arg(p->call, NCS_ARG_STREAM))
        return ncs_call_stream(p->call);
    for (const struct ncs_call *c = p->run->journal->newest; c; c = c->older) {
        const union ncs_arg *stream = c->rank == ncs_local->rank && !c->withdrawn && !c->opening
                                          ? ncs_call_arg(c, NCS_ARG_STREAM) : NULL;
        if (stream && stream->p)
            return stream->p;
    }
    return NULL;
}

static void insert(const struct passing *p, size_t i)
{
    const struct change *c = change(p, i);
    int comm, comm_rank;
    p->s->done[i] = true;
    if (!find_member(p, c->nth, &comm, &comm_rank))
        return;
    union ncs_arg arg[NCS_MAX_ARGS];
    ncs_amend_compose(p->run, c, comm, comm_rank, stream_for(p, comm, comm_rank), arg);
    struct ncs_local *local = ncs_local, said = *local;
    local->label = c->label;
    local->unverified = local->guarded = false;
    if (c->opens)
        make_plain(p, NCS_FN_ncclGroupStart);
    make(p, c->fn, arg);
    if (c->closes)
        make_plain(p, NCS_FN_ncclGroupEnd);
    local->label = said.label;
    local->unverified = said.unverified;
    local->guarded = said.guarded;
}

static bool is_due(const struct passing *p, size_t i)
{
    const struct change *c = change(p, i);
    uint32_t made = counted(p->s, c->nth);
    if (p->s->done[i] || !is_on(p, i, NCS_EDIT_INSERT))
        return false;
    if (p->ends && (!p->nth || p->nth == c->nth))
        return true;
    if (p->number && p->nth == c->nth && p->number >= c->edit.call)
        return true;
    if (made + 1 < c->edit.call || (p->call && p->call->opening))
        return false;
    if (c->with_previous)
        return made + 1 >= c->edit.call && made > 0;
    return !c->with_next && ncs_local->group_depth == 0 && (!c->after.file || p->s->seen[i] >= c->after.nth);
}

static bool any_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (is_due(p, i))
            return true;
    return false;
}

static void insert_due(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (is_due(p, i))
            insert(p, i);
}

/* ---- calls that change places ---- */

static bool is_call(const struct passing *p, uint32_t nth, uint32_t number)
{
    return p->number && p->nth == nth && p->number == number;
}

/* The swap that this call has to wait for: calls between the two on one communicator wait, too. */
static bool waits(const struct passing *p, size_t *which)
{
    for (size_t i = 0; i < p->s->round->changes; i++) {
        const struct change *c = change(p, i);
        if (p->s->done[i] || !is_on(p, i, NCS_EDIT_SWAP) || !p->number || p->nth != c->nth ||
            p->number < c->edit.call || p->call->fn == NCS_FN_ncclWaitSignal)
            continue;
        uint32_t end = c->other_nth == c->nth ? c->edit.other : c->edit.call + 1;
        *which = i;
        if (p->number < end)
            return true;
    }
    return false;
}

static void hold(const struct passing *p, size_t which)
{
    struct held h = { .change = which, .call = *p->call, .said = *ncs_local };
    NCS_PUSH(p->s->held, p->s->helds, p->s->held_room, h);
}

static int release_one(const struct passing *p, size_t at)
{
    struct held h = p->s->held[at];
    struct ncs_local *local = ncs_local, said = *local;
    memmove(&p->s->held[at], &p->s->held[at + 1], (--p->s->helds - at) * sizeof h);
    local->label = h.said.label;
    local->unverified = h.said.unverified;
    int rc = make(p, h.call.fn, h.call.arg);
    local->label = said.label;
    local->unverified = said.unverified;
    return rc;
}

/* What has waited for the change: those between the two calls first, the first of them last. */
static int release(const struct passing *p, size_t which)
{
    int rc = 0;
    size_t first = 0;
    while (first < p->s->helds && p->s->held[first].change != which)
        first++;
    for (size_t i = first + 1; i < p->s->helds;) {
        if (p->s->held[i].change != which) {
            i++;
            continue;
        }
        int code = release_one(p, i);
        rc = rc ? rc : code;
    }
    if (first < p->s->helds) {
        int code = release_one(p, first);
        rc = rc ? rc : code;
    }
    return rc;
}

static int swap_behind(const struct passing *p)
{
    int rc = 0;
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (!p->s->done[i] && is_on(p, i, NCS_EDIT_SWAP) &&
            is_call(p, change(p, i)->other_nth, change(p, i)->edit.other)) {
            p->s->done[i] = true;
            int code = release(p, i);
            rc = rc ? rc : code;
        }
    return rc;
}

/* ---- groups, and synchronising ---- */

static bool in_own_group(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (p->s->open[i])
            return true;
    return false;
}

static void put_off(const struct passing *p)
{
    union ncs_arg stream = { .p = p->call->fn == NCS_FN_cudaStreamSynchronize ? p->call->arg[0].p
                                                                              : p->s };
    NCS_PUSH(p->s->back, p->s->backs, p->s->back_room, stream);
}

static void synchronize_now(const struct passing *p)
{
    for (size_t i = 0; i < p->s->dues; i++)
        synchronize(p, p->s->due[i]);
    for (size_t i = 0; i < p->s->backs; i++)
        if (p->s->back[i].p == p->s)
            make_plain(p, NCS_FN_cudaDeviceSynchronize);
        else
            synchronize(p, p->s->back[i].p);
    p->s->dues = p->s->backs = 0;
}

static void start_groups(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++) {
        const struct change *c = change(p, i);
        if (p->s->done[i] || p->s->open[i] || !is_on(p, i, NCS_EDIT_GROUP) || !c->edit.call ||
            !is_call(p, c->nth, c->edit.call))
            continue;
        p->s->open[i] = true;
        make_plain(p, NCS_FN_ncclGroupStart);
    }
}

static int end_groups(const struct passing *p, bool all)
{
    int rc = 0;
    for (size_t i = 0; i < p->s->round->changes; i++) {
        const struct change *c = change(p, i);
        bool there = is_call(p, c->other_nth, c->edit.other) || (all && p->s->open[i]);
        if (p->s->done[i] || !is_on(p, i, NCS_EDIT_GROUP) || !there)
            continue;
        p->s->done[i] = true;
        p->s->open[i] = false;
        int code = make_plain(p, NCS_FN_ncclGroupEnd);
        rc = rc ? rc : code;
    }
    return rc;
}

static bool wants_sync(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (is_on(p, i, NCS_EDIT_SYNC) && is_call(p, change(p, i)->nth, change(p, i)->edit.call))
            return true;
    return false;
}

/* ---- one call ---- */

static bool is_deleted(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (is_on(p, i, NCS_EDIT_DELETE) && is_call(p, change(p, i)->nth, change(p, i)->edit.call))
            return true;
    return false;
}

static int make_with_arguments(const struct passing *p)
{
    struct ncs_call own = *p->call;
    struct stand_in recv = { 0 };
    bool replaced = false;
    if (p->number) {
        int comm, comm_rank;
        for (size_t i = 0; i < p->s->round->changes; i++)
            if (is_on(p, i, NCS_EDIT_ARGUMENT) &&
                is_call(p, change(p, i)->nth, change(p, i)->edit.call) &&
                find_member(p, change(p, i)->other_nth, &comm, &comm_rank)) {
                own.comm = comm;
                own.comm_rank = comm_rank;
                replaced |= ncs_amend_replace(p->run, &own, change(p, i));
            }
    }
    if (replaced)
        ncs_amend_make_room(p->run, &own, &recv);
    int rc = make(p, own.fn, own.arg);
    if (replaced && ncs_local->group_depth == 0)
        ncs_amend_give_back(p->run, &recv, ncs_call_stream(&own));
    return rc;
}

/* Whether the round has anything to do at this call. */
static bool concerns(const struct passing *p)
{
    size_t which;
    const struct stage *s = p->s;
    if (any_due(p) || (p->ends && (s->helds || in_own_group(p))) || waits(p, &which))
        return true;
    bool is_sync = p->call && (p->call->fn == NCS_FN_cudaStreamSynchronize ||
                               p->call->fn == NCS_FN_cudaDeviceSynchronize);
    if ((is_sync && in_own_group(p)) ||
        (s->dues && p->call && p->call->fn == NCS_FN_ncclGroupEnd && ncs_local->group_depth == 1))
        return true;
    for (size_t i = 0; i < s->round->changes && p->number; i++) {
        const struct change *c = change(p, i);
        if (c->edit.kind != NCS_EDIT_INSERT && c->edit.rank == ncs_local->rank && !s->done[i] &&
            (is_call(p, c->nth, c->edit.call) || is_call(p, c->other_nth, c->edit.other)))
            return true;
    }
    return false;
}

static void end_all(const struct passing *p)
{
    for (size_t i = 0; i < p->s->round->changes; i++)
        if (!p->s->done[i] && is_on(p, i, NCS_EDIT_SWAP)) {
            p->s->done[i] = p->s->helds > 0;
            release(p, i);
        }
    end_groups(p, true);
    if (ncs_local->group_depth == 0)
        synchronize_now(p);
}

static int after_call(const struct passing *p, int rc)
{
    int code = swap_behind(p);
    rc = rc ? rc : code;
    code = end_groups(p, false);
    rc = rc ? rc : code;
    if (wants_sync(p)) {
        const void *stream = ncs_call_stream(p->call);
        NCS_PUSH(p->s->due, p->s->dues, p->s->due_room, stream);
    }
    if (ncs_local->group_depth == 0)
        synchronize_now(p);
    return rc;
}

static int carry_out(const struct passing *p)
{
    size_t which;
    struct ncs_call own;
    if (p->call) {
        own = *p->call;
        ncs_journal_withdraw(p->run->journal, p->call);
    }
    struct passing now = *p;
    now.call = p->call ? &own : NULL;
    insert_due(&now);
    if (now.ends)
        end_all(&now);
    if (!now.call)
        return 0;
    if ((own.fn == NCS_FN_cudaStreamSynchronize || own.fn == NCS_FN_cudaDeviceSynchronize) &&
        in_own_group(&now)) {
        put_off(&now);
        return 0;
    }
    start_groups(&now);
    if (waits(&now, &which)) {
        hold(&now, which);
        return 0;
    }
    int rc = is_deleted(&now) ? 0 : make_with_arguments(&now);
    return after_call(&now, rc);
}

/* ---- on the way ---- */

static uint32_t nth_of(struct amender *a, const struct ncs_journal *j, const struct ncs_call *call)
{
    if (call->comm < 0)
        return 0;
    uint64_t key = ((uint64_t)call->comm << 32 | (uint32_t)call->comm_rank) + 1;
    uintptr_t nth = (uintptr_t)ncs_map_get(&a->nth, key);
    if (!nth && (nth = ncs_amend_membership(j, call->comm, call->comm_rank)) != 0)
        ncs_map_put(&a->nth, key, (void *)nth);
    return (uint32_t)nth;
}

static void count(struct stage *s, const struct ncs_call *call, uint32_t nth, bool is_counted)
{
    for (size_t i = 0; i < s->round->changes; i++) {
        const struct spot *after = &s->round->change[i].after;
        s->seen[i] += after->file && call->fn == after->fn && call->place.line == after->line &&
                      !call->opening && call->place.file &&
                      strcmp(call->place.file, after->file) == 0;
    }
    if (!is_counted || !nth)
        return;
    if (nth >= s->counts) {
        s->count = ncs_resize(s->count, (nth + 1) * sizeof *s->count);
        memset(s->count + s->counts, 0, (nth + 1 - s->counts) * sizeof *s->count);
        s->counts = nth + 1;
    }
    s->count[nth]++;
}

static bool ends_comm(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclCommDestroy || call->fn == NCS_FN_ncclCommFinalize ||
           call->fn == NCS_FN_ncclCommAbort;
}

int ncs_run_amend(struct ncs_run *run, struct ncs_call *call)
{
    struct amender *a = run->rank[call->rank].amender;
    int rc = 0;
    if (!a || ncs_fn_info[call->fn].result > NCS_RESULT_CUDA)
        return 0;
    for (size_t i = (size_t)ncs_local->amended; i < a->stages && !call->withdrawn; i++) {
        struct stage *s = &a->stage[i];
        if (!s->concerned)
            continue;
        struct passing p = { .run = run, .a = a, .level = i, .s = s, .call = call,
                             .nth = nth_of(a, run->journal, call) };
        bool is_counted = ncs_fn_info[call->fn].counted && call->comm >= 0;
        if (is_counted)
            p.number = counted(s, p.nth) + 1;
        p.ends = ends_comm(call) && p.nth;
        if (concerns(&p))
            rc = carry_out(&p);
        count(s, call, p.nth, is_counted);
    }
    return rc;
}

uint32_t ncs_run_script_number(const struct ncs_run *run, const struct ncs_call *call)
{
    struct amender *a = run->rank[call->rank].amender;
    for (size_t i = 0; a && call->number && i < a->stages; i++)
        if (a->stage[i].concerned)
            return counted(&a->stage[i], nth_of(a, run->journal, call)) + 1;
    return call->number;
}

static void pass_by(struct ncs_run *run, bool ends)
{
    struct ncs_local *local = ncs_local;
    struct amender *a = run->rank[local->rank].amender;
    if (!a || run->machine->cancelled())
        return;
    for (size_t i = 0; i < a->stages; i++) {
        struct passing p = { .run = run, .a = a, .level = i, .s = &a->stage[i], .ends = ends };
        if (a->stage[i].concerned && concerns(&p))
            carry_out(&p);
    }
}

void ncs_run_before_wait(struct ncs_run *run)
{
    pass_by(run, false);
}

void ncs_run_script_over(struct ncs_run *run)
{
    pass_by(run, true);
}

/* ---- the state ---- */

static bool is_of(const struct round *r, int rank)
{
    for (size_t i = 0; i < r->changes; i++)
        if (r->change[i].edit.rank == rank)
            return true;
    return false;
}

void ncs_run_amend_begin(struct ncs_run *run)
{
    const struct ncs_amendments *all = run->options.amend;
    for (int r = 0; all && r < run->options.ranks; r++) {
        bool any = false;
        for (size_t i = 0; i < all->rounds; i++)
            any |= is_of(all->round[i], r);
        if (!any)
            continue;
        struct amender *a = run->rank[r].amender = ncs_new(sizeof *a);
        a->stage = ncs_new(all->rounds * sizeof *a->stage);
        a->stages = all->rounds;
        for (size_t i = 0; i < a->stages; i++) {
            struct stage *s = &a->stage[i];
            s->round = all->round[i];
            s->concerned = is_of(s->round, r);
            s->done = ncs_new(s->round->changes * sizeof *s->done);
            s->open = ncs_new(s->round->changes * sizeof *s->open);
            s->seen = ncs_new(s->round->changes * sizeof *s->seen);
        }
    }
}

void ncs_run_amend_free(struct ncs_run *run)
{
    for (int r = 0; run->rank && r < run->options.ranks; r++) {
        struct amender *a = run->rank[r].amender;
        for (size_t i = 0; a && i < a->stages; i++) {
            struct stage *s = &a->stage[i];
            ncs_free(s->done);
            ncs_free(s->open);
            ncs_free(s->seen);
            ncs_free(s->count);
            ncs_free(s->held);
            ncs_free(s->due);
            ncs_free(s->back);
        }
        if (a) {
            ncs_map_free(&a->nth);
            ncs_free(a->stage);
        }
        ncs_free(a);
        run->rank[r].amender = NULL;
    }
    ncs_free(run->scratch);
    run->scratch = NULL;
    run->scratches = 0;
}
