/* The state that a rank keeps about the edits of its calls. */
#include <stdlib.h>

#include "api/invoke.h"
#include "base/mem.h"
#include "run/amend_private.h"

int ncs_amend_make(const struct passing *p, enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_local *local = ncs_local;
    union ncs_arg result = { .i = 0 };
    int outer = local->amended;
    local->amended = (int)p->level + 1;
    ncs_invoke(p->run->api, fn, arg, &result);
    local->amended = outer;
    return (int)result.i;
}

int ncs_amend_make_plain(const struct passing *p, enum ncs_fn fn)
{
    static const union ncs_arg none[NCS_MAX_ARGS];
    return ncs_amend_make(p, fn, none);
}

uint32_t ncs_amend_counted(const struct stage *s, uint32_t nth)
{
    return nth < s->counts ? s->count[nth] : 0;
}

uint32_t ncs_amend_membership(const struct ncs_journal *j, int comm, int comm_rank)
{
    if (comm < 0 || (size_t)comm >= j->comms || comm_rank < 0 || comm_rank >= j->comm[comm]->members ||
        j->comm[comm]->member[comm_rank].rank < 0)
        return 0;
    const struct ncs_member *own = &j->comm[comm]->member[comm_rank];
    uint32_t nth = 1;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++) {
            const struct ncs_member *m = &j->comm[i]->member[k];
            bool before = m->joined < own->joined ||
                          (m->joined == own->joined && (i < (size_t)comm || (i == (size_t)comm && k < comm_rank)));
            nth += m != own && m->rank == own->rank && before;
        }
    return nth;
}

struct joined {
    int comm, comm_rank;
    uint64_t at;
};

static int amend_state_by_joining(const void *x, const void *y)
{
    const struct joined *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->comm != b->comm ? (a->comm > b->comm) - (a->comm < b->comm)
                              : (a->comm_rank > b->comm_rank) - (a->comm_rank < b->comm_rank);
}

bool ncs_amend_find_member(const struct passing *p, uint32_t nth, int *comm, int *comm_rank)
{
    const struct ncs_journal *j = p->run->journal;
    struct joined *own = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++) {
            struct joined one = { (int)i, k, j->comm[i]->member[k].joined };
            if (j->comm[i]->member[k].rank == ncs_local->rank)
                NCS_PUSH(own, count, room, one);
        }
    bool known = nth > 0 && nth <= count && j->dropped == 0; /* or some are forgotten */
    if (known) {
        qsort(own, count, sizeof *own, amend_state_by_joining);
        *comm = own[nth - 1].comm;
        *comm_rank = own[nth - 1].comm_rank;
        const struct ncs_member *m = &j->comm[*comm]->member[*comm_rank];
        known = m->handle && !m->gone;
    }
    ncs_free(own);
    return known;
}

static void concern(struct amender *a, size_t level, const struct change *c)
{
    struct stage *s = &a->stage[level];
    NCS_PUSH(s->change, s->changes, s->changes_room, c);
}

void ncs_run_amend_begin(struct ncs_run *run)
{
    const struct ncs_amendments *all = run->options.amend;
    for (size_t i = 0; all && i < all->rounds; i++)
        for (size_t k = 0; k < all->round[i]->changes; k++) {
            const struct change *c = &all->round[i]->change[k];
            if (c->edit.rank >= run->options.ranks)
                continue;
            struct run_rank *rank = &run->rank[c->edit.rank];
            if (!rank->amender) {
                rank->amender = ncs_new(sizeof *rank->amender);
                rank->amender->stage = ncs_new(all->rounds * sizeof *rank->amender->stage);
                rank->amender->stages = all->rounds;
            }
            concern(rank->amender, i, c);
        }
    for (int r = 0; all && r < run->options.ranks; r++)
        for (size_t i = 0; run->rank[r].amender && i < all->rounds; i++) {
            struct stage *s = &run->rank[r].amender->stage[i];
            s->done = ncs_new(s->changes * sizeof *s->done);
            s->begun = ncs_new(s->changes * sizeof *s->begun);
            s->open = ncs_new(s->changes * sizeof *s->open);
            s->seen = ncs_new(s->changes * sizeof *s->seen);
        }
}

bool ncs_run_amended(const struct ncs_run *run)
{
    for (int r = 0; r < run->options.ranks; r++) {
        const struct amender *a = run->rank[r].amender;
        for (size_t i = 0; a && i < a->stages; i++)
            for (size_t k = 0; k < a->stage[i].changes; k++)
                if (a->stage[i].begun[k])
                    return false;
    }
    return true;
}

static void free_stage(struct stage *s)
{
    ncs_free(s->change);
    ncs_free(s->done);
    ncs_free(s->begun);
    ncs_free(s->open);
    ncs_free(s->seen);
    ncs_free(s->count);
    ncs_free(s->held);
    ncs_free(s->due);
    ncs_free(s->back);
}

void ncs_run_amend_free(struct ncs_run *run)
{
    for (int r = 0; run->rank && r < run->options.ranks; r++) {
        struct amender *a = run->rank[r].amender;
        if (!a)
            continue;
        for (size_t i = 0; i < a->stages; i++)
            free_stage(&a->stage[i]);
        ncs_amend_forget(&a->memory);
        ncs_map_free(&a->nth);
        ncs_free(a->stage);
        ncs_free(a);
        run->rank[r].amender = NULL;
    }
    ncs_free(run->scratch);
    run->scratch = NULL;
    run->scratches = 0;
}
