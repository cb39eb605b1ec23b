/* Edits for groups that stay open: each is ended behind the call behind which other ranks end
 * theirs, in the same round of the program. If no other rank shows it, behind the last call in the
 * group. */
#include "diagnose/repair/repair.h"

#include "base/mem.h"

static bool is_of(const struct ncs_call *c, int rank, int thread)
{
    return c->rank == rank && c->thread == thread;
}

static bool is_start(const struct ncs_call *c)
{
    return c->fn == NCS_FN_ncclGroupStart;
}

static bool at_one_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->place.line == b->place.line && a->place.file == b->place.file;
}

/* The thread's next call that starts or ends a group, or is counted; NULL = none. */
static const struct ncs_call *next_of_thread(const struct ncs_call *c)
{
    const struct ncs_call *n = c->newer;
    while (n && (!is_of(n, c->rank, c->thread) || (!n->number && !is_start(n) && n->fn != NCS_FN_ncclGroupEnd)))
        n = n->newer;
    return n;
}

/* How many calls the group has; 0 = it is not ended before the next one starts, so its size is
 * unknown. */
static size_t groups_size_of(const struct ncs_group_start *start)
{
    return start->ended ? start->calls : 0;
}

/* How many calls another thread has in the group that it starts at the same place in the same
 * round; 0 = unknown. */
static size_t usual_size(const struct ncs_analysis *q, const struct ncs_group_start *own)
{
    for (size_t i = 0; i < q->group_starts; i++) {
        const struct ncs_group_start *s = &q->group_start[i];
        if (!is_of(s->call, own->call->rank, own->call->thread) && at_one_place(s->call, own->call) && groups_size_of(s) &&
            s->round == own->round)
            return groups_size_of(s);
    }
    return 0;
}

static bool groups_end_behind(struct ncs_repairing *p, const struct ncs_call *last)
{
    if (!last || !last->number || !ncs_known_member(p, last->comm, last->comm_rank))
        return false;
    struct ncs_edit e = ncs_edit_of(p, NCS_EDIT_GROUP, last);
    e.other = e.call;
    e.call = 0;
    ncs_add_edit(p, e);
    return true;
}

/* Ends up to `depth` open groups of the thread where others end theirs. False = no other rank shows
 * where. */
static bool end_as_others(struct ncs_repairing *p, int rank, int thread, int depth)
{
    int ended = 0;
    for (size_t k = 0; k < p->q->group_starts && ended < depth; k++) {
        const struct ncs_group_start *s = &p->q->group_start[k];
        if (!is_of(s->call, rank, thread) || groups_size_of(s))
            continue;
        size_t calls = usual_size(p->q, s);
        const struct ncs_call *last = s->call;
        for (size_t i = 0; i < calls && last; i++)
            last = next_of_thread(last);
        ended += calls && groups_end_behind(p, last);
    }
    return ended > 0;
}

static const struct ncs_call *last_in_group(const struct ncs_call *c)
{
    const struct ncs_call *last = c;
    for (const struct ncs_call *n = c->newer; n; n = n->newer)
        if (is_of(n, c->rank, c->thread) && n->group == c->group && n->number)
            last = n;
    return last;
}

static void groups_end_groups(struct ncs_repairing *p, const struct ncs_call *inside, int depth)
{
    if (!inside || end_as_others(p, inside->rank, inside->thread, depth))
        return;
    for (int i = 0; i < depth; i++)
        groups_end_behind(p, last_in_group(inside));
}

void ncs_repair_group_end(struct ncs_repairing *p)
{
    const struct ncs_cause *r = p->r;
    if (r->kind == NCS_CAUSE_LEFT) {
        const struct ncs_call *c = p->q->journal->newest;
        while (c && !(c->rank == r->rank && c->number && c->group))
            c = c->older;
        groups_end_groups(p, c, r->depth);
        return;
    }
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        int depth = a->context >= 0 ? p->q->snap->context[a->context].group_depth : 1;
        groups_end_groups(p, a->call && a->call->number ? a->call : NULL, depth);
    }
}
