/* Unique ids that ranks take from the store: by which key each rank got its id, and which rank took
 * one from another key than ranks at the same place. */
#include "diagnose/course/course.h"
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

struct joiner { /* a call that joins with an id from the store */
    const struct ncs_call *call;
    const char *key;
    uint64_t class; /* of the key */
};

struct joiners {
    struct joiner *of;
    size_t count, room;
};

/* The key of the last store read before the call that gave this id; NULL = the rank made the id
 * itself, or got it by other means. */
static const char *id_keys_key_of(const struct ncs_analysis *q, const struct ncs_call *c)
{
    const union ncs_arg *id = ncs_call_arg(c, NCS_ARG_ID);
    const char *key = NULL;
    for (const struct ncs_host_step *h = q->journal->oldest_host; h && id; h = h->newer)
        if (h->kind == NCS_HOST_GET && h->rank == c->rank && h->after < c->id && h->unique_id && h->unique_id == id->u)
            key = h->what;
    return key;
}

static struct joiners id_keys_find_joiners(const struct ncs_analysis *q)
{
    struct joiners all = { 0 };
    for (size_t i = 0; i < q->rares; i++) {
        struct joiner j = { .call = q->rare[i] };
        if (!ncs_is_init(j.call) || (j.key = id_keys_key_of(q, j.call)) == NULL)
            continue;
        j.class = ncs_key_class(j.key);
        NCS_PUSH(all.of, all.count, all.room, j);
    }
    return all;
}

static bool id_keys_same_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->place.line && a->place.line == b->place.line && a->place.file == b->place.file;
}

/* How many ranks join at the same place (*there), and how many of them with a key of the same
 * class. */
static size_t id_keys_count_alike(const struct joiners *all, const struct joiner *own, size_t *there)
{
    size_t alike = 0;
    *there = 0;
    for (size_t i = 0; i < all->count; i++) {
        bool here = id_keys_same_place(all->of[i].call, own->call);
        *there += here;
        alike += here && all->of[i].class == own->class;
    }
    return alike;
}

/* True if a communicator whose ranks wait at this place lacks a rank of the number with which the rank joins. */
static bool is_missed(const struct ncs_analysis *q, const struct joiner *j)
{
    const union ncs_arg *rank = ncs_call_arg(j->call, NCS_ARG_RANK);
    for (size_t i = 0; i < q->unmets && rank; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        bool here = o->kind == NCS_UNMET_INIT && o->call && o->comm != j->call->comm && id_keys_same_place(o->call, j->call);
        for (size_t k = 0; k < o->absents && here; k++)
            if (o->absent[k].comm_rank == rank->i)
                return true;
    }
    return false;
}

/* One rank takes its id from a key of another class than all others at the place: "dp0" where they
 * take "tp0", "tp1", and they miss it. With fewer than three ranks there would be no majority. */
static bool takes_other_kind(const struct ncs_analysis *q, const struct joiners *all, struct ncs_draft *d)
{
    const struct joiner *wrong = NULL, *like = NULL;
    for (size_t i = 0; i < all->count; i++) {
        size_t there, alike = id_keys_count_alike(all, &all->of[i], &there);
        if (alike == 1 && there > 2 && !wrong && is_missed(q, &all->of[i]))
            wrong = &all->of[i];
    }
    for (size_t i = 0; i < all->count && wrong; i++) {
        size_t there;
        if (id_keys_same_place(all->of[i].call, wrong->call) && id_keys_count_alike(all, &all->of[i], &there) + 1 == there)
            like = &all->of[i];
    }
    if (!like)
        return false;
    ncs_add_culprit(d, wrong->call->rank, 0, wrong->call->place.line);
    d->f.why = ncs_say(id_keys_kind_why, ncs_fact_call("call", q->journal, wrong->call), ncs_fact_text("key", wrong->key),
                       ncs_fact_text("like", like->key));
    d->f.fix = ncs_say(id_keys_kind_fix, ncs_fact_call("call", q->journal, wrong->call));
    d->f.evidence = ncs_say(id_keys_kind_evidence);
    return true;
}

/* True if the call joins another communicator as the rank that is missing in n's, at the place
 * where n's ranks join. */
static bool claims(const struct joiner *j, const struct ncs_unmet *n)
{
    const union ncs_arg *rank = ncs_call_arg(j->call, NCS_ARG_RANK);
    return rank && rank->i == n->absent[0].comm_rank && j->call->comm != n->comm && id_keys_same_place(j->call, n->call);
}

/* Two ranks join one communicator as the same rank, which is missing in another one: one of the two
 * took the wrong id. Nothing shows which, so both are named. */
static bool takes_place(const struct ncs_analysis *q, const struct joiners *all, const struct ncs_unmet *n, struct ncs_draft *d)
{
    const struct joiner *a = NULL, *b = NULL;
    for (size_t i = 0; i < all->count && !b && n->absents == 1; i++)
        for (size_t k = 0; k < i && !b; k++) {
            const struct ncs_call *x = all->of[i].call, *y = all->of[k].call;
            uint64_t id = ncs_call_arg(x, NCS_ARG_ID)->u, other = ncs_call_arg(y, NCS_ARG_ID)->u;
            if (n->call && id == other && x->rank != y->rank && claims(&all->of[i], n) && claims(&all->of[k], n)) {
                a = &all->of[x->rank < y->rank ? i : k];
                b = &all->of[x->rank < y->rank ? k : i];
            }
        }
    if (!b)
        return false;
    ncs_add_culprit(d, a->call->rank, 0, a->call->place.line);
    ncs_add_culprit(d, b->call->rank, 0, b->call->place.line);
    d->f.why = ncs_say(id_keys_place_why, ncs_fact_call("call", q->journal, a->call), ncs_fact_text("key", a->key),
                       ncs_fact_rank("other", b->call->rank), ncs_fact_number("number", n->absent[0].comm_rank));
    d->f.fix = ncs_say(id_keys_place_fix);
    d->f.evidence = ncs_say(id_keys_place_evidence);
    d->f.certainty = NCS_LIKELY;
    return true;
}

bool ncs_took_wrong_id(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d)
{
    struct joiners all = id_keys_find_joiners(q);
    bool found = takes_other_kind(q, &all, d) || takes_place(q, &all, n, d);
    ncs_free(all.of);
    if (found)
        ncs_fill_unmet(q, d, n, 0);
    return found;
}
