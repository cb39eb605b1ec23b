/* Turns the record of a run into the state that a run of our own leaves: makes each call through the
 * journal, and infers the calls that cannot have completed. */
#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"
#include "trace/infer.h"
#include "trace/record.h"

struct player {
    struct record *record;
    struct ncs_journal *journal;
    struct ncs_local *local;       /* by rank of the run */
    struct ncs_place *place;       /* of the call about to be made, by rank */
    int *number;                   /* in the journal, by communicator of the record; -1 = none */
    char **handle;                 /* by communicator: the address of byte n is the handle of its rank n */
    uint64_t *group;               /* by rank: the open group */
    uint64_t *ending;              /* by rank: the journal's group of its last calls, unless its end is known to have returned */
    bool leaves_open;              /* a group without an end is open; otherwise its rank is inside ncclGroupEnd */
    const struct ncs_call **stuck; /* by rank: a call that has not returned */
    const struct ncs_call **last;  /* by rank: its last counted call */
    struct ncs_map over, gone;     /* calls known to be over, or given up */
};

static const char place_file[] = "trace";

static struct ncs_place where(void *arg)
{
    return *(const struct ncs_place *)arg;
}

static ncclComm_t handle_of(const struct player *p, int comm, int comm_rank)
{
    return (ncclComm_t)(void *)(p->handle[comm] + comm_rank);
}

/* ---- calls ---- */

static void enter(struct player *p, int rank, int line)
{
    ncs_local = &p->local[rank];
    p->place[rank] = (struct ncs_place){ line ? place_file : NULL, line };
}

static void group(struct player *p, int rank, uint64_t to)
{
    if (p->group[rank] == to)
        return;
    const enum ncs_fn edges[] = { NCS_FN_ncclGroupEnd, NCS_FN_ncclGroupStart };
    const bool there[] = { p->group[rank] != 0, to != 0 };
    p->group[rank] = to;
    for (size_t i = 0; i < 2; i++) {
        struct ncs_call *call = there[i] ? ncs_journal_enter(p->journal, edges[i]) : NULL;
        if (call) {
            call->unsaid = NCS_UNSAID_PLACE; /* the one of the next call, if any */
            ncs_journal_begin(p->journal, call);
            ncs_journal_leave(p->journal, call, 0);
        }
    }
}

static void fill_call(const struct player *p, const struct record_call *c, struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    for (int i = 0; i < info->nargs; i++) {
        union ncs_arg *arg = &call->arg[i];
        switch ((int)info->arg[i].kind) {
        case NCS_ARG_IN: arg->p = (const void *)(uintptr_t)c->send; break;
        case NCS_ARG_OUT:
        case NCS_ARG_INOUT: arg->p = (const void *)(uintptr_t)c->recv; break;
        case NCS_ARG_COUNT: arg->u = c->count; break;
        case NCS_ARG_DTYPE: arg->i = c->dtype; break;
        case NCS_ARG_REDOP: arg->i = c->op; break;
        case NCS_ARG_ROOT:
        case NCS_ARG_PEER: arg->i = c->root; break;
        case NCS_ARG_COMM: arg->p = handle_of(p, c->comm, c->comm_rank); break;
        case NCS_ARG_STREAM: arg->p = (const void *)(uintptr_t)c->stream; break;
        case NCS_ARG_RESIDENCE: arg->i = ncclScalarDevice; break;
        }
    }
}

/* Joins a communicator; its id is its number in the record. */
static void join(struct player *p, int rank, int comm, int comm_rank, bool pending)
{
    const struct record_comm *info = &p->record->comm[comm];
    ncclUniqueId id = { { 0 } };
    ncclComm_t out = handle_of(p, comm, comm_rank);
    struct ncs_call *call = ncs_journal_enter(p->journal, NCS_FN_ncclCommInitRank);
    memcpy(&id, &comm, sizeof comm);
    call->unsaid = NCS_UNSAID_PLACE; /* its place is unknown, or a line of the log */
    call->arg[0].p = &out;
    call->arg[1].i = info->nranks;
    call->arg[2].p = &id;
    call->arg[3].i = comm_rank;
    ncs_journal_begin(p->journal, call);
    if (pending)
        p->stuck[rank] = call;
    else
        ncs_journal_leave(p->journal, call, 0);
    if (info->name)
        ncs_journal_name(p->journal, out, info->name);
    struct ncs_comm_info *made = call->comm >= 0 ? p->journal->comm[call->comm] : NULL;
    if (!made)
        return;
    made->member[comm_rank].calls = info->before[comm_rank];
    p->number[comm] = call->comm;
}

static void operate(struct player *p, const struct record_call *c, struct ncs_call *call)
{
    ncclRedOp_t op = (ncclRedOp_t)c->op;
    if (c->fn == NCS_FN_ncclRedOpCreatePreMulSum)
        call->arg[0].p = &op;
    ncs_journal_begin(p->journal, call);
    ncs_journal_leave(p->journal, call, 0);
}

static void make(struct player *p, int rank, const struct record_call *c)
{
    enter(p, rank, c->place);
    if (p->stuck[rank])
        return; /* the rank made no later call in the record */
    if (c->fn == NCS_FN_ncclCommInitRank) {
        join(p, rank, c->comm, c->comm_rank, c->pending);
        return;
    }
    group(p, rank, c->group);
    struct ncs_call *call = ncs_journal_enter(p->journal, c->fn);
    fill_call(p, c, call);
    call->unsaid = c->unsaid;
    if (!ncs_fn_info[c->fn].counted) {
        operate(p, c, call);
        return;
    }
    ncs_journal_begin(p->journal, call);
    if (c->state == RECORD_OVER)
        ncs_map_put(&p->over, call->id, call);
    else if (c->state == RECORD_GONE)
        ncs_map_put(&p->gone, call->id, call);
    ncs_journal_leave(p->journal, call, 0);
    p->last[rank] = call;
}

/* Makes the ranks' calls in turn, so that no rank gets far ahead. */
static void make_all(struct player *p)
{
    struct record *r = p->record;
    bool any = true;
    for (size_t i = 0; any; i++) {
        any = false;
        for (int k = 0; k < r->ranks; k++)
            if (i < r->rank[k].calls) {
                make(p, k, &r->rank[k].call[i]);
                any = true;
            }
    }
    for (int k = 0; k < r->ranks; k++)
        if (p->group[k] && r->rank[k].open < (p->leaves_open ? GROUP_MAY_WAIT : GROUP_LEFT_OPEN) && !p->stuck[k]) {
            enter(p, k, 0);
            p->ending[k] = r->rank[k].open > GROUP_UNSEEN || r->knows_ends ? p->local[k].group : 0;
            group(p, k, 0);
        }
}

static void join_all(struct player *p)
{
    struct record *r = p->record;
    for (size_t i = 0; i < r->comms; i++)
        for (int k = 0; k < r->comm[i].nranks; k++) {
            if (r->comm[i].made || r->comm[i].rank[k] < 0)
                continue;
            enter(p, r->comm[i].rank[k], 0);
            ncs_local->opening = true; /* the record has no such call */
            join(p, r->comm[i].rank[k], (int)i, k, false);
            ncs_local->opening = false;
        }
}

/* Marks communicators that are alike as if one call had split them from a parent. */
static void set_parents(const struct player *p)
{
    for (size_t i = 0; i < p->record->comms; i++) {
        const struct record_comm *c = &p->record->comm[i];
        if (p->number[i] < 0 || c->parent < 0)
            continue;
        struct ncs_comm_info *made = p->journal->comm[p->number[i]];
        made->parent = p->number[c->parent];
        made->split = made->parent >= 0 ? c->split : 0;
    }
}

/* ---- the final state ---- */

static bool is_over(void *arg, const struct ncs_call *call)
{
    const struct player *p = arg;
    return ncs_map_get(&p->over, call->id) != NULL;
}

static bool is_gone(void *arg, const struct ncs_call *call)
{
    const struct player *p = arg;
    return ncs_map_get(&p->gone, call->id) != NULL;
}

static void pin(const struct ncs_call *call)
{
    ncs_call_pin((struct ncs_call *)call);
}

void ncs_trace_look_at_meeting(struct ncs_trace *t, struct ncs_call *const *calls, size_t count)
{
    if (ncs_calls_agree(calls, count) || t->clashes == 1024) /* further ones would add nothing */
        return;
    struct ncs_trace_clash clash = { .call = ncs_new(count * sizeof *clash.call), .calls = count };
    for (size_t i = 0; i < count; i++) {
        clash.call[i] = calls[i];
        pin(calls[i]);
    }
    NCS_PUSH(t->clash, t->clashes, t->clash_room, clash);
}

static void look_at_meeting(void *arg, struct ncs_call *const *calls, size_t count)
{
    struct player *p = arg;
    ncs_trace_look_at_meeting(p->record->trace, calls, count);
}

static char *silence(const struct player *p, int rank)
{
    const struct record *r = p->record;
    const struct ncs_call *last = p->last[rank];
    const char *word = r->rank[rank].word ? r->rank[rank].word : r->source_word;
    struct ncs_str text = { 0 };
    if (r->rank[rank].spoilt)
        ncs_str_addf(&text, "left a %s that cannot be read", r->source_word);
    else if (!r->rank[rank].source)
        ncs_str_addf(&text, "left no %s", r->source_word);
    else if (!last)
        ncs_str_addf(&text, "its %s has no call", word);
    else
        ncs_str_addf(&text, "its %s ends with call %u on %s", word, (unsigned)last->number, p->journal->comm[last->comm]->name);
    return ncs_str_take(&text);
}

/* Until a call is found to wait, nothing is known of a rank but its calls. */
static void add_contexts(struct player *p, struct ncs_snapshot *s)
{
    struct record *r = p->record;
    s->context = ncs_new((size_t)r->ranks * sizeof *s->context);
    s->contexts = (size_t)r->ranks;
    for (int k = 0; k < r->ranks; k++) {
        struct ncs_snap_context *c = &s->context[k];
        c->rank = k;
        c->state = NCS_CONTEXT_ENDED;
        c->ending = r->rank[k].source ? NCS_END_SILENT : NCS_END_MISSING;
        c->message = silence(p, k);
        if (p->last[k])
            c->place = p->last[k]->place;
        c->group_depth = p->local[k].group_depth;
        if (!p->stuck[k])
            continue;
        c->state = NCS_CONTEXT_PARKED;
        c->place = (struct ncs_place){ 0 };
        c->call = p->stuck[k];
        pin(c->call);
    }
}

static void add_wait(struct ncs_snapshot *s, size_t *room, int op)
{
    struct ncs_snap_wait wait = { NCS_WAIT_OP, op };
    NCS_PUSH(s->wait, s->waits, *room, wait);
}

/* By rank: its first operation + 1. After these, by operation: the next one of its rank + 1. */
static size_t *chain_ops(const struct ncs_snapshot *s, int ranks)
{
    size_t *chain = ncs_new(((size_t)ranks + s->ops) * sizeof *chain), *next = chain + ranks;
    for (size_t k = s->ops; k-- > 0;) {
        next[k] = chain[s->op[k].rank];
        chain[s->op[k].rank] = k + 1;
    }
    return chain;
}

/* Makes each rank wait for its calls in flight. */
static void park(struct ncs_snapshot *s, int ranks)
{
    size_t *chain = chain_ops(s, ranks), *next = chain + ranks;
    struct ncs_snap_wait *grown = ncs_new((s->waits + s->ops + 1) * sizeof *grown);
    size_t room = s->waits + s->ops + 1;
    if (s->waits)
        memcpy(grown, s->wait, s->waits * sizeof *grown);
    ncs_free(s->wait);
    s->wait = grown;
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (c->state != NCS_CONTEXT_ENDED || c->ending == NCS_END_MISSING)
            continue;
        c->wait = s->waits;
        for (size_t k = chain[c->rank]; k; k = next[k - 1]) {
            add_wait(s, &room, (int)k - 1);
            if (c->waits++)
                continue;
            c->state = NCS_CONTEXT_PARKED;
            c->place = (struct ncs_place){ 0 };
            c->call = s->op[k - 1].call;
            pin(c->call);
        }
    }
    ncs_free(chain);
}

static enum ncs_stop stop_of(const struct player *p, const struct ncs_snapshot *s)
{
    bool waits = p->record->trace->unfinished > 0;
    for (size_t i = 0; i < s->contexts; i++)
        waits |= s->context[i].state == NCS_CONTEXT_PARKED || s->context[i].group_depth > 0;
    return waits ? NCS_STOP_STALLED : NCS_STOP_DONE;
}

static void infer(struct player *p)
{
    struct record *r = p->record;
    struct ncs_snapshot *s = &r->trace->snapshot;
    const struct ncs_local **local = ncs_new((size_t)r->ranks * sizeof *local);
    for (int k = 0; k < r->ranks; k++)
        local[k] = &p->local[k];
    struct ncs_known known = { .local = local,
                               .locals = (size_t)r->ranks,
                               .ending = p->ending,
                               .endings = (size_t)r->ranks,
                               .is_over = is_over,
                               .is_gone = is_gone,
                               .met = look_at_meeting,
                               .arg = p };
    add_contexts(p, s);
    ncs_infer(p->journal, &known, s);
    park(s, r->ranks);
    s->recorded = true;
    s->stop = stop_of(p, s);
    ncs_free(local);
}

/* What proves that no call waits: trace/README.md, rule 15. */
static void count_unfinished(const struct record *r)
{
    r->trace->unfinished = r->waiting;
    r->trace->ended = !r->guessed;
    for (int k = 0; k < r->ranks; k++) {
        r->trace->ended &= r->rank[k].source != NULL;
        for (size_t i = 0; i < r->rank[k].calls; i++) {
            const struct record_call *c = &r->rank[k].call[i];
            bool counted = ncs_fn_info[c->fn].counted && r->rank[k].source;
            r->trace->calls += counted;
            r->trace->unfinished += r->knows_ends && counted && c->state != RECORD_OVER;
            r->trace->ended &= !ncs_fn_info[c->fn].counted || c->state == RECORD_OVER;
        }
    }
}

/* Appends "ranks 0, 1": the ranks whose first unfinished call on the communicator is in the state. */
static void play_report_ranks(const struct player *p, const struct ncs_call *model, enum record_state state, const char *word,
                              struct ncs_str *out)
{
    const struct record *r = p->record;
    int *rank = NULL;
    size_t ranks = 0, room = 0;
    for (int k = 0; k < r->ranks; k++)
        for (size_t i = 0; i < r->rank[k].calls; i++) {
            const struct record_call *c = &r->rank[k].call[i];
            if (c->comm != model->comm || c->state == RECORD_OVER)
                continue;
            if (c->state == state)
                NCS_PUSH(rank, ranks, room, k);
            break;
        }
    if (ranks) {
        ncs_str_addf(out, "%s %s on rank%s ", out->bytes ? "," : ":", word, ranks == 1 ? "" : "s");
        ncs_str_add_many_ranks(out, rank, ranks);
    }
    ncs_free(rank);
}

/* Notes the first call that is unfinished although all ranks have made it. */
static void note_stuck(struct player *p)
{
    struct ncs_trace *t = p->record->trace;
    const struct ncs_call *c = p->journal->oldest;
    if (!t->unfinished || t->snapshot.ops)
        return;
    while (c && (!c->number || ncs_map_get(&p->over, c->id)))
        c = c->newer;
    if (!c)
        return;
    struct ncs_str what = { 0 }, where_it_is = { 0 };
    ncs_call_describe(c, &what);
    play_report_ranks(p, c, RECORD_STARTED, "begun", &where_it_is);
    play_report_ranks(p, c, RECORD_SCHEDULED, "not begun by the GPU", &where_it_is);
    ncs_record_note(p->record,
                    "call %u on %s, %s, is not over although every rank %s it%s; no call tells "
                    "why: it may be slow, or a link, or what the GPU does before it",
                    (unsigned)c->number, p->journal->comm[c->comm]->name, what.text,
                    p->record->guessed ? "that is known has made" : "has made", where_it_is.text ? where_it_is.text : "");
    ncs_str_free(&what);
    ncs_str_free(&where_it_is);
}

static void record_play_once(struct record *r, bool leaves_open)
{
    struct ncs_local *outer = ncs_local;
    size_t ranks = (size_t)r->ranks;
    struct player p = { .record = r, .journal = ncs_journal_open(SIZE_MAX, false), .leaves_open = leaves_open };
    r->trace->journal = p.journal;
    r->trace->ranks = r->ranks;
    p.local = ncs_new(ranks * sizeof *p.local);
    p.place = ncs_new(ranks * sizeof *p.place);
    p.group = ncs_new(ranks * sizeof *p.group);
    p.ending = ncs_new(ranks * sizeof *p.ending);
    p.stuck = ncs_new(ranks * sizeof *p.stuck);
    p.last = ncs_new(ranks * sizeof *p.last);
    p.handle = ncs_new(r->comms * sizeof *p.handle);
    for (size_t i = 0; i < ranks; i++)
        p.local[i] = (struct ncs_local){ .rank = (int)i, .where = where, .where_arg = &p.place[i], .by_c_name = true };
    p.number = ncs_new(r->comms * sizeof *p.number);
    for (size_t i = 0; i < r->comms; i++) {
        p.handle[i] = ncs_new((size_t)r->comm[i].nranks);
        p.number[i] = -1;
    }
    ncs_record_find_siblings(r);
    join_all(&p);
    make_all(&p);
    set_parents(&p);
    count_unfinished(r);
    infer(&p);
    note_stuck(&p);
    ncs_local = outer;
    NCS_FREE_ALL(p.handle, r->comms);
    ncs_free(p.number);
    ncs_free(p.local);
    ncs_free(p.place);
    ncs_free(p.group);
    ncs_free(p.ending);
    ncs_free(p.stuck);
    ncs_free(p.last);
    ncs_map_free(&p.over);
    ncs_map_free(&p.gone);
}

/* True if the call's rank has no connection to its peer yet. */
static bool connects(const struct ncs_call *call)
{
    const struct ncs_call *c = ncs_call_is_pair(call) ? call->older : call;
    while (c && (c->fn != call->fn || c->comm != call->comm || c->comm_rank != call->comm_rank ||
                 ncs_call_peer(c) != ncs_call_peer(call)))
        c = c->older;
    return !c;
}

/* Where no line shows the ends of groups, a rank waits in the end of its last group if that lacks a connection: then nothing of the
 * group has begun. False = there is no such rank. */
static bool find_waiting_ends(struct record *r)
{
    const struct ncs_snapshot *s = &r->trace->snapshot;
    uint64_t *group = ncs_new((size_t)r->ranks * sizeof *group);
    bool any = false;
    for (const struct ncs_call *c = r->trace->journal->oldest; c; c = c->newer)
        if (c->number)
            group[c->rank] = c->group;
    for (size_t i = 0; i < s->parts; i++) {
        const struct ncs_call *c = s->part[i].call;
        if (s->part[i].state == NCS_PART_MATCHED || r->rank[c->rank].open != GROUP_UNSEEN || !c->group ||
            c->group != group[c->rank] || !connects(c))
            continue;
        r->rank[c->rank].open = GROUP_MAY_WAIT;
        any = true;
    }
    ncs_free(group);
    return any;
}

/* A group without a line of its end (trace/README.md, rule 10). */
void ncs_record_play(struct record *r)
{
    struct ncs_trace *t = r->trace;
    int open = 0, whole = 0;
    for (int k = 0; k < r->ranks; k++) {
        open += r->rank[k].open == GROUP_MAY_WAIT;
        whole += r->rank[k].source && !r->rank[k].open;
    }
    record_play_once(r, false);
    bool leaves_open = open && whole && t->snapshot.stop == NCS_STOP_DONE;
    if (leaves_open || find_waiting_ends(r)) {
        ncs_trace_forget(t);
        record_play_once(r, leaves_open);
    }
    if (t->snapshot.stop == NCS_STOP_DONE)
        ncs_record_note_left(r);
}
