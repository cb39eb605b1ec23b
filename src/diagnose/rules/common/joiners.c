/* The ranks that join one communicator, by init or growth, and how their arguments contradict each
 * other. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* All calls that join one communicator, also failed ones, by rank of the run. */
struct joiners {
    const struct ncs_call **call;
    size_t count, room;
};

static int nranks_given(const struct ncs_call *c)
{
    return (int)c->arg[1].i;
}

/* True if one is the other, or grew out of it: old ranks name the parent, new ones the child. */
static bool same_growth(const struct ncs_analysis *q, int comm, int other)
{
    return comm == other || q->journal->comm[comm]->parent == other || q->journal->comm[other]->parent == comm;
}

static bool joins(const struct ncs_analysis *q, const struct ncs_call *c, const struct ncs_unmet *n)
{
    if (c->comm < 0 || n->comm < 0 || c->fn == NCS_FN_ncclCommInitAll)
        return false;
    if (n->call && n->call->fn == NCS_FN_ncclCommGrow)
        return c->fn == NCS_FN_ncclCommGrow && same_growth(q, c->comm, n->comm);
    return ncs_is_init(c) && c->comm == n->comm;
}

/* A communicator may have grown before, so only the last call of each thread counts. */
static void joiners_forget(struct joiners *j, int rank, int thread)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->call[i]->rank != rank || j->call[i]->thread != thread)
            j->call[kept++] = j->call[i];
    j->count = kept;
}

/* Sorted by rank of the run: the order of calls depends on the schedule. */
static void joiners_find_joiners(const struct ncs_analysis *q, const struct ncs_unmet *n, struct joiners *out)
{
    for (size_t i = 0; i < q->rares; i++) {
        const struct ncs_call *c = q->rare[i];
        if (!joins(q, c, n))
            continue;
        if (c->fn == NCS_FN_ncclCommGrow)
            joiners_forget(out, c->rank, c->thread);
        size_t at = out->count;
        NCS_PUSH(out->call, out->count, out->room, c);
        for (; at > 0 && out->call[at - 1]->rank > c->rank; at--)
            out->call[at] = out->call[at - 1];
        out->call[at] = c;
    }
}

static size_t joiners_votes(const struct joiners *j, int nranks)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count; i++)
        n += nranks_given(j->call[i]) == nranks;
    return n;
}

/* The size that most ranks gave; of equals one that the run has enough ranks for. *tied = there is
 * another such. */
static const struct ncs_call *joiners_commonest(const struct ncs_analysis *q, const struct joiners *j, bool *tied)
{
    const struct ncs_call *best = j->call[0];
    for (size_t i = 0; i < j->count; i++) {
        int a = nranks_given(j->call[i]), b = nranks_given(best);
        bool better = (a <= q->ranks) > (b <= q->ranks);
        if (joiners_votes(j, a) > joiners_votes(j, b) || (joiners_votes(j, a) == joiners_votes(j, b) && better))
            best = j->call[i];
    }
    *tied = false;
    for (size_t i = 0; i < j->count; i++) {
        int a = nranks_given(j->call[i]), b = nranks_given(best);
        *tied |= a != b && joiners_votes(j, a) == joiners_votes(j, b) && (a <= q->ranks) == (b <= q->ranks);
    }
    return best;
}

static void format_size(const struct joiners *j, const struct ncs_call *of, struct ncs_str *s)
{
    int *ranks = ncs_new(j->count * sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (nranks_given(j->call[i]) == nranks_given(of))
            ranks[count++] = j->call[i]->rank;
    ncs_str_addf(s, "%d on ", nranks_given(of));
    ncs_format_ranks(s, ranks, count);
    ncs_format_place(s, of);
    ncs_free(ranks);
}

/* Ranks pass different nranks. Fills why, fix, culprits and evidence; false = all passed the
 * same. */
static bool sizes_differ(const struct ncs_analysis *q, const struct joiners *j, struct ncs_draft *d, struct ncs_str *why,
                         struct ncs_str *fix)
{
    if (!j->count || joiners_votes(j, nranks_given(j->call[0])) == j->count)
        return false;
    bool tied;
    const struct ncs_call *best = joiners_commonest(q, j, &tied);
    ncs_str_addf(why, "the ranks that join %s with %s passed different nranks: ", ncs_comm_name(q, best->comm),
                 ncs_fn_info[best->fn].name);
    for (size_t i = 0; i < j->count; i++) {
        const struct ncs_call *c = j->call[i];
        bool unlike = nranks_given(c) != nranks_given(best), listed = false;
        if (unlike || tied)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
        for (size_t k = 0; k < i; k++)
            listed |= nranks_given(j->call[k]) == nranks_given(c);
        if (!unlike || listed)
            continue;
        format_size(j, c, why);
        ncs_str_add(why, ", ");
    }
    format_size(j, best, why);
    size_t agree = joiners_votes(j, nranks_given(best));
    d->f.evidence = ncs_plain(tied                   ? ncs_copy_text("no size is the commonest, so all ranks are named")
                              : 2 * agree > j->count ? ncs_text("by the majority: %zu of %zu ranks agree", agree, j->count)
                                                     : ncs_text("by the run, which has %d ranks", q->ranks));
    if (tied) {
        ncs_str_add(fix, "pass the same nranks on every rank");
        return true;
    }
    ncs_str_addf(fix, "pass nranks = %d on ", nranks_given(best));
    for (size_t i = 0; i < d->f.culprits; i++) {
        ncs_str_addf(fix, "%srank %d", i ? ", " : "", d->f.culprit[i].rank);
        if (d->f.culprit[i].line)
            ncs_str_addf(fix, " (line %d)", d->f.culprit[i].line);
    }
    ncs_str_add(fix, " as well");
    return true;
}

/* The first call from index `from` on that joins as this rank; NULL = none. */
static const struct ncs_call *joins_as(const struct joiners *j, int comm_rank, size_t from)
{
    for (size_t i = from; i < j->count; i++)
        if (j->call[i]->comm_rank == comm_rank)
            return j->call[i];
    return NULL;
}

/* The ranks of the run that join as this rank; returns how many. `twins` has room for all joiners. */
static size_t twins_of(const struct joiners *j, int comm_rank, const struct ncs_call **twins)
{
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (j->call[i]->comm_rank == comm_rank)
            twins[count++] = j->call[i];
    return count;
}

static void format_ranks_of_calls(struct ncs_str *s, const struct ncs_call *const *call, size_t count)
{
    int *rank = ncs_new((count + 1) * sizeof *rank);
    for (size_t i = 0; i < count; i++)
        rank[i] = call[i]->rank;
    ncs_format_ranks(s, rank, count);
    ncs_free(rank);
}

/* "ranks 0, 1 of the run both join comm1 as rank 0 of 4 (ncclCommInitRank at line 3) and nobody as ranks 1, 2" */
static void format_twins(const struct ncs_analysis *q, const struct ncs_call *const *twin, size_t twins, const int *unused,
                         size_t count, struct ncs_str *why)
{
    const struct ncs_call *a = twin[0];
    format_ranks_of_calls(why, twin, twins);
    ncs_str_addf(why, " of the run %s join %s as rank %d of %d (%s", twins == 2 ? "both" : "all", ncs_comm_name(q, a->comm),
                 a->comm_rank, nranks_given(a), ncs_fn_info[a->fn].name);
    ncs_format_place(why, a);
    for (size_t i = 1; i < twins; i++)
        if (twin[i]->place.line != twin[i - 1]->place.line)
            ncs_str_addf(why, " and line %d", twin[i]->place.line);
    ncs_str_add(why, ")");
    ncs_str_add(why, count ? " and nobody as " : "");
    if (count)
        ncs_format_ranks(why, unused, count);
}

/* The only one of the twins that is not out of place, if the communicator spans the run: that whose own number it is. NULL = none. */
static const struct ncs_call *twin_in_place(const struct ncs_analysis *q, const struct ncs_call *const *twin, size_t twins)
{
    for (size_t i = 0; i < twins && nranks_given(twin[0]) == q->ranks; i++)
        if (twin[i]->rank == twin[i]->comm_rank)
            return twin[i];
    return NULL;
}

static bool others_in_place(const struct joiners *j, const struct ncs_call *const *twin, size_t twins)
{
    for (size_t i = 0; i < j->count; i++) {
        bool own = j->call[i]->rank == j->call[i]->comm_rank;
        for (size_t k = 0; k < twins; k++)
            own |= j->call[i] == twin[k];
        if (!own)
            return false;
    }
    return true;
}

/* Several ranks join as the same rank. If the communicator spans the run, the one whose own number it is most likely has it
 * right. */
static bool rank_twice(const struct ncs_analysis *q, const struct joiners *j, struct ncs_draft *d, struct ncs_str *why,
                       struct ncs_str *fix)
{
    const struct ncs_call **twin = ncs_new((j->count + 1) * sizeof *twin);
    size_t twins = 0, count = 0;
    for (size_t i = 0; i < j->count && twins < 2; i++)
        twins = twins_of(j, j->call[i]->comm_rank, twin);
    if (twins < 2) {
        ncs_free(twin);
        return false;
    }
    int nranks = nranks_given(twin[0]), *unused = ncs_new((j->count + 1) * sizeof *unused);
    for (int r = 0; r < nranks && count < j->count; r++)
        if (!joins_as(j, r, 0))
            unused[count++] = r;
    format_twins(q, twin, twins, unused, count, why);
    const struct ncs_call *right = twin_in_place(q, twin, twins), *wrong = twin[twin[0] == right];
    d->f.evidence = ncs_plain(
        ncs_copy_text(right ? "the other one has the same rank in the run" : "nothing tells them apart, so all are named"));
    for (size_t i = 0; i < twins; i++)
        if (twin[i] != right)
            ncs_add_culprit(d, twin[i]->rank, 0, twin[i]->place.line);
    if (!right || !others_in_place(j, twin, twins))
        ncs_finding_doubt(&d->f, "it could also be that a rank joins with a wrong number that no other rank has");
    if (!count)
        ncs_str_add(fix, "let only one of them join");
    else if (twins == 2 && right)
        ncs_str_addf(fix, "let rank %d pass rank = %d", wrong->rank, unused[0]);
    else
        ncs_str_add(fix, twins == 2 ? "let one of the two" : "let each of them pass a rank of its own");
    if (count && twins == 2 && !right)
        ncs_str_addf(fix, " pass rank = %d", unused[0]);
    if (count)
        ncs_format_place(fix, wrong);
    ncs_free(unused);
    ncs_free(twin);
    return true;
}

/* The call by which the rank left the communicator before all had joined; NULL = none. */
static const struct ncs_call *leaving(const struct ncs_analysis *q, const struct ncs_call *joined)
{
    const struct ncs_ranks_of_comm *of = &q->comm[joined->comm];
    for (size_t i = 0; i < of->rares; i++)
        if (of->rare[i]->id > joined->id && of->rare[i]->comm_rank == joined->comm_rank &&
            ncs_fn_info[of->rare[i]->fn].ends == NCS_ENDS_COMM)
            return of->rare[i];
    return NULL;
}

/* Some rank joined and left again. Ranks that never came are then as much the cause, so they are
 * named, too. */
static bool left_again(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct joiners *j, struct ncs_draft *d,
                       struct ncs_str *why, struct ncs_str *fix)
{
    const char *comm = ncs_comm_name(q, n->comm);
    for (size_t i = 0; i < j->count; i++) {
        const struct ncs_call *left = leaving(q, j->call[i]);
        if (!left)
            continue;
        ncs_add_culprit(d, left->rank, 0, left->place.line);
        ncs_str_addf(why, "%srank %d %s %s", why->bytes ? ", " : "", left->rank,
                     left->fn == NCS_FN_ncclCommAbort ? "aborted" : "destroyed", comm);
        ncs_format_place(why, left);
        ncs_str_addf(fix, "%slet rank %d keep %s until all have joined it", fix->bytes ? ", " : "", left->rank, comm);
    }
    for (size_t i = 0; i < n->absents && why->bytes; i++) {
        const struct ncs_absent *a = &n->absent[i];
        if (a->rank < 0 || joins_as(j, a->comm_rank, 0))
            continue;
        ncs_add_culprit(d, a->rank, 0, 0);
        ncs_str_addf(why, ", rank %d never joined it", a->rank);
        ncs_str_addf(fix, ", and rank %d join it", a->rank);
    }
    return why->bytes > 0;
}

bool ncs_joiners_clash(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d, struct ncs_str *why,
                       struct ncs_str *fix)
{
    struct joiners j = { 0 };
    joiners_find_joiners(q, n, &j);
    /* sizes first: with different sizes equal rank numbers may be right */
    bool clash = sizes_differ(q, &j, d, why, fix) || rank_twice(q, &j, d, why, fix) || left_again(q, n, &j, d, why, fix);
    ncs_free(j.call);
    return clash;
}

void ncs_format_growth(const struct ncs_analysis *q, const struct ncs_unmet *n, const int *absent, size_t count,
                       struct ncs_str *s)
{
    const struct ncs_comm_info *info = q->journal->comm[n->comm];
    const struct ncs_comm_info *old = info->parent >= 0 && n->call->comm_rank >= 0 &&
                                              n->call->comm_rank >= q->journal->comm[info->parent]->nranks
                                          ? q->journal->comm[info->parent]
                                          : info;
    size_t olds = 0; /* absent ranks below the old size are old ranks: growth keeps their numbers */
    while (olds < count && absent[olds] < old->nranks)
        olds++;
    if (olds) {
        ncs_str_add(s, "let ");
        ncs_format_ranks(s, absent, olds);
        ncs_str_addf(s, " of %s call comm:grow", old->name);
        if (old == info)
            ncs_format_place(s, n->call);
        ncs_str_add(s, " too, as every old rank does");
    }
    if (olds == count)
        return;
    ncs_str_add(s, olds ? "; " : "");
    ncs_str_add(s, "join as ");
    ncs_format_ranks(s, absent + olds, count - olds);
    ncs_str_add(s, " with nccl.grow and the id that comm:unique_id gave");
}
