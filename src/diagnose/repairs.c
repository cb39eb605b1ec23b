/* The smallest edit of calls that removes what a rule has found: one function for each rule that can
 * say it. Where a rank has not come so far, its next call is taken to be the one that is meant. */
#include "diagnose/rule.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"

struct repairing {
    const struct ncs_inquiry *q;
    const struct ncs_root *r;
    struct ncs_draft *d;
};

typedef void repair(struct repairing *p);

/* ---- edits ---- */

static const struct ncs_member *member(const struct repairing *p, int comm, int comm_rank)
{
    return &p->q->journal->comm[comm]->member[comm_rank];
}

static bool known(const struct repairing *p, int comm, int comm_rank)
{
    return comm >= 0 && (size_t)comm < p->q->journal->comms && comm_rank >= 0 &&
           comm_rank < p->q->journal->comm[comm]->members &&
           member(p, comm, comm_rank)->rank >= 0;
}

static struct ncs_edit edit_at(const struct repairing *p, enum ncs_edit_kind kind, int comm,
                               int comm_rank, uint32_t call)
{
    const struct ncs_call *c = ncs_journal_call(p->q->journal, comm, comm_rank, call);
    return (struct ncs_edit){ .kind = kind, .rank = ncs_run_rank(p->q, comm, comm_rank),
                              .comm = comm, .comm_rank = comm_rank, .call = call, .model = -1,
                              .other_comm = -1, .other_comm_rank = -1,
                              .line = c ? c->place.line : 0 };
}

static struct ncs_edit edit_of(const struct repairing *p, enum ncs_edit_kind kind,
                               const struct ncs_call *c)
{
    return edit_at(p, kind, c->comm, c->comm_rank, c->number);
}

static bool same_edit(const struct ncs_edit *a, const struct ncs_edit *b)
{
    return a->kind == b->kind && a->comm == b->comm && a->comm_rank == b->comm_rank &&
           a->call == b->call && a->other == b->other && a->argument == b->argument &&
           a->model_call == b->model_call && a->kind != NCS_EDIT_GROUP;
}

enum { MOST_EDITS = 1024 }; /* of a finding: whoever lacks more calls is not helped by a list */

static void add(struct repairing *p, struct ncs_edit e)
{
    struct ncs_draft *d = p->d;
    if (e.rank < 0 || (!e.call && e.kind != NCS_EDIT_GROUP) || d->f.repairs == MOST_EDITS)
        return;
    for (size_t i = 0; i < d->f.repairs; i++)
        if (same_edit(&d->f.repair[i], &e))
            return;
    NCS_PUSH(d->f.repair, d->f.repairs, d->repair_room, e);
}

static void add_insert(struct repairing *p, int comm_rank, uint32_t call, const struct ncs_call *model,
                       bool answer)
{
    if (!known(p, model->comm, comm_rank) || !model->number || ncs_call_is_one_sided(model))
        return;
    struct ncs_edit e = edit_at(p, NCS_EDIT_INSERT, model->comm, comm_rank, call);
    e.model = model->rank;
    e.model_comm_rank = model->comm_rank;
    e.model_call = model->number;
    e.answer = answer;
    e.line = model->place.line;
    add(p, e);
}

static void add_argument(struct repairing *p, const struct ncs_call *c, const char *argument,
                         int64_t value)
{
    struct ncs_edit e = edit_of(p, NCS_EDIT_ARGUMENT, c);
    e.argument = argument;
    e.value = value;
    add(p, e);
}

static void add_pair(struct repairing *p, enum ncs_edit_kind kind, const struct ncs_call *first,
                     int comm, int comm_rank, uint32_t other)
{
    struct ncs_edit e = edit_of(p, kind, first);
    e.other = other;
    if (comm != first->comm || comm_rank != first->comm_rank) {
        e.other_comm = comm;
        e.other_comm_rank = comm_rank;
    }
    add(p, e);
}

static uint32_t next_of(const struct repairing *p, int comm, int comm_rank)
{
    return member(p, comm, comm_rank)->calls + 1;
}

/* The first call of the rank on the communicator that is not over: what it lacks has to come before
 * it, or before the group that it is in. */
static uint32_t first_open(const struct repairing *p, int comm, int comm_rank)
{
    const struct ncs_snapshot *s = p->q->snap;
    for (const struct ncs_call *c = member(p, comm, comm_rank)->first; c; c = c->next_counted) {
        uintptr_t part = (uintptr_t)ncs_map_get(&p->q->part, ncs_map_key(c));
        if (!c->returned || (part && s->part[part - 1].state != NCS_PART_DONE))
            return c->number;
    }
    return next_of(p, comm, comm_rank);
}

static bool is_culprit(const struct repairing *p, int rank)
{
    for (size_t i = 0; i < p->d->f.culprits; i++)
        if (p->d->f.culprit[i].rank == rank)
            return true;
    return false;
}

/* ---- calls left out, made in excess, exchanged ---- */

/* Where the lines of the odd rank leave those of the model. */
static uint32_t line_left_out(const struct repairing *p, int comm, const struct ncs_parting *k, int odd)
{
    for (uint32_t at = 0; at < k->at && k->skipped_line; at++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, odd, at);
        const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at);
        if (own && model && own->place.line != model->place.line &&
            model->place.line == k->skipped_line)
            return at;
    }
    return k->at;
}

/* One that the model made in a group belongs into the rank's own group of the same place. */
static uint32_t before_group(const struct repairing *p, int comm, const struct ncs_parting *k, int odd,
                             uint32_t at)
{
    const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at);
    const struct ncs_call *own =
        model && model->group ? ncs_journal_call(p->q->journal, comm, odd, model->number) : NULL;
    return own && own->group ? own->number : next_of(p, comm, odd);
}

static void insert_left_out(struct repairing *p, int comm, const struct ncs_parting *k)
{
    uint32_t calls = k->shift ? k->shift : 1;
    for (size_t i = 0; i < k->odds; i++) {
        uint32_t at = line_left_out(p, comm, k, k->odd[i]);
        const struct ncs_call *own = ncs_call_at(p->q, comm, k->odd[i], at);
        uint32_t before = own ? own->number : before_group(p, comm, k, k->odd[i], at);
        for (uint32_t n = 0; n < calls; n++) {
            const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at + n);
            if (model)
                add_insert(p, k->odd[i], before, model, false);
        }
    }
}

/* Those who are missed make the call that those who are there have made. */
static void insert_for_absent(struct repairing *p)
{
    const struct ncs_need *n = p->r->need;
    const struct ncs_call *model = n ? n->call : NULL;
    for (size_t i = 0; n && i < n->presents; i++)
        if (n->present[i]->number == p->d->f.call)
            model = n->present[i];
    for (size_t i = 0; model && model->number && i < p->r->absents; i++) {
        int comm_rank = p->r->absent[i]->comm_rank;
        if (known(p, model->comm, comm_rank))
            add_insert(p, comm_rank, next_of(p, model->comm, comm_rank), model, false);
    }
}

static void repair_skipped(struct repairing *p)
{
    struct ncs_parting k;
    if (p->r->need && ncs_is_meeting(p->r->need))
        return;
    if (!ncs_parts(p->q, p->r, NCS_PARTING_SKIPPED, &k) &&
        !ncs_parts(p->q, p->r, NCS_PARTING_FEWER, &k)) {
        insert_for_absent(p);
        return;
    }
    if (p->r->kind != NCS_ROOT_LABELS) /* where nothing hangs no call is missing */
        insert_left_out(p, ncs_parting_comm(p->r), &k);
    ncs_free(k.odd);
}

static void repair_extra(struct repairing *p)
{
    struct ncs_parting k;
    if (!ncs_parts(p->q, p->r, NCS_PARTING_EXTRA, &k))
        return;
    int comm = ncs_parting_comm(p->r);
    for (size_t i = 0; i < k.odds && p->r->kind != NCS_ROOT_LABELS; i++)
        for (uint32_t n = 0; n < (k.shift ? k.shift : 1); n++) {
            const struct ncs_call *own = ncs_call_at(p->q, comm, k.odd[i], k.at + n);
            if (own)
                add(p, edit_of(p, NCS_EDIT_DELETE, own));
        }
    ncs_free(k.odd);
}

static bool same_call(const struct ncs_call *a, const struct ncs_call *b)
{
    const char *x = a->label ? a->label : "", *y = b->label ? b->label : "";
    return ncs_call_signature(a) == ncs_call_signature(b) && strcmp(x, y) == 0;
}

enum { FAR = 16 }; /* over which calls are exchanged or moved */

static const struct ncs_call *find_later(const struct repairing *p, int comm, int comm_rank,
                                         uint32_t at, const struct ncs_call *like, uint32_t *to)
{
    for (*to = at + 1; *to <= at + FAR; ++*to) {
        const struct ncs_call *c = ncs_call_at(p->q, comm, comm_rank, *to);
        if (c && same_call(c, like))
            return c;
    }
    return NULL;
}

/* One call was made earlier than by the others, or later: it is left out there and inserted here. */
static void repair_moved(struct repairing *p, enum ncs_parting_how how)
{
    struct ncs_parting k;
    if (!ncs_parts(p->q, p->r, how, &k))
        return;
    int comm = ncs_parting_comm(p->r);
    bool early = how == NCS_PARTING_EXTRA;
    for (size_t i = 0; i < k.odds; i++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, k.odd[i], k.at);
        const struct ncs_call *model = ncs_call_at(p->q, comm, k.model, k.at);
        uint32_t to;
        const struct ncs_call *later =
            own && model ? find_later(p, comm, early ? k.model : k.odd[i], k.at, early ? own : model,
                                      &to) : NULL;
        if (!later)
            continue;
        const struct ncs_call *next = ncs_call_at(p->q, comm, k.odd[i], to + 1);
        add_insert(p, k.odd[i], !early ? own->number : next ? next->number
                                                            : next_of(p, comm, k.odd[i]),
                   early ? later : model, false);
        add(p, edit_of(p, NCS_EDIT_DELETE, early ? own : later));
    }
    ncs_free(k.odd);
}

static void repair_swapped(struct repairing *p)
{
    struct ncs_parting k;
    if (!ncs_parts(p->q, p->r, NCS_PARTING_SWAPPED, &k)) {
        repair_moved(p, NCS_PARTING_EXTRA);
        repair_moved(p, NCS_PARTING_SKIPPED);
        return;
    }
    int comm = ncs_parting_comm(p->r);
    const struct ncs_call *model = ncs_call_at(p->q, comm, k.model, k.at);
    for (size_t i = 0; model && i < k.odds; i++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, k.odd[i], k.at);
        uint32_t to;
        if (!own || same_call(own, model))
            continue;
        const struct ncs_call *later = find_later(p, comm, k.odd[i], k.at, model, &to);
        /* One that waits in the first has not made the second yet. */
        add_pair(p, NCS_EDIT_SWAP, own, comm, k.odd[i],
                 later ? later->number : own->number + (k.other - k.number));
    }
    ncs_free(k.odd);
}

/* ---- calls that disagree ---- */

/* One whose rank is not at fault; where all are, the lowest, and of counts the largest. */
static const struct ncs_call *reference(const struct repairing *p)
{
    const struct ncs_root *r = p->r;
    for (size_t i = 0; i < r->calls; i++)
        if (!is_culprit(p, r->call[i]->rank))
            return r->call[i];
    const struct ncs_call *best = r->call[0];
    for (size_t i = 1; i < r->calls; i++)
        if (ncs_call_dtype(r->call[i]) == ncs_call_dtype(best) &&
            ncs_call_count(r->call[i]) > ncs_call_count(best))
            best = r->call[i];
    return best;
}

static int op_by_meaning(const struct ncs_call *c)
{
    int op = ncs_call_op(c);
    return op > ncclNumOps ? ncclNumOps : op;
}

static void adapt(struct repairing *p, const struct ncs_call *c, const struct ncs_call *ref)
{
    if (c == ref || c->fn != ref->fn)
        return;
    if (ncs_call_root(c) != ncs_call_root(ref))
        add_argument(p, c, "root", ncs_call_root(ref));
    if (ncs_call_dtype(c) != ncs_call_dtype(ref))
        add_argument(p, c, "datatype", ncs_call_dtype(ref));
    if (ncs_call_count(c) != ncs_call_count(ref))
        add_argument(p, c, "count", (int64_t)ncs_call_count(ref));
    if (op_by_meaning(c) != op_by_meaning(ref))
        add_argument(p, c, "op", op_by_meaning(ref));
}

static void repair_arguments(struct repairing *p)
{
    if (p->r->kind != NCS_ROOT_DIFFER || p->r->calls < 2)
        return;
    const struct ncs_call *ref = reference(p);
    for (size_t i = 0; i < p->r->calls; i++)
        adapt(p, p->r->call[i], ref);
}

/* A call that NCCL refused, where another rank's of the same number went through with other
 * arguments. */
static void repair_refused(struct repairing *p)
{
    for (size_t i = 0; p->r->kind == NCS_ROOT_ABSENT && i < p->r->absents; i++) {
        const struct ncs_call *c = p->r->absent[i]->call;
        if (p->r->absent[i]->reason == NCS_ABSENT_ERROR && p->r->absent[i]->rank >= 0)
            for (c = p->q->journal->newest; c && !(c->rank == p->r->absent[i]->rank && ncs_failed(c));)
                c = c->older;
        if (!c || !c->number || !ncs_failed(c) || ncs_is_pairwise(c))
            continue;
        const struct ncs_comm_info *info = p->q->journal->comm[c->comm];
        const struct ncs_call *ref = NULL;
        for (int k = 0; k < info->nranks && !ref; k++) {
            ref = ncs_journal_call(p->q->journal, c->comm, k, c->number);
            ref = ref && ref->fn == c->fn && !ncs_failed(ref) ? ref : NULL;
        }
        if (ref)
            adapt(p, c, ref);
    }
}

/* Nothing says yet whether the odd ranks made a call too many or left one out; if it was left out the
 * next round finds that. */
static void repair_kind(struct repairing *p)
{
    const struct ncs_root *r = p->r;
    if (r->kind != NCS_ROOT_DIFFER || r->calls < 2 || ncs_is_pairwise(r->call[0]) ||
        ncs_is_pairwise(r->call[1]))
        return;
    const struct ncs_call *ref = p->d->f.culprits < r->calls ? reference(p)
                                                             : r->call[r->calls - 1];
    for (size_t i = 0; i < r->calls; i++)
        if (r->call[i]->fn != ref->fn)
            add(p, edit_of(p, NCS_EDIT_DELETE, r->call[i]));
}

static void repair_zero(struct repairing *p)
{
    for (size_t i = 0; i < p->r->absents; i++) {
        const struct ncs_call *c = p->r->absent[i]->call, *model = p->r->need->call;
        if (c && model)
            add_argument(p, c, "count", (int64_t)ncs_call_count(model));
    }
}

/* ---- groups ---- */

static const struct ncs_call *last_in_group(const struct repairing *p, const struct ncs_call *c)
{
    const struct ncs_call *last = c;
    for (const struct ncs_call *n = c->newer; n; n = n->newer)
        if (n->rank == c->rank && n->thread == c->thread && n->group == c->group && n->number)
            last = n;
    return last->number && known(p, last->comm, last->comm_rank) ? last : NULL;
}

static void end_group(struct repairing *p, const struct ncs_call *c, int depth)
{
    const struct ncs_call *last = c ? last_in_group(p, c) : NULL;
    for (int i = 0; last && i < depth; i++) {
        struct ncs_edit e = edit_of(p, NCS_EDIT_GROUP, last);
        e.other = e.call;
        e.call = 0;
        add(p, e);
    }
}

static void repair_group_end(struct repairing *p)
{
    const struct ncs_root *r = p->r;
    if (r->kind == NCS_ROOT_LEFT) {
        const struct ncs_call *c = p->q->journal->newest;
        while (c && !(c->rank == r->rank && c->number && c->group))
            c = c->older;
        end_group(p, c, r->depth);
        return;
    }
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        int depth = a->context >= 0 ? p->q->snap->context[a->context].group_depth : 1;
        end_group(p, a->call && a->call->number ? a->call : NULL, depth);
    }
}

/* ---- sends and receives ---- */

static void repair_alone(struct repairing *p)
{
    const struct ncs_call *c = p->r->need->call;
    for (size_t i = 0; i < p->r->absents; i++) {
        int comm_rank = p->r->absent[i]->comm_rank;
        if (ncs_is_pairwise(c) && known(p, c->comm, comm_rank))
            add_insert(p, comm_rank, first_open(p, c->comm, comm_rank), c, true);
    }
}

static void repair_p2p_count(struct repairing *p)
{
    if (p->r->kind != NCS_ROOT_DIFFER || !ncs_is_exchange(p->r))
        return;
    bool first = ncs_is_send(p->r->call[0]);
    const struct ncs_call *send = p->r->call[!first], *recv = p->r->call[first];
    if (ncs_call_dtype(send) != ncs_call_dtype(recv))
        add_argument(p, recv, "datatype", ncs_call_dtype(send));
    if (ncs_call_count(send) != ncs_call_count(recv))
        add_argument(p, recv, "count", (int64_t)ncs_call_count(send));
}

void ncs_repair_peer(const struct ncs_inquiry *q, struct ncs_draft *d, const struct ncs_call *wrong,
                     const struct ncs_call *wants, bool turned)
{
    struct repairing p = { .q = q, .d = d };
    if (!turned) {
        add_argument(&p, wrong, "peer", wants->comm_rank);
        return;
    }
    add_insert(&p, wrong->comm_rank, wrong->number, wants, true);
    add(&p, edit_of(&p, NCS_EDIT_DELETE, wrong));
}

void ncs_repair_comm(const struct ncs_inquiry *q, struct ncs_draft *d, const struct ncs_call *wrong,
                     int comm)
{
    struct repairing p = { .q = q, .d = d };
    const struct ncs_comm_info *info = q->journal->comm[comm];
    int own = -1, peer = -1, named = ncs_run_rank(q, wrong->comm, ncs_call_peer(wrong));
    for (int i = 0; i < info->nranks; i++) {
        own = info->member[i].rank == wrong->rank ? i : own;
        peer = ncs_is_pairwise(wrong) && info->member[i].rank == named ? i : peer;
    }
    if (own < 0 || (ncs_is_pairwise(wrong) && peer < 0))
        return;
    struct ncs_edit e = edit_of(&p, NCS_EDIT_ARGUMENT, wrong);
    e.argument = "comm";
    e.value = e.other_comm = comm;
    e.other_comm_rank = own;
    add(&p, e);
    if (peer >= 0 && peer != ncs_call_peer(wrong))
        add_argument(&p, wrong, "peer", peer);
}

void ncs_repair_swap(const struct ncs_inquiry *q, struct ncs_draft *d, const struct ncs_call *a,
                     const struct ncs_call *b)
{
    struct repairing p = { .q = q, .d = d };
    bool first = a->number < b->number;
    add_pair(&p, NCS_EDIT_SWAP, first ? a : b, a->comm, a->comm_rank, first ? b->number : a->number);
}

/* ---- rings ---- */

/* Whose edit undoes the ring: somebody at fault, else anybody in it. */
static int who(const struct repairing *p)
{
    return p->d->f.culprits ? p->d->f.culprit[p->d->f.culprits - 1].rank
           : p->d->f.cycles ? p->d->f.cycle[0].rank : -1;
}

/* The call that the rank has to come to for the step before it: made and kept back, or its next. */
static bool awaited(const struct repairing *p, size_t at, int rank, int *comm, int *comm_rank,
                    uint32_t *number)
{
    const struct ncs_root *r = p->r;
    for (size_t k = 1; k <= r->length; k++) {
        size_t i = (at + r->length - k) % r->length;
        int need = ncs_node_need(p->q, r->path[i]);
        if (need < 0)
            continue;
        const struct ncs_need *n = &p->q->need[need];
        for (size_t a = 0; a < n->absents; a++)
            if (n->absent[a].rank == rank && known(p, n->comm, n->absent[a].comm_rank)) {
                *comm = n->comm;
                *comm_rank = n->absent[a].comm_rank;
                const struct ncs_call *c = n->absent[a].call;
                *number = c && c->number && c->comm == n->comm
                              ? c->number : next_of(p, n->comm, *comm_rank);
                return true;
            }
        return false;
    }
    return false;
}

/* What the ranks of the ring wait in and are awaited in become one group, or change places: on that
 * rank, or, -1, on all. */
static void repair_ring(struct repairing *p, enum ncs_edit_kind kind, int rank)
{
    for (size_t i = 0; i < p->r->length; i++) {
        int comm, comm_rank;
        uint32_t number;
        if (ncs_node_need(p->q, p->r->path[i]) < 0)
            continue;
        struct ncs_ring_step s = ncs_ring_step_at(p->q, p->r, i);
        if ((rank >= 0 && s.rank != rank) || !s.call || !s.call->number ||
            !awaited(p, i, s.rank, &comm, &comm_rank, &number))
            continue;
        if (comm != s.call->comm || number > s.call->number)
            add_pair(p, kind, s.call, comm, comm_rank, number);
        if (rank >= 0)
            return;
    }
}

/* One rank's group would do, but for those that synchronise between the two. */
static void repair_p2p_cycle(struct repairing *p)
{
    bool alone = true;
    int collective = -1; /* a rank that waits in one, and ought to send or receive before it */
    for (size_t i = 0; i < p->r->length; i++)
        if (ncs_node_need(p->q, p->r->path[i]) >= 0) {
            struct ncs_ring_step s = ncs_ring_step_at(p->q, p->r, i);
            alone &= s.call && ncs_is_pairwise(s.call) && !s.call->group;
            if (s.call && s.call->number && !ncs_is_pairwise(s.call) && !s.call->group)
                collective = s.rank;
        }
    if (collective >= 0)
        repair_ring(p, NCS_EDIT_SWAP, collective);
    else
        repair_ring(p, NCS_EDIT_GROUP, alone ? -1 : who(p));
}

/* From the call that the thread is in to its call for the last of the others. */
static void repair_one_thread(struct repairing *p)
{
    const struct ncs_need *n = p->r->need;
    int last = -1;
    for (size_t i = 0; i < n->absents; i++)
        last = n->absent[i].comm_rank > last ? n->absent[i].comm_rank : last;
    if (n->call->number && known(p, n->comm, last))
        add_pair(p, NCS_EDIT_GROUP, n->call, n->comm, last, next_of(p, n->comm, last));
}

static void repair_comm_order(struct repairing *p)
{
    repair_ring(p, NCS_EDIT_SWAP, who(p));
}

/* ---- the table ---- */

static const struct {
    const char *rule;
    repair *fill;
} repairs[] = {
    { "skipped-call", repair_skipped },      { "early-destroy", insert_for_absent },
    { "extra-call", repair_extra },          { "swapped-calls", repair_swapped },
    { "kind-mismatch", repair_kind },        { "root-mismatch", repair_arguments },
    { "dtype-mismatch", repair_arguments },  { "count-mismatch", repair_arguments },
    { "op-mismatch", repair_arguments },     { "zero-count", repair_zero },
    { "missing-group-end", repair_group_end }, { "send-without-recv", repair_alone },
    { "recv-without-send", repair_alone },   { "p2p-count-mismatch", repair_p2p_count },
    { "p2p-cycle", repair_p2p_cycle },       { "comm-order", repair_comm_order },
    { "one-thread-no-group", repair_one_thread }, { "error-path", repair_refused },
};

void ncs_repairs(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    struct repairing p = { .q = q, .r = r, .d = d };
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++)
        if (strcmp(repairs[i].rule, d->f.rule) == 0)
            repairs[i].fill(&p);
    for (size_t i = 0; i < d->f.repairs; i++) {
        d->f.repair[i].on = ncs_copy_text(ncs_comm_name(q, d->f.repair[i].comm));
        d->f.repair[i].text = ncs_say_edit(q, &d->f.repair[i]);
    }
}
