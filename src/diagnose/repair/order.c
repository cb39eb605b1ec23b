/* Edits for calls that were left out, made in excess or in another order. */
#include "base/mem.h"
#include "diagnose/repair/repair.h"

/* The position at which the lines of the minority's rank leave the model's, if lines alone show the
 * omission (skipped_line); else the position of the divergence. */
static uint32_t line_left_out(const struct ncs_repairing *p, int comm, const struct ncs_call_divergence *k, int minority)
{
    for (uint32_t at = 0; at < k->at && k->skipped_line; at++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, minority, at);
        const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at);
        if (own && model && own->place.line != model->place.line && model->place.line == k->skipped_line)
            return at;
    }
    return k->at;
}

/* The number of the rank's call before which the inserted one comes, at the end of its sequence. If
 * the model made the call in a group, it belongs into the rank's group of the same number. */
static uint32_t before_group(const struct ncs_repairing *p, int comm, const struct ncs_call_divergence *k, int minority,
                             uint32_t at)
{
    const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at);
    const struct ncs_call *own = model && model->group ? ncs_journal_call(p->q->journal, comm, minority, model->number) : NULL;
    return own && own->group ? own->number : ncs_next_of(p, comm, minority);
}

static void insert_left_out(struct ncs_repairing *p, int comm, const struct ncs_call_divergence *k)
{
    uint32_t calls = k->shift ? k->shift : 1;
    for (size_t i = 0; i < k->minority_size; i++) {
        uint32_t first = line_left_out(p, comm, k, k->minority[i]);
        for (uint32_t n = 0; n < calls; n++) {
            bool spread = n < k->gaps.count;
            uint32_t at = spread ? k->gaps.at[n] : first + n;
            const struct ncs_call *model = ncs_call_at(p->q, comm, k->model, at);
            const struct ncs_call *own = ncs_call_at(p->q, comm, k->minority[i], at - n); /* n are missing before it */
            uint32_t before = own ? own->number : before_group(p, comm, k, k->minority[i], spread ? at : first);
            if (model)
                ncs_add_insert(p, k->minority[i], before, model, false);
        }
    }
}

/* The missed ranks make the call that the present ranks have made. */
void ncs_repair_absent(struct ncs_repairing *p)
{
    const struct ncs_unmet *n = p->r->unmet;
    const struct ncs_call *model = n ? n->call : NULL;
    for (size_t i = 0; n && i < n->presents; i++)
        if (n->present[i]->number == p->d->f.call)
            model = n->present[i];
    for (size_t i = 0; model && model->number && i < p->r->absents; i++) {
        int comm_rank = p->r->absent[i]->comm_rank;
        if (ncs_known_member(p, model->comm, comm_rank))
            ncs_add_insert(p, comm_rank, ncs_next_of(p, model->comm, comm_rank), model, ncs_call_is_pair(model));
    }
}

void ncs_repair_skipped(struct ncs_repairing *p)
{
    struct ncs_call_divergence k;
    if (p->r->unmet && ncs_is_meeting(p->r->unmet))
        return;
    if (!ncs_is_divergence(p->q, p->r, NCS_DIVERGENCE_SKIPPED, &k) && !ncs_is_divergence(p->q, p->r, NCS_DIVERGENCE_FEWER, &k)) {
        ncs_repair_absent(p);
        return;
    }
    if (p->r->kind != NCS_CAUSE_LABELS) /* the run did not hang, so no call is missing */
        insert_left_out(p, ncs_divergence_comm(p->r), &k);
    ncs_free(k.minority);
}

void ncs_repair_extra(struct ncs_repairing *p)
{
    struct ncs_call_divergence k;
    if (!ncs_is_divergence(p->q, p->r, NCS_DIVERGENCE_EXTRA, &k))
        return;
    int comm = ncs_divergence_comm(p->r);
    for (size_t i = 0; i < k.minority_size && p->r->kind != NCS_CAUSE_LABELS; i++)
        for (uint32_t n = 0; n < (k.shift ? k.shift : 1); n++) {
            const struct ncs_call *own = ncs_call_at(p->q, comm, k.minority[i], ncs_divergence_position(&k, n));
            if (own)
                ncs_add_edit(p, ncs_edit_of(p, NCS_EDIT_DELETE, own));
        }
    ncs_free(k.minority);
}

/* The first call like that one behind position `at`; NULL = none within NCS_MOVED_FAR. */
static const struct ncs_call *find_later(const struct ncs_repairing *p, int comm, int comm_rank, uint32_t at,
                                         const struct ncs_call *like, uint32_t *to)
{
    for (*to = at + 1; *to <= at + NCS_MOVED_FAR; ++*to) {
        const struct ncs_call *c = ncs_call_at(p->q, comm, comm_rank, *to);
        if (ncs_same_call(c, like))
            return c;
    }
    return NULL;
}

/* One call was made earlier than by the others (EXTRA where it is, and missing later) or later
 * (SKIPPED): it is removed at one place and inserted at the other. */
static void repair_moved(struct ncs_repairing *p, enum ncs_divergence_how how)
{
    struct ncs_call_divergence k;
    if (!ncs_is_divergence(p->q, p->r, how, &k))
        return;
    int comm = ncs_divergence_comm(p->r);
    bool early = how == NCS_DIVERGENCE_EXTRA;
    for (size_t i = 0; i < k.minority_size; i++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, k.minority[i], k.at);
        const struct ncs_call *model = ncs_call_at(p->q, comm, k.model, k.at);
        uint32_t to;
        const struct ncs_call *later = own && model
                                           ? find_later(p, comm, early ? k.model : k.minority[i], k.at, early ? own : model, &to)
                                           : NULL;
        if (!later)
            continue;
        const struct ncs_call *next = ncs_call_at(p->q, comm, k.minority[i], to + 1);
        ncs_add_insert(p, k.minority[i],
                       !early ? own->number
                       : next ? next->number
                              : ncs_next_of(p, comm, k.minority[i]),
                       early ? later : model, false);
        ncs_add_edit(p, ncs_edit_of(p, NCS_EDIT_DELETE, early ? own : later));
    }
    ncs_free(k.minority);
}

void ncs_repair_swapped(struct ncs_repairing *p)
{
    struct ncs_call_divergence k;
    if (!ncs_is_divergence(p->q, p->r, NCS_DIVERGENCE_SWAPPED, &k)) {
        repair_moved(p, NCS_DIVERGENCE_EXTRA);
        repair_moved(p, NCS_DIVERGENCE_SKIPPED);
        return;
    }
    int comm = ncs_divergence_comm(p->r);
    const struct ncs_call *model = ncs_call_at(p->q, comm, k.model, k.at);
    for (size_t i = 0; model && i < k.minority_size; i++) {
        const struct ncs_call *own = ncs_call_at(p->q, comm, k.minority[i], k.at);
        uint32_t to;
        if (!own || ncs_same_call(own, model))
            continue;
        const struct ncs_call *later = find_later(p, comm, k.minority[i], k.at, model, &to);
        /* A rank that waits in the first call has not made the second yet: its number follows from
         * the model. */
        ncs_add_pair(p, NCS_EDIT_SWAP, own, comm, k.minority[i], later ? later->number : own->number + (k.other - k.number));
    }
    ncs_free(k.minority);
}
