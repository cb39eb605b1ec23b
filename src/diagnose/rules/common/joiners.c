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

static struct ncs_fact fact_joined(const struct ncs_call *const *call, size_t count)
{
    int *rank = ncs_new((count + 1) * sizeof *rank);
    for (size_t i = 0; i < count; i++)
        rank[i] = call[i]->rank;
    struct ncs_fact fact = ncs_fact_ranks("who", rank, count);
    ncs_free(rank);
    return fact;
}

static struct ncs_sentence *say_size(const struct ncs_analysis *q, const struct joiners *j, const struct ncs_call *of,
                                     struct ncs_sentence *before)
{
    const struct ncs_call **like = ncs_new(j->count * sizeof *like);
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (nranks_given(j->call[i]) == nranks_given(of))
            like[count++] = j->call[i];
    before = ncs_say(joiners_size, ncs_fact_sentence("before", before), ncs_fact_number("nranks", nranks_given(of)),
                     fact_joined(like, count), ncs_fact_call("call", q->journal, of));
    ncs_free(like);
    return before;
}

/* Ranks pass different nranks. Fills why, fix, culprits and evidence; false = all passed the
 * same. */
static bool sizes_differ(const struct ncs_analysis *q, const struct joiners *j, struct ncs_draft *d)
{
    if (!j->count || joiners_votes(j, nranks_given(j->call[0])) == j->count)
        return false;
    bool tied;
    const struct ncs_call *best = joiners_commonest(q, j, &tied);
    struct ncs_sentence *sizes = NULL, *change = NULL;
    for (size_t i = 0; i < j->count; i++) {
        const struct ncs_call *c = j->call[i];
        bool unlike = nranks_given(c) != nranks_given(best), listed = false;
        if (unlike || tied)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
        for (size_t k = 0; k < i; k++)
            listed |= nranks_given(j->call[k]) == nranks_given(c);
        if (unlike && !listed)
            sizes = say_size(q, j, c, sizes);
    }
    size_t agree = joiners_votes(j, nranks_given(best));
    d->f.why = ncs_say(joiners_sizes_why, ncs_fact_call("call", q->journal, best),
                       ncs_fact_sentence("sizes", say_size(q, j, best, sizes)));
    d->f.evidence = ncs_say(joiners_sizes_evidence, ncs_fact_is("tied", tied), ncs_fact_is("most", 2 * agree > j->count),
                            ncs_fact_number("agree", (int64_t)agree), ncs_fact_number("all", (int64_t)j->count),
                            ncs_fact_number("ranks", q->ranks));
    for (size_t i = 0; i < d->f.culprits; i++)
        change = ncs_say(joiners_change, ncs_fact_sentence("before", change), ncs_fact_rank("who", d->f.culprit[i].rank),
                         ncs_fact_line("line", d->f.culprit[i].line));
    d->f.fix = ncs_say(joiners_sizes_fix, ncs_fact_is("tied", tied), ncs_fact_number("nranks", nranks_given(best)),
                       ncs_fact_sentence("change", change));
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

/* "ranks 0, 1 of the run both join comm1 as rank 0 of 4 (ncclCommInitRank at line 3) and nobody as ranks 1, 2" */
static struct ncs_sentence *say_twins(const struct ncs_analysis *q, const struct ncs_call *const *twin, size_t twins,
                                      const int *unused, size_t count)
{
    struct ncs_sentence *lines = NULL;
    for (size_t i = 1; i < twins; i++)
        if (twin[i]->place.line != twin[i - 1]->place.line)
            lines = ncs_say(joiners_line, ncs_fact_sentence("before", lines), ncs_fact_line("line", twin[i]->place.line));
    return ncs_say(joiners_twins_why, fact_joined(twin, twins), ncs_fact_is("both", twins == 2),
                   ncs_fact_call("call", q->journal, twin[0]), ncs_fact_number("number", twin[0]->comm_rank),
                   ncs_fact_number("nranks", nranks_given(twin[0])), ncs_fact_sentence("lines", lines),
                   ncs_fact_ranks("unused", unused, count));
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
static bool rank_twice(const struct ncs_analysis *q, const struct joiners *j, struct ncs_draft *d)
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
    d->f.why = say_twins(q, twin, twins, unused, count);
    const struct ncs_call *right = twin_in_place(q, twin, twins), *wrong = twin[twin[0] == right];
    d->f.evidence = ncs_say(joiners_twins_evidence, ncs_fact_is("right", right));
    for (size_t i = 0; i < twins; i++)
        if (twin[i] != right)
            ncs_add_culprit(d, twin[i]->rank, 0, twin[i]->place.line);
    if (!right || !others_in_place(j, twin, twins))
        ncs_finding_doubt(&d->f, "it could also be that a rank joins with a wrong number that no other rank has");
    d->f.fix = ncs_say(joiners_twins_fix, ncs_fact_is("unused", count), ncs_fact_is("each", twins > 2),
                       ncs_fact_is("right", right), ncs_fact_call("wrong", q->journal, wrong),
                       ncs_fact_number("free", unused[0]));
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
static bool left_again(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct joiners *j, struct ncs_draft *d)
{
    const char *comm = ncs_comm_name(q, n->comm);
    for (size_t i = 0; i < j->count; i++) {
        const struct ncs_call *left = leaving(q, j->call[i]);
        if (!left)
            continue;
        ncs_add_culprit(d, left->rank, 0, left->place.line);
        d->f.why = ncs_say(joiners_left_why, ncs_fact_sentence("before", d->f.why), ncs_fact_call("left", q->journal, left),
                           ncs_fact_is("aborted", left->fn == NCS_FN_ncclCommAbort), ncs_fact_text("comm", comm));
        d->f.fix = ncs_say(joiners_left_fix, ncs_fact_sentence("before", d->f.fix), ncs_fact_rank("who", left->rank),
                           ncs_fact_text("comm", comm));
    }
    for (size_t i = 0; i < n->absents && d->f.why; i++) {
        const struct ncs_absent *a = &n->absent[i];
        if (a->rank < 0 || joins_as(j, a->comm_rank, 0))
            continue;
        ncs_add_culprit(d, a->rank, 0, 0);
        d->f.why = ncs_say(joiners_never_why, ncs_fact_sentence("before", d->f.why), ncs_fact_rank("who", a->rank));
        d->f.fix = ncs_say(joiners_never_fix, ncs_fact_sentence("before", d->f.fix), ncs_fact_rank("who", a->rank));
    }
    return d->f.why;
}

bool ncs_joiners_clash(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d)
{
    struct joiners j = { 0 };
    joiners_find_joiners(q, n, &j);
    /* sizes first: with different sizes equal rank numbers may be right */
    bool clash = sizes_differ(q, &j, d) || rank_twice(q, &j, d) || left_again(q, n, &j, d);
    ncs_free(j.call);
    return clash;
}

struct ncs_sentence *ncs_say_growth(const struct ncs_analysis *q, const struct ncs_unmet *n, const int *absent, size_t count)
{
    const struct ncs_comm_info *info = q->journal->comm[n->comm];
    const struct ncs_comm_info *old = info->parent >= 0 && n->call->comm_rank >= 0 &&
                                              n->call->comm_rank >= q->journal->comm[info->parent]->nranks
                                          ? q->journal->comm[info->parent]
                                          : info;
    size_t olds = 0; /* absent ranks below the old size are old ranks: growth keeps their numbers */
    while (olds < count && absent[olds] < old->nranks)
        olds++;
    return ncs_say(growth, ncs_fact_ranks("olds", absent, olds), ncs_fact_text("old", old->name),
                   ncs_fact_call("call", q->journal, old == info ? n->call : NULL),
                   ncs_fact_ranks("news", absent + olds, count - olds));
}
