/* Where ranks diverge if their calls on all communicators are taken in one order. A cycle through several communicators
 * looks the same whether a rank uses them in another order or has left out a call. The calls that the others make
 * next, or made the last time, show which it is. */
#include "diagnose/analysis.h"

#include "base/hash.h"
#include "base/mem.h"

/* MOST_OFF: calls that a rank may have left out or made in excess. MOST_BETWEEN: distance of two exchanged calls.
 * MOST_GUESSED: calls that are not made yet. */
enum { MOST_OFF = 4, MOST_BETWEEN = 8, MOST_GUESSED = 8 };

struct entry {
    const struct ncs_call *call; /* of a guess: the earlier call that it repeats */
    uint64_t key;
};

struct line { /* the collectives of one rank, on whatever communicator */
    struct entry *at;
    size_t known, room;  /* with the guessed calls */
    size_t count;        /* calls that were made */
    uint64_t roles;      /* sum of the roles of the rank's communicators, equal for peers */
    int thread;
    bool mixed;          /* several threads made the calls, so they have no order */
};

struct lines {
    struct line *of; /* by rank of the run */
    int ranks;
};

/* Equal for the children of one split: ranks use the child that they are in. */
static uint64_t communicators_role_of(const struct ncs_analysis *q, int comm)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    return info->split && info->parent >= 0
               ? ncs_hash(ncs_hash(1, (uint64_t)info->parent), info->split)
               : ncs_hash(2, (uint64_t)comm);
}

static void communicators_collect(const struct ncs_analysis *q, struct lines *all)
{
    for (size_t i = 0; i < q->journal->comms; i++)
        for (int k = 0; k < q->journal->comm[i]->members; k++) {
            int rank = q->journal->comm[i]->member[k].rank;
            if (rank >= 0 && rank < all->ranks)
                all->of[rank].roles += communicators_role_of(q, (int)i);
        }
    for (size_t k = 0; k < q->index.mades; k++) {
        const struct ncs_made *m = &q->index.made[k];
        if (!m->signature || m->rank < 0 || m->rank >= all->ranks)
            continue;
        struct line *l = &all->of[m->rank];
        l->mixed |= l->count && l->thread != m->thread;
        l->thread = m->thread;
        struct entry e = { m->call, ncs_hash(communicators_role_of(q, m->call->comm), m->signature) };
        NCS_PUSH(l->at, l->known, l->room, e);
        l->count = l->known;
    }
}

static void communicators_release(struct lines *all)
{
    for (int r = 0; r < all->ranks; r++)
        ncs_free(all->of[r].at);
    ncs_free(all->of);
}

/* Guesses the next entries, for a rank that waits: a program is a loop mostly, so what followed the last two calls the
 * last time follows again. */
static void guess(struct line *l)
{
    for (int i = 0; i < MOST_GUESSED && l->known > 2; i++) {
        size_t last = l->known - 1, at = last;
        while (--at > 0)
            if (l->at[at].key == l->at[last].key && l->at[at - 1].key == l->at[last - 1].key)
                break;
        if (!at)
            return;
        struct entry next = l->at[at + 1];
        NCS_PUSH(l->at, l->known, l->room, next);
    }
}

static bool is_peer(const struct lines *all, int rank, int other)
{
    return all->of[other].roles == all->of[rank].roles && !all->of[other].mixed;
}

/* The first place at which two peers of the rank have made different calls; SIZE_MAX = none. */
static size_t find_place(const struct lines *all, int rank)
{
    for (size_t at = 0;; at++) {
        const struct entry *first = NULL;
        for (int r = 0; r < all->ranks; r++) {
            if (!is_peer(all, rank, r) || at >= all->of[r].count)
                continue;
            if (first && first->key != all->of[r].at[at].key)
                return at;
            first = &all->of[r].at[at];
        }
        if (!first)
            return SIZE_MAX;
    }
}

/* The rank with the longest line among the peers that make the most frequent call at the place; *minority is the one
 * with the longest line among the others. -1 = no call is made by most, or the others' calls differ, too. */
static int communicators_find_model(const struct lines *all, int rank, size_t at, int *minority)
{
    struct ncs_map made = { 0 }; /* key -> by how many */
    int model = -1;
    size_t there = 0, most = 0;
    for (int r = 0; r < all->ranks; r++) {
        if (!is_peer(all, rank, r) || at >= all->of[r].count)
            continue;
        there++;
        ncs_map_put_number(&made, all->of[r].at[at].key, ncs_map_number(&made, all->of[r].at[at].key) + 1);
    }
    for (int r = 0; r < all->ranks; r++) {
        bool comes = is_peer(all, rank, r) && at < all->of[r].count;
        size_t votes = comes ? ncs_map_number(&made, all->of[r].at[at].key) : 0;
        if (!comes)
            continue;
        if (votes > most || (votes == most && all->of[r].count > all->of[model].count)) {
            most = votes;
            model = r;
        }
    }
    ncs_map_free(&made);
    *minority = -1;
    for (int r = 0; r < all->ranks; r++) {
        if (!is_peer(all, rank, r) || at >= all->of[r].count ||
            all->of[r].at[at].key == all->of[model].at[at].key)
            continue;
        if (*minority >= 0 && all->of[r].at[at].key != all->of[*minority].at[at].key)
            return -1;
        if (*minority < 0 || all->of[r].count > all->of[*minority].count)
            *minority = r;
    }
    return 2 * most > there && *minority >= 0 ? model : -1;
}

static bool communicators_same_line(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->place.line == b->place.line && a->place.file == b->place.file;
}

/* The number of calls from there on that are alike, as far as both lines are known; -1 = some differ. */
static int communicators_count_alike(const struct line *a, size_t from_a, const struct line *b, size_t from_b,
                                     bool by_line)
{
    int alike = 0;
    for (; from_a < a->count && from_b < b->known; alike++) {
        const struct entry *x = &a->at[from_a++], *y = &b->at[from_b++];
        if (x->key != y->key || (by_line && !communicators_same_line(x->call, y->call)))
            return -1;
    }
    return alike;
}

static bool is_exchange(const struct line *minority, const struct line *model, size_t at)
{
    for (size_t d = 1; d <= MOST_BETWEEN && at + d < minority->count && at + d < model->known; d++)
        if (minority->at[at].key == model->at[at + d].key && minority->at[at + d].key == model->at[at].key)
            return communicators_count_alike(minority, at + d + 1, model, at + d + 1, false) >= 0;
    return false;
}

/* After a call that was left out, the rank's next calls are made at the others' lines of the program. Equal calls at
 * lines of its own show another order instead. */
static enum ncs_divergence_how communicators_explain(const struct line *minority, const struct line *model, size_t at,
                                                     uint32_t *shift)
{
    if (is_exchange(minority, model, at))
        return NCS_DIVERGENCE_SWAPPED;
    bool elsewhere = false;
    for (uint32_t n = 1; n <= MOST_OFF; n++) {
        *shift = n;
        if (communicators_count_alike(minority, at, model, at + n, true) > 0)
            return NCS_DIVERGENCE_SKIPPED;
        if (communicators_count_alike(minority, at + n, model, at, true) > 0)
            return NCS_DIVERGENCE_EXTRA;
        elsewhere |= communicators_count_alike(minority, at, model, at + n, false) > 0;
    }
    return elsewhere ? NCS_DIVERGENCE_SWAPPED : NCS_DIVERGENCE_NONE;
}

/* The unmet wait of the cycle on a communicator of that role at which the rank is present, or from which it is absent
 * without having ended. */
static const struct ncs_unmet *meeting(const struct ncs_analysis *q, const int *path, size_t length,
                                       uint64_t role, int rank, bool present)
{
    for (size_t i = 0; i < length; i++) {
        int at = ncs_node_unmet(q, path[i]);
        const struct ncs_unmet *n = at >= 0 ? &q->unmet[at] : NULL;
        if (!n || n->comm < 0 || communicators_role_of(q, n->comm) != role)
            continue;
        for (size_t k = 0; k < n->presents && present; k++)
            if (n->present[k]->rank == rank)
                return n;
        for (size_t k = 0; k < n->absents && !present; k++)
            if (n->absent[k].rank == rank && n->absent[k].reason == NCS_ABSENT_ELSEWHERE)
                return n;
    }
    return NULL;
}

/* True if all unmet waits of the cycle are counted collectives, on more than one communicator. */
static bool is_of_comms(const struct ncs_analysis *q, const int *path, size_t length)
{
    int first = -1;
    bool several = false;
    for (size_t i = 0; i < length; i++) {
        int at = ncs_node_unmet(q, path[i]);
        if (at < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[at];
        if (n->kind != NCS_UNMET_COLLECTIVE || ncs_is_meeting(n) || !n->call || !n->call->number)
            return false;
        several |= first >= 0 && n->comm != first;
        first = n->comm;
    }
    return several;
}

static bool judge_rank(const struct ncs_analysis *q, const int *path, size_t length,
                       struct lines *all, int rank, struct ncs_across *out)
{
    int minority;
    size_t at = all->of[rank].mixed ? SIZE_MAX : find_place(all, rank);
    int model = at == SIZE_MAX ? -1 : communicators_find_model(all, rank, at, &minority);
    if (model < 0)
        return false;
    guess(&all->of[model]);
    out->how = communicators_explain(&all->of[minority], &all->of[model], at, &out->shift);
    out->minority = minority;
    bool extra = out->how == NCS_DIVERGENCE_EXTRA;
    const struct ncs_call *call = all->of[extra ? minority : model].at[at].call;
    out->unmet = meeting(q, path, length, communicators_role_of(q, call->comm), minority, extra);
    out->call = extra ? call : NULL;
    return out->unmet && out->how != NCS_DIVERGENCE_NONE;
}

bool ncs_diverge_across(const struct ncs_analysis *q, const int *path, size_t length,
                     struct ncs_across *out)
{
    if (q->journal->dropped || !is_of_comms(q, path, length))
        return false;
    struct lines all = { ncs_new((size_t)q->ranks * sizeof *all.of), q->ranks };
    communicators_collect(q, &all);
    bool found = false;
    for (size_t i = 0; i < length && !found; i++) {
        int rank = ncs_node_rank(q, path[i]);
        found = rank >= 0 && judge_rank(q, path, length, &all, rank, out);
    }
    communicators_release(&all);
    return found;
}
