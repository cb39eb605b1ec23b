/* Calls that their rank does not wait in any more, although no line says that they are over: it has revoked their
 * communicator, or made a smaller one of it. */
#include "trace/log.h"

static uint64_t given_up_key(int rank, int comm)
{
    return ncs_hash(ncs_log_key(19, (uint64_t)rank), (uint64_t)comm);
}

void ncs_log_give_up(struct log *l, int rank, int comm)
{
    ncs_map_put_number(&l->given_up, given_up_key(rank, comm), l->record->rank[rank].calls);
}

/* A warning names no communicator: it is the only one that the process has, or nothing is known. */
void ncs_log_revoked(struct log *l, const struct log_line *line)
{
    enum { MOST = 4096 };
    const struct log_bound *only = NULL;
    size_t live = 0;
    for (size_t n = 0; n < l->bounds && n < MOST; n++) {
        const struct log_bound *b = &l->bound[n];
        if (!b->joined || b->ended || l->entity[b->entity].process != line->process)
            continue;
        only = b;
        live++;
    }
    if (live == 1)
        ncs_log_give_up(l, l->entity[only->entity].rank, only->comm);
    else if (live > 1 && !l->record->trace->doubt)
        l->record->trace->doubt = ncs_copy_text("it could also be that ranks do not wait in calls of a communicator that they "
                                                "have revoked: the log warns of a revoked one, and does not name it");
}

void ncs_log_mark_given_up(struct log *l)
{
    struct record *r = l->record;
    for (int k = 0; k < r->ranks && l->given_up.count; k++)
        for (size_t n = 0; n < r->rank[k].calls; n++) {
            struct record_call *c = &r->rank[k].call[n];
            if (ncs_fn_info[c->fn].counted && n < ncs_map_number(&l->given_up, given_up_key(k, c->comm)))
                c->state = RECORD_GONE;
        }
}
