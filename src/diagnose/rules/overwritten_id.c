/* Several ranks put ids of their own under one key of the store, so ranks of one group come with the id of another. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* Ids under one key: the steps that set it to an id which is not yet in the list, by rank. */
struct ids {
    const struct ncs_host_step **set;
    size_t count, room;
};

static bool is_id_of(const struct ncs_host_step *h, const char *key)
{
    return h->kind == NCS_HOST_SET && h->unique_id && h->what && strcmp(h->what, key) == 0;
}

static struct ids ids_of(const struct ncs_analysis *q, const char *key)
{
    struct ids all = { 0 };
    for (const struct ncs_host_step *h = q->journal->oldest_host; h; h = h->newer) {
        bool known = !is_id_of(h, key);
        for (size_t i = 0; i < all.count && !known; i++)
            known = all.set[i]->unique_id == h->unique_id;
        if (known)
            continue;
        size_t at = all.count;
        NCS_PUSH(all.set, all.count, all.room, h);
        for (; at > 0 && all.set[at - 1]->rank > h->rank; at--)
            all.set[at] = all.set[at - 1];
        all.set[at] = h;
    }
    return all;
}

/* How many ranks came with the id, and for how many ranks it is. */
struct takers {
    int *rank;
    size_t count, room;
    int64_t nranks;
    const struct ncs_call *call; /* that of the lowest rank */
};

static struct takers takers_of(const struct ncs_analysis *q, uint64_t id)
{
    struct takers t = { 0 };
    for (size_t i = 0; i < q->rares; i++) {
        const struct ncs_call *c = q->rare[i];
        const union ncs_arg *arg = ncs_is_init(c) ? ncs_call_arg(c, NCS_ARG_ID) : NULL;
        if (!arg || arg->u != id || ncs_fn_info[c->fn].child)
            continue;
        size_t at = t.count;
        NCS_PUSH(t.rank, t.count, t.room, c->rank);
        for (; at > 0 && t.rank[at - 1] > c->rank; at--)
            t.rank[at] = t.rank[at - 1];
        t.rank[at] = c->rank;
        t.call = !t.call || c->rank < t.call->rank ? c : t.call;
        t.nranks = c->arg[1].i;
    }
    return t;
}

/* The step that set a key to this id. */
static const struct ncs_host_step *setter_of(const struct ncs_analysis *q, uint64_t id)
{
    for (const struct ncs_host_step *h = q->journal->oldest_host; h; h = h->newer)
        if (h->kind == NCS_HOST_SET && h->unique_id == id)
            return h;
    return NULL;
}

static struct ncs_sentence *overwritten_id_say(const struct ncs_analysis *q, const struct ids *ids, const struct takers *most,
                                               const struct ncs_host_step *of)
{
    int *rank = ncs_new(ids->count * sizeof *rank);
    for (size_t i = 0; i < ids->count; i++)
        rank[i] = ids->set[i]->rank;
    struct ncs_sentence *s = ncs_say(overwritten_id_why, ncs_fact_ranks("setters", rank, ids->count),
                                     ncs_fact_text("key", of->what), ncs_fact_line("line", of->place.line),
                                     ncs_fact_ranks("who", most->rank, most->count), ncs_fact_rank("of", of->rank),
                                     ncs_fact_call("call", q->journal, most->call), ncs_fact_number("nranks", most->nranks));
    ncs_free(rank);
    return s;
}

/* Too many ranks came with one id of the key, and too few with another. Both are needed: a key may be used again once
 * its communicator is there. */
static bool overwritten_id_fill(const struct ncs_analysis *q, const char *key, struct ncs_draft *d)
{
    struct ids ids = ids_of(q, key);
    struct takers most = { 0 };
    const struct ncs_host_step *of = NULL;
    bool few = false, ranks = false;
    for (size_t i = 0; i < ids.count; i++) {
        struct takers t = takers_of(q, ids.set[i]->unique_id);
        ranks |= ids.set[i]->rank != ids.set[0]->rank;
        few |= t.count == 0 || (int64_t)t.count < t.nranks;
        if ((int64_t)t.count > t.nranks && t.count > most.count) {
            of = ids.set[i];
            struct takers swap = most;
            most = t;
            t = swap;
        }
        ncs_free(t.rank);
    }
    bool found = ranks && few && of;
    for (size_t i = 0; i < ids.count && found; i++)
        ncs_add_culprit(d, ids.set[i]->rank, 0, ids.set[i]->place.line);
    if (found) {
        d->f.why = overwritten_id_say(q, &ids, &most, of);
        d->f.fix = ncs_say(overwritten_id_fix, ncs_fact_text("key", key));
        d->f.evidence = ncs_say(overwritten_id_evidence);
        d->f.certainty = NCS_CERTAIN;
    }
    ncs_free(most.rank);
    ncs_free(ids.set);
    return found;
}

static bool overwritten_id_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *call = r->kind == NCS_CAUSE_FAILED ? r->call[0] : ncs_is_joining(r) ? r->unmet->call : NULL;
    const union ncs_arg *id = call && ncs_is_init(call) && !q->journal->hosts_lost ? ncs_call_arg(call, NCS_ARG_ID) : NULL;
    const struct ncs_host_step *set = id ? setter_of(q, id->u) : NULL;
    if (!set || !overwritten_id_fill(q, set->what, d))
        return false;
    if (r->kind == NCS_CAUSE_FAILED) {
        d->order = call->id;
        ncs_set_title(q, d, call);
    } else {
        ncs_fill_unmet(q, d, r->unmet, 0);
    }
    return true;
}

const struct ncs_rule ncs_rule_overwritten_id = { .match = overwritten_id_match, .ground = NCS_GROUND_NOTICED };
