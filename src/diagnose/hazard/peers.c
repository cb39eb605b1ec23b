/* Order through other ranks of the same process: when a collective has ended on one rank, all ranks have begun it, and
 * the work before it on their streams has ended. */
#include "diagnose/hazard/private.h"

struct past *hazard_new_past(struct rank *r, struct line *l, const struct clock *before)
{
    if (!r->all->options.one_process)
        return NULL;
    if (!l->past)
        l->past = ncs_new(PASTS * sizeof *l->past);
    struct past *past = &l->past[l->pasts++ % PASTS];
    hazard_copy(&past->before, before);
    past->mets = 0;
    past->tick = 0;
    return past;
}

void hazard_end_past(struct rank *r, struct past *past, const struct line *l, const struct queued *queue, size_t count,
                     unsigned lane)
{
    past->lane = lane;
    past->tick = r->tick[lane];
    for (size_t i = 0; i < count; i++)
        if (queue[i].line == l)
            NCS_PUSH(past->met, past->mets, past->room, hazard_key_of(r->all, queue[i].call));
}

void hazard_free_past(struct line *l)
{
    for (int i = 0; l->past && i < PASTS; i++) {
        ncs_free(l->past[i].met);
        ncs_free(l->past[i].before.at);
    }
    ncs_free(l->past);
}

static size_t pasts_held(const struct line *l)
{
    return l->pasts < PASTS ? (size_t)l->pasts : PASTS;
}

static bool have_met(const struct past *a, const struct past *b)
{
    for (size_t i = 0; i < a->mets; i++)
        for (size_t k = 0; k < b->mets; k++)
            if (a->met[i] == b->met[k])
                return true;
    return false;
}

/* Adds the work of the communicator's other ranks that has ended, because the launch has. The launch may have met one that
 * is remembered no more: the oldest that is remembered stands for that one, because it came later. */
static bool learn_from_past(const struct rank *r, const struct line *own, const struct past *past, struct clock *known)
{
    bool learned = false;
    for (const struct line *l = r->lines; l; l = l->next) {
        if (l == own || l->comm != own->comm)
            continue;
        const struct past *oldest = l->pasts > PASTS ? &l->past[l->pasts % PASTS] : NULL;
        for (size_t i = 0; i < pasts_held(l); i++) {
            const struct past *other = &l->past[i];
            if ((other != oldest && !have_met(past, other)) || hazard_is_within(&other->before, known))
                continue;
            hazard_join(known, &other->before);
            learned = true;
        }
    }
    return learned;
}

static bool learn_from_line(const struct rank *r, const struct line *l, struct clock *known)
{
    bool learned = false;
    for (size_t i = 0; i < pasts_held(l); i++) {
        const struct past *past = &l->past[i];
        /* The oldest stands for all that are remembered no more, if any of them has ended. */
        bool stands = l->pasts > PASTS && i == l->pasts % PASTS;
        if (past->tick && hazard_covers(known, past->lane, stands ? 1 : past->tick))
            learned |= learn_from_past(r, l, past, known);
    }
    return learned;
}

bool hazard_ends_through_peers(struct rank *r, const struct clock *known, const struct access *a)
{
    struct clock all = { 0 };
    if (!r->all->options.one_process)
        return false;
    hazard_copy(&all, known);
    bool learned = true;
    while (learned && !hazard_covers(&all, a->lane, a->tick)) {
        learned = false;
        for (const struct line *l = r->lines; l; l = l->next)
            learned |= learn_from_line(r, l, &all);
    }
    bool ends = hazard_covers(&all, a->lane, a->tick);
    ncs_free(all.at);
    return ends;
}
