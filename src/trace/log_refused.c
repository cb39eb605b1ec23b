/* Calls that did not take place although they have a line. NCCL checks a call before it logs it, so a refused call
 * leaves a warning only; but in a group it takes the whole group with it, and that has lines: those of the calls before
 * it and behind it. The end of such a group has no line (NCCL 2.30.7, src/group.cc). */
#include <string.h>

#include "trace/log.h"

enum {
    SUSPECTS_BEHIND = 16,
    REFUSED_SLOTS = 256, /* ranks of a communicator, or pairs, that are looked at */
};

static void push_suspect(struct log *l, const struct log_recent *call, unsigned distance, bool certain)
{
    struct log_suspect s = { .rank = call->rank, .call = call->call, .distance = distance, .certain = certain };
    NCS_PUSH(l->suspect, l->suspects, l->suspect_room, s);
}

void ncs_log_remember(struct log *l, struct log_thread *t, int rank, size_t call)
{
    struct log_recent own = { rank, call };
    if (t->spoilt)
        push_suspect(l, &own, 1, true);
    else if (t->behind)
        push_suspect(l, &own, (unsigned)(SUSPECTS_BEHIND - --t->behind), false);
    if (t->recents < LOG_RECENT) {
        NCS_PUSH(t->recent, t->recents, t->recent_room, own);
        return;
    }
    t->recent[t->newest] = own;
    t->newest = (t->newest + 1) % LOG_RECENT;
}

void ncs_log_refused(struct log *l, struct log_thread *t, bool groups)
{
    if (groups && t->depth == 0)
        return; /* that call alone */
    for (size_t n = 0; groups && n < t->group_calls; n++)
        push_suspect(l, &t->group_call[n], 1, true);
    for (size_t n = 0; !groups && n < t->recents; n++)
        push_suspect(l, &t->recent[(t->newest + n) % t->recents], (unsigned)(t->recents - n), false);
    t->group_calls = t->recents = t->newest = 0;
    t->behind = t->depth > 1 ? 0 : SUSPECTS_BEHIND;
    t->spoilt = t->depth > 1;
    t->depth = t->depth > 1 ? t->depth : 0;
}

void ncs_log_failed_group(struct log *l, struct log_thread *t)
{
    for (size_t n = 0; n < t->group_calls; n++)
        push_suspect(l, &t->group_call[n], (unsigned)(t->group_calls - n), false);
    t->group_calls = 0;
    t->depth = 0;
}

/* ---- which of them no other call can meet ---- */

struct refusals {
    struct log *log;
    struct ncs_map distance; /* suspects: rank and call -> distance + 1 */
    struct ncs_map dropped;  /* rank and call */
    struct ncs_map done;     /* slots */
    size_t drops;
};

/* Calls that meet calls of another rank in their order: those of a rank on a communicator, or to or from a peer. */
struct refused_slot {
    int comm, comm_rank, peer; /* peer: -1 = collectives */
    bool sends;
};

struct refused_calls {
    size_t *at;
    size_t count, room;
    int rank;
};

static struct refused_slot refused_slot_of(const struct record_call *c)
{
    bool pair = ncs_fn_info[c->fn].pair;
    return (struct refused_slot){ c->comm, c->comm_rank, pair ? c->root : -1, pair && c->fn == NCS_FN_ncclSend };
}

static bool in_slot(const struct record_call *c, const struct refused_slot *slot)
{
    return c->comm == slot->comm && c->comm_rank == slot->comm_rank && ncs_fn_info[c->fn].counted &&
           (slot->peer < 0 ? !ncs_fn_info[c->fn].pair
                           : ncs_fn_info[c->fn].pair && c->root == slot->peer && (c->fn == NCS_FN_ncclSend) == slot->sends);
}

static struct refused_calls calls_in(const struct refusals *all, const struct refused_slot *slot)
{
    const struct record *r = all->log->record;
    struct refused_calls list = { .rank = r->comm[slot->comm].rank[slot->comm_rank] };
    const struct record_rank *own = list.rank >= 0 ? &r->rank[list.rank] : NULL;
    for (size_t n = 0; own && n < own->calls; n++)
        if (in_slot(&own->call[n], slot) && !ncs_map_number(&all->dropped, ncs_log_key((uint64_t)list.rank, n)))
            NCS_PUSH(list.at, list.count, list.room, n);
    return list;
}

/* The calls that those of the slot meet; of several ranks those of the one with fewest. False = no rank's are known. */
static bool partners_of(const struct refusals *all, const struct refused_slot *slot, struct refused_calls *least)
{
    const struct record *r = all->log->record;
    const struct record_comm *comm = &r->comm[slot->comm];
    bool any = false;
    for (int k = slot->peer < 0 ? 0 : slot->peer; k < comm->nranks && (slot->peer < 0 || k == slot->peer); k++) {
        struct refused_slot other = { slot->comm, k, slot->peer < 0 ? -1 : slot->comm_rank, slot->peer >= 0 && !slot->sends };
        if (comm->rank[k] < 0 || !r->rank[comm->rank[k]].source || (slot->peer < 0 && k == slot->comm_rank))
            continue;
        struct refused_calls list = calls_in(all, &other);
        bool better = !any || list.count < least->count;
        ncs_free(better && any ? least->at : better ? NULL : list.at);
        *least = better ? list : *least;
        any = true;
    }
    return any;
}

static bool refused_meets(const struct record_call *a, const struct record_call *b)
{
    bool pair = ncs_fn_info[a->fn].pair;
    return a->count == b->count && a->dtype == b->dtype && (pair || (a->fn == b->fn && a->root == b->root));
}

static void drop_call(struct refusals *all, struct refused_calls *list, size_t n)
{
    ncs_map_put_number(&all->dropped, ncs_log_key((uint64_t)list->rank, list->at[n]), 1);
    memmove(&list->at[n], &list->at[n + 1], (list->count - n - 1) * sizeof *list->at);
    list->count--;
    all->drops++;
}

static size_t suspicion(const struct refusals *all, const struct refused_calls *list, size_t n)
{
    return ncs_map_number(&all->distance, ncs_log_key((uint64_t)list->rank, list->at[n]));
}

/* First those that differ from the call that they would meet, then the ones next to a refused call. */
static void drop_excess(struct refusals *all, struct refused_calls *own, const struct refused_calls *other)
{
    const struct record *r = all->log->record;
    for (size_t n = 0; n < own->count && own->count > other->count;) {
        bool meet = n < other->count &&
                    refused_meets(&r->rank[own->rank].call[own->at[n]], &r->rank[other->rank].call[other->at[n]]);
        if (!meet && n < other->count && suspicion(all, own, n))
            drop_call(all, own, n);
        else
            n++;
    }
    while (own->count > other->count) {
        size_t best = 0;
        for (size_t n = 1; n < own->count; n++) {
            size_t is = suspicion(all, own, n), was = suspicion(all, own, best);
            best = is && (!was || is < was) ? n : best;
        }
        if (!suspicion(all, own, best))
            return;
        drop_call(all, own, best);
    }
}

static void look_at_slot(struct refusals *all, const struct refused_slot *slot)
{
    struct refused_calls own = calls_in(all, slot), other = { 0 };
    size_t suspects = 0;
    for (size_t n = 0; n < own.count; n++)
        suspects += suspicion(all, &own, n) > 0;
    if (own.rank >= 0 && partners_of(all, slot, &other) && own.count > other.count && own.count - other.count <= suspects)
        drop_excess(all, &own, &other);
    ncs_free(own.at);
    ncs_free(other.at);
}

static void remove_dropped(struct record *r, const struct ncs_map *dropped)
{
    for (int k = 0; k < r->ranks; k++) {
        struct record_rank *own = &r->rank[k];
        size_t kept = 0;
        for (size_t n = 0; n < own->calls; n++)
            if (!ncs_map_number(dropped, ncs_log_key((uint64_t)k, n)))
                own->call[kept++] = own->call[n];
        r->calls -= own->calls - kept;
        own->calls = kept;
    }
}

static void collect_suspects(struct refusals *all)
{
    for (size_t n = 0; n < all->log->suspects; n++) {
        const struct log_suspect *s = &all->log->suspect[n];
        uint64_t call = ncs_log_key((uint64_t)s->rank, s->call);
        size_t known = ncs_map_number(&all->distance, call);
        if (s->certain && !ncs_map_number(&all->dropped, call)) {
            ncs_map_put_number(&all->dropped, call, 1);
            all->drops++;
        }
        if (!known || s->distance + 1 < known)
            ncs_map_put_number(&all->distance, call, s->distance + 1);
    }
}

void ncs_log_drop_refused(struct log *l)
{
    struct refusals all = { .log = l };
    collect_suspects(&all);
    for (size_t n = 0; n < l->suspects && all.done.count < REFUSED_SLOTS; n++) {
        struct refused_slot slot = refused_slot_of(&l->record->rank[l->suspect[n].rank].call[l->suspect[n].call]);
        uint64_t key = ncs_log_key(ncs_log_key((uint64_t)slot.comm, (uint64_t)slot.comm_rank),
                                   ncs_log_key((uint64_t)slot.peer, slot.sends));
        bool known = slot.peer < l->record->comm[slot.comm].nranks && !ncs_map_number(&all.done, key);
        ncs_map_put_number(&all.done, key, 1);
        if (known)
            look_at_slot(&all, &slot);
    }
    if (all.drops) {
        remove_dropped(l->record, &all.dropped);
        ncs_record_note(l->record, "%zu call%s left out: %s group failed, see the warning at %s:%d", all.drops,
                        all.drops == 1 ? " is" : "s are", all.drops == 1 ? "its" : "their", l->refusal_file, l->first_refusal);
    }
    ncs_map_free(&all.distance);
    ncs_map_free(&all.dropped);
    ncs_map_free(&all.done);
}
