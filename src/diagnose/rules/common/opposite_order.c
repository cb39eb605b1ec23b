/* Finds collectives of two communicators that two ranks launched in opposite order, in a run that
 * ended well: such a run needs a device that holds both kernels at a time. */
#include "diagnose/rules/rule.h"

enum { MOST_COMMS = 512 }; /* all pairs are compared: with more the search takes too long */

static bool is_launched(const struct ncs_call *call)
{
    return call->ordinal > 0 && ncs_call_count(call) > 0; /* 0: it failed, or its group did */
}

/* A walk over one rank's calls on two communicators: how many calls of the first came before each
 * call of the second. Two ranks agree in order if these numbers agree, so one pass over each rank
 * is enough. */
struct walk {
    const struct ncs_sequence *first, *second;
    size_t i, j;     /* of the calls that are held */
    uint32_t before; /* launched calls of `first` so far */
    const struct ncs_call *at;
};

static bool next_of_second(struct walk *w)
{
    for (; w->j < w->second->held; w->j++)
        if (is_launched(w->second->call[w->j]))
            break;
    if (w->j == w->second->held)
        return false;
    w->at = w->second->call[w->j++];
    for (; w->i < w->first->held && w->first->call[w->i]->id < w->at->id; w->i++)
        w->before += is_launched(w->first->call[w->i]);
    return true;
}

static const struct ncs_call *launched_at(const struct ncs_sequence *s, uint32_t number)
{
    for (size_t i = 0; i < s->held; i++)
        if (is_launched(s->call[i]) && number-- == 0)
            return s->call[i];
    return NULL;
}

/* False for two calls of one group, which NCCL launches in an order that all ranks share, and for
 * calls of two threads, which have no order (rule unordered-threads). */
static bool in_program_order(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->thread == b->thread && (!a->group || a->group != b->group);
}

/* Fills call with two calls of one rank, in their order, and the same two of the other rank, in the
 * opposite order. */
static bool is_opposite(struct walk x, struct walk y, const struct ncs_call **call)
{
    while (next_of_second(&x) && next_of_second(&y)) {
        if (x.before == y.before)
            continue;
        const struct walk *ahead = x.before > y.before ? &x : &y, *behind = ahead == &x ? &y : &x;
        call[0] = launched_at(ahead->first, behind->before);
        call[1] = ahead->at;
        call[2] = behind->at;
        call[3] = launched_at(behind->first, behind->before);
        if (call[0] && call[3] && in_program_order(call[0], call[1]) && in_program_order(call[2], call[3]))
            return true;
    }
    return false;
}

/* The member of the communicator that is on the same device of the same rank; -1 = none. */
static int opposite_order_same_place(const struct ncs_comm_info *info, const struct ncs_member *m)
{
    for (int i = 0; i < info->members; i++)
        if (info->member[i].rank == m->rank && info->member[i].device == m->device)
            return i;
    return -1;
}

static bool judge_pair(const struct ncs_analysis *q, int first, int second, const struct ncs_call **call)
{
    const struct ncs_comm_info *a = q->journal->comm[first], *b = q->journal->comm[second];
    struct walk model = { 0 };
    for (int i = 0; i < a->members; i++) {
        const struct ncs_sequence *mine = &q->comm[first].seq[i];
        int k = mine->held ? opposite_order_same_place(b, &a->member[i]) : -1;
        if (k < 0)
            continue;
        struct walk walk = { .first = mine, .second = &q->comm[second].seq[k] };
        if (!model.first)
            model = walk;
        else if (is_opposite(model, walk, call))
            return true;
    }
    return false;
}

bool ncs_opposite_order(const struct ncs_analysis *q, const struct ncs_call **call)
{
    bool known = q->snap->stop == NCS_STOP_DONE && q->snap->contexts && !q->journal->dropped && q->journal->comms <= MOST_COMMS;
    size_t comms = known ? q->journal->comms : 0;
    for (size_t a = 0; a < comms; a++)
        for (size_t b = a + 1; b < comms; b++)
            if (q->journal->comm[a]->nranks > 1 && q->journal->comm[b]->nranks > 1 && judge_pair(q, (int)a, (int)b, call))
                return true;
    return false;
}
