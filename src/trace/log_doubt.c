/* What else a log can mean, because of what it does not show. Each text weakens all findings, so each is given only
 * where the record has what it is about. */
#include "trace/log.h"

static uint64_t unseen_key(uint64_t what, const struct record_call *c, int src, int dst)
{
    return ncs_hash(ncs_hash(ncs_log_key(what, (uint64_t)c->comm), (uint64_t)src), (uint64_t)dst);
}

static void chain(struct ncs_map *m, uint64_t key, uint64_t value)
{
    uint64_t next = ncs_hash(ncs_map_number(m, key) + 1, value);
    ncs_map_put_number(m, key, next ? next : 1);
}

static uint64_t message_key(const struct record_call *c, bool of_sends)
{
    bool sends = c->fn == NCS_FN_ncclSend;
    return unseen_key(of_sends ? 23 : 29, c, sends ? c->comm_rank : c->root, sends ? c->root : c->comm_rank);
}

/* True if each call meets equal ones of its partners, in the order of each communicator and of each pair. */
static bool all_meet(const struct record *r)
{
    struct ncs_map order = { 0 };
    bool meet = true;
    for (int k = 0; k < r->ranks; k++)
        for (size_t n = 0; n < r->rank[k].calls; n++) {
            const struct record_call *c = &r->rank[k].call[n];
            uint64_t size = ncs_log_key(c->count, (uint64_t)c->dtype);
            if (ncs_record_is_collective(c))
                chain(&order, unseen_key(31, c, c->comm_rank, 0), ncs_hash(ncs_hash(size, (uint64_t)c->fn), (uint64_t)c->root));
            else if (ncs_fn_info[c->fn].counted)
                chain(&order, message_key(c, c->fn == NCS_FN_ncclSend), size);
        }
    for (int k = 0; k < r->ranks && meet; k++)
        for (size_t n = 0; n < r->rank[k].calls && meet; n++) {
            const struct record_call *c = &r->rank[k].call[n];
            int next = (c->comm_rank + 1) % r->comm[c->comm].nranks;
            if (ncs_record_is_collective(c)) /* each rank is compared with the next one, which goes around */
                meet = ncs_map_number(&order, unseen_key(31, c, c->comm_rank, 0)) ==
                       ncs_map_number(&order, unseen_key(31, c, next, 0));
            else if (ncs_fn_info[c->fn].counted)
                meet = ncs_map_number(&order, message_key(c, true)) == ncs_map_number(&order, message_key(c, false));
        }
    ncs_map_free(&order);
    return meet;
}

/* The first call of the rank that a member of its communicator has not made; SIZE_MAX = none. */
static size_t first_unmet(const struct record *r, int rank, const size_t *least, size_t *made)
{
    const struct record_rank *own = &r->rank[rank];
    size_t unmet = SIZE_MAX;
    for (size_t n = 0; n < own->calls; n++) /* what an earlier rank has left */
        made[own->call[n].comm] = 0;
    for (size_t n = 0; n < own->calls && unmet == SIZE_MAX; n++) {
        const struct record_call *c = &own->call[n];
        if (ncs_record_is_collective(c) && ++made[c->comm] > least[c->comm] && !c->state)
            unmet = n;
    }
    return unmet;
}

/* The fewest collectives that a known member has made, by communicator. */
static size_t *least_calls(const struct record *r)
{
    size_t *least = ncs_new(r->comms * sizeof *least);
    struct ncs_map made = { 0 };
    for (int k = 0; k < r->ranks; k++)
        for (size_t n = 0; n < r->rank[k].calls; n++) {
            const struct record_call *c = &r->rank[k].call[n];
            if (ncs_record_is_collective(c))
                ncs_map_put_number(&made, ncs_log_key((uint64_t)k, (uint64_t)c->comm),
                                   ncs_map_number(&made, ncs_log_key((uint64_t)k, (uint64_t)c->comm)) + 1);
        }
    for (size_t i = 0; i < r->comms; i++) {
        least[i] = SIZE_MAX;
        for (int k = 0; k < r->comm[i].nranks; k++) {
            size_t calls = ncs_map_number(&made, ncs_log_key((uint64_t)r->comm[i].rank[k], i));
            least[i] = calls < least[i] ? calls : least[i];
        }
    }
    ncs_map_free(&made);
    return least;
}

/* A rank that makes a communicator while a call of its has no partner may have aborted the one of that call. Lines of
 * CALL do not show aborts. NULL = there is no such rank. */
static const char *maybe_aborted(const struct record *r)
{
    size_t *least = least_calls(r), *made = ncs_new(r->comms * sizeof *made);
    const char *name = NULL;
    for (int k = 0; k < r->ranks && !name; k++) {
        size_t unmet = r->comms ? first_unmet(r, k, least, made) : SIZE_MAX;
        for (size_t n = unmet; n < r->rank[k].calls && !name; n++)
            if (r->rank[k].call[n].fn == NCS_FN_ncclCommInitRank)
                name = r->comm[r->rank[k].call[unmet].comm].name;
    }
    ncs_free(least);
    ncs_free(made);
    return name;
}

/* A communicator on which a rank has calls, and whose parent it has aborted; -1 = none. */
static int child_of_aborted(const struct record *r)
{
    struct ncs_map aborted = { 0 };
    int child = -1;
    for (int k = 0; k < r->ranks; k++)
        for (size_t n = 0; n < r->rank[k].calls; n++)
            if (r->rank[k].call[n].fn == NCS_FN_ncclCommAbort)
                ncs_map_put_number(&aborted, ncs_log_key((uint64_t)k, (uint64_t)r->rank[k].call[n].comm), 1);
    for (int k = 0; k < r->ranks && child < 0 && aborted.count; k++)
        for (size_t n = 0; n < r->rank[k].calls && child < 0; n++) {
            const struct record_call *c = &r->rank[k].call[n];
            int parent = r->comm[c->comm].split_from;
            if (ncs_fn_info[c->fn].counted && !c->state && parent >= 0 &&
                ncs_map_number(&aborted, ncs_log_key((uint64_t)k, (uint64_t)parent)))
                child = c->comm;
        }
    ncs_map_free(&aborted);
    return child;
}

void ncs_log_doubt_unseen(struct log *l)
{
    struct record *r = l->record;
    struct ncs_str text = { 0 };
    int child = child_of_aborted(r), silent = 0;
    const char *aborted = l->any_made && !l->has_inits.count ? maybe_aborted(r) : NULL;
    while (silent < r->ranks && r->rank[silent].source)
        silent++;
    if (r->trace->doubt)
        return;
    if (child >= 0)
        ncs_str_addf(&text,
                     "it could also be that %s shares the resources of %s and was aborted with it: a log does not show "
                     "splitShare",
                     r->comm[child].name, r->comm[r->comm[child].split_from].name);
    else if (aborted)
        ncs_str_addf(&text,
                     "it could also be that ranks aborted %s: lines of CALL do not show that, those of INIT and "
                     "DESTROY do",
                     aborted);
    else if (l->groupless && !l->shows_groups && all_meet(r))
        ncs_str_add(&text, "it could also be that these calls are in one group: this log does not show groups");
    else if (silent < r->ranks)
        ncs_str_addf(&text, "it could also be that the log lacks lines of other ranks, too: it has none of rank %d", silent);
    if (text.bytes)
        r->trace->doubt = ncs_str_take(&text);
}
