/* Rules about joining a communicator. */
#include "diagnose/rule.h"

#include <string.h>

#include "base/mem.h"

static bool is_root(const struct ncs_root *r)
{
    return (r->kind == NCS_ROOT_ABSENT || r->kind == NCS_ROOT_CYCLE) && r->need &&
           r->need->kind == NCS_NEED_INIT;
}

static bool took_own_id(const struct ncs_inquiry *q, int rank)
{
    for (const struct ncs_call *c = q->journal->oldest; c; c = c->newer)
        if (c->fn == NCS_FN_ncclGetUniqueId && c->rank == rank)
            return true;
    return false;
}

static int nranks_of(const struct ncs_inquiry *q, const struct ncs_need *n)
{
    return n->job >= 0 ? q->snap->job[n->job].nranks : (int)(n->presents + n->absents);
}

/* Different ids although one was meant: every rank that waits to join made an id of its own. */
static size_t unshared_ids(const struct ncs_inquiry *q, const struct ncs_need *need)
{
    size_t ids = 0;
    for (size_t i = 0; i < q->needs; i++) {
        const struct ncs_need *o = &q->need[i];
        if (o->kind != NCS_NEED_INIT)
            continue;
        bool own = o->presents > 0 && nranks_of(q, o) == nranks_of(q, need);
        for (size_t k = 0; k < o->presents && own; k++)
            own = took_own_id(q, o->present[k]->rank);
        if (!own)
            return 0;
        ids++;
    }
    return ids > 1 ? ids : 0;
}

static void blame_present(struct ncs_draft *d, const struct ncs_need *n)
{
    for (size_t i = 0; i < n->presents; i++)
        ncs_add_culprit(d, n->present[i]->rank, 0, n->present[i]->place.line);
}

/* Everybody's call to join one communicator, also those that failed since, by rank of the run. */
struct joiners {
    const struct ncs_call **call;
    size_t count, room;
};

static int nranks_given(const struct ncs_call *c)
{
    return (int)c->arg[1].i;
}

static void find_joiners(const struct ncs_inquiry *q, const struct ncs_need *n, struct joiners *out)
{
    for (const struct ncs_call *c = q->journal->oldest; c; c = c->newer) {
        if (!ncs_is_init(c) || c->fn == NCS_FN_ncclCommInitAll || c->comm != n->comm ||
            c->comm < 0)
            continue;
        size_t at = out->count;
        NCS_PUSH(out->call, out->count, out->room, c);
        for (; at > 0 && out->call[at - 1]->rank > c->rank; at--)
            out->call[at] = out->call[at - 1];
        out->call[at] = c;
    }
}

static size_t votes(const struct joiners *j, int nranks)
{
    size_t n = 0;
    for (size_t i = 0; i < j->count; i++)
        n += nranks_given(j->call[i]) == nranks;
    return n;
}

/* The size that most gave; of those given as often, one that the run has ranks for. */
static const struct ncs_call *commonest(const struct ncs_inquiry *q, const struct joiners *j,
                                        bool *even)
{
    const struct ncs_call *best = j->call[0];
    for (size_t i = 0; i < j->count; i++) {
        int a = nranks_given(j->call[i]), b = nranks_given(best);
        bool better = (a <= q->ranks) > (b <= q->ranks);
        if (votes(j, a) > votes(j, b) || (votes(j, a) == votes(j, b) && better))
            best = j->call[i];
    }
    *even = false;
    for (size_t i = 0; i < j->count; i++) {
        int a = nranks_given(j->call[i]), b = nranks_given(best);
        *even |= a != b && votes(j, a) == votes(j, b) && (a <= q->ranks) == (b <= q->ranks);
    }
    return best;
}

static void say_size(const struct joiners *j, const struct ncs_call *of, struct ncs_str *s)
{
    int *ranks = ncs_new(j->count * sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < j->count; i++)
        if (nranks_given(j->call[i]) == nranks_given(of))
            ranks[count++] = j->call[i]->rank;
    ncs_str_addf(s, "%d on ", nranks_given(of));
    ncs_say_ranks(s, ranks, count);
    ncs_say_place(s, of);
    ncs_free(ranks);
}

static bool sizes_differ(const struct ncs_inquiry *q, const struct joiners *j, struct ncs_draft *d,
                         struct ncs_str *why, struct ncs_str *fix)
{
    if (!j->count || votes(j, nranks_given(j->call[0])) == j->count)
        return false;
    bool even;
    const struct ncs_call *best = commonest(q, j, &even);
    ncs_str_addf(why, "those who join %s with %s do not agree on nranks: it is ",
                 ncs_comm_name(q, best->comm), ncs_fn_info[best->fn].name);
    for (size_t i = 0; i < j->count; i++) {
        const struct ncs_call *c = j->call[i];
        bool odd = nranks_given(c) != nranks_given(best), told = false;
        if (odd || even)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
        for (size_t k = 0; k < i; k++)
            told |= nranks_given(j->call[k]) == nranks_given(c);
        if (!odd || told)
            continue;
        say_size(j, c, why);
        ncs_str_add(why, ", ");
    }
    say_size(j, best, why);
    if (even) {
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

static const struct ncs_call *joins_as(const struct joiners *j, int comm_rank, size_t from)
{
    for (size_t i = from; i < j->count; i++)
        if (j->call[i]->comm_rank == comm_rank)
            return j->call[i];
    return NULL;
}

/* Two callers with one rank. Where the communicator spans the run, the one whose own number it is
 * has it right, most likely. */
static bool rank_twice(const struct ncs_inquiry *q, const struct joiners *j, struct ncs_draft *d,
                       struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_call *a = NULL, *b = NULL;
    for (size_t i = 0; i < j->count && !b; i++) {
        a = j->call[i];
        b = joins_as(j, a->comm_rank, i + 1);
    }
    if (!b)
        return false;
    int nranks = nranks_given(a), unused = -1;
    for (int r = 0; r < nranks && unused < 0; r++)
        if (!joins_as(j, r, 0))
            unused = r;
    ncs_str_addf(why, "ranks %d, %d of the run both join %s as rank %d of %d", a->rank, b->rank,
                 ncs_comm_name(q, a->comm), a->comm_rank, nranks);
    ncs_str_addf(why, " (%s", ncs_fn_info[a->fn].name);
    ncs_say_place(why, a);
    if (b->place.line != a->place.line)
        ncs_str_addf(why, " and line %d", b->place.line);
    ncs_str_add(why, ")");
    if (unused >= 0)
        ncs_str_addf(why, " and nobody as rank %d", unused);
    const struct ncs_call *odd = NULL;
    if (nranks == q->ranks && (a->rank == a->comm_rank) != (b->rank == b->comm_rank))
        odd = a->rank == a->comm_rank ? b : a;
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *c = i ? b : a;
        if (!odd || c == odd)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
    }
    if (unused >= 0) {
        if (odd)
            ncs_str_addf(fix, "let rank %d", odd->rank);
        else
            ncs_str_add(fix, "let one of the two");
        ncs_str_addf(fix, " pass rank = %d", unused);
        ncs_say_place(fix, odd ? odd : a);
    } else {
        ncs_str_add(fix, "let only one of the two join");
    }
    return true;
}

/* Its arguments are still there. */
static bool is_inside(const struct ncs_inquiry *q, const struct ncs_call *c)
{
    for (size_t i = 0; i < q->snap->contexts; i++)
        if (q->snap->context[i].call == c)
            return q->snap->context[i].state != NCS_CONTEXT_ENDED && !c->returned;
    return false;
}

/* The ranks that a shrink leaves out, as given by a caller that is still inside; NULL if unknown. */
static const int *excluded(const struct ncs_inquiry *q, const struct ncs_call *c, size_t *count)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    const int *list = NULL;
    *count = 0;
    for (int i = 0; i < info->nargs && c->fn == NCS_FN_ncclCommShrink && is_inside(q, c); i++) {
        if (info->arg[i].kind == NCS_ARG_RANKS)
            list = c->arg[i].p;
        else if (info->arg[i].kind == NCS_ARG_ITEMS && c->arg[i].i > 0)
            *count = (size_t)c->arg[i].i;
    }
    return *count ? list : NULL;
}

static bool same_list(const struct ncs_inquiry *q, const struct ncs_call *a,
                      const struct ncs_call *b)
{
    size_t n, m;
    const int *x = excluded(q, a, &n), *y = excluded(q, b, &m);
    bool same = n == m && !x == !y;
    for (size_t i = 0; i < n && same && x; i++) {
        bool found = false;
        for (size_t k = 0; k < m; k++)
            found |= x[i] == y[k];
        same = found;
    }
    return same;
}

static size_t votes_for_list(const struct ncs_inquiry *q, const struct ncs_need *n,
                             const struct ncs_call *c)
{
    size_t votes = 0;
    for (size_t i = 0; i < n->presents; i++)
        votes += same_list(q, n->present[i], c);
    return votes;
}

/* Survivors of a shrink that leave out different ranks: each waits for somebody whom another has
 * left out. At fault is who is alone with its list. */
static bool lists_differ(const struct ncs_inquiry *q, const struct ncs_need *n, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    size_t most = 0;
    for (size_t i = 0; i < n->presents; i++)
        if (votes_for_list(q, n, n->present[i]) > most)
            most = votes_for_list(q, n, n->present[i]);
    if (n->call->fn != NCS_FN_ncclCommShrink || most == n->presents)
        return false;
    for (size_t i = 0; i < n->presents; i++) {
        const struct ncs_call *c = n->present[i];
        size_t count;
        const int *list = excluded(q, c, &count);
        bool one = votes_for_list(q, n, c) < most || 2 * most == n->presents;
        if (one)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
        ncs_str_addf(&s, "%srank %d leaves out ", i ? ", " : "", c->rank);
        if (list)
            ncs_say_ranks(&s, list, count);
        else
            ncs_str_add(&s, "nobody");
        ncs_say_place(&s, c);
    }
    ncs_fill_need(q, d, n, 0);
    d->f.bystanders = 0;
    ncs_str_addf(&s, ": they do not agree who is left of %s", ncs_comm_name(q, n->comm));
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("give %s the same list of ranks to leave out on all that are left",
                        ncs_said_function(n->call));
    return true;
}

/* A split, shrink, grow or the like that everybody came to and that cannot be. */
static bool meeting_refused(const struct ncs_inquiry *q, const struct ncs_root *r,
                            struct ncs_draft *d)
{
    const struct ncs_need *n = r->need;
    const struct ncs_snap_job *job = &q->snap->job[n->job];
    if (lists_differ(q, n, d))
        return true;
    if (!job->refused)
        return false;
    blame_present(d, n);
    ncs_fill_need(q, d, n, 0);
    const char *function = ncs_said_function(n->call);
    d->f.why = ncs_text("%s on %s cannot be done: %s", function, ncs_comm_name(q, n->comm),
                        job->why ? job->why : "the ranks contradict each other");
    if (n->call->fn == NCS_FN_ncclCommGrow)
        d->f.fix = ncs_text("let one old rank make the id with ncclCommGetUniqueId and pass it; "
                            "the new ranks join with it");
    else
        d->f.fix = ncs_text("let every rank that takes part make the same %s, with arguments that "
                            "agree", function);
    return true;
}

bool ncs_rule_init_clash(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->need && ncs_is_meeting(r->need))
        return meeting_refused(q, r, d);
    if (!is_root(r))
        return false;
    const struct ncs_need *n = r->need;
    const struct ncs_snap_job *job = n->job >= 0 ? &q->snap->job[n->job] : NULL;
    size_t ids = unshared_ids(q, n);
    if (ids) {
        for (size_t i = 0; i < q->needs; i++) {
            if (q->need[i].kind != NCS_NEED_INIT)
                continue;
            blame_present(d, &q->need[i]);
            ncs_add_blocked(q, d, ncs_need_node(q, i));
        }
        ncs_fill_need(q, d, n, 0);
        d->f.bystanders = 0;
        d->f.why = ncs_text("%zu unique ids are in use, each for a communicator of %d that is "
                            "waiting for its other ranks: every rank made its own", ids,
                            nranks_of(q, n));
        d->f.fix = ncs_text("make the id on one rank and hand it to the others, say through the "
                            "store");
        return true;
    }
    if (!job || !job->refused)
        return false;
    struct joiners j = { 0 };
    find_joiners(q, n, &j);
    struct ncs_str why = { 0 }, fix = { 0 };
    if (!sizes_differ(q, &j, d, &why, &fix) && !rank_twice(q, &j, d, &why, &fix))
        ncs_str_addf(&why, "the ranks that join %s contradict each other: %s",
                     ncs_comm_name(q, n->comm), job->why ? job->why : "the meeting was refused");
    if (!d->f.culprits)
        blame_present(d, n);
    if (!fix.bytes)
        ncs_str_add(&fix, "join each communicator once as each rank from 0 to nranks - 1, with "
                          "the same nranks and a fresh unique id");
    ncs_str_add(&why, ", so nobody is let in");
    ncs_fill_need(q, d, n, 0);
    d->f.why = ncs_str_take(&why);
    d->f.fix = ncs_str_take(&fix);
    ncs_free(j.call);
    return true;
}

static int *absent_ranks(const struct ncs_need *n)
{
    int *ranks = ncs_new(n->absents * sizeof *ranks);
    for (size_t i = 0; i < n->absents; i++)
        ranks[i] = n->absent[i].comm_rank;
    return ranks;
}

/* A cycle of a thread with itself: it alone could make the calls that it waits for. */
bool ncs_rule_one_thread(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_CYCLE || !r->need->call || r->need->kind == NCS_NEED_SIGNAL)
        return false; /* a wait for signals holds its stream, and a group would not undo that */
    int context = -1;
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_need(q, r->path[i]) >= 0 && r->path[i] != r->path[0])
            return false;
        if ((size_t)r->path[i] < q->snap->contexts) {
            if (context >= 0 && context != r->path[i])
                return false;
            context = r->path[i];
        }
    }
    if (context < 0)
        return false;
    const struct ncs_call *c = r->need->call;
    const struct ncs_snap_context *thread = &q->snap->context[context];
    struct ncs_str s = { 0 };
    int *absent = absent_ranks(r->need);
    char *what = ncs_describe(c);
    ncs_add_culprit(d, thread->rank, c->number, c->place.line);
    ncs_fill_need(q, d, r->need, c->number);
    ncs_str_addf(&s, "a thread of rank %d is in %s", thread->rank, what);
    ncs_say_place(&s, c);
    ncs_str_addf(&s, " as rank %d of %s and waits for ", c->comm_rank, ncs_comm_name(q, c->comm));
    ncs_say_ranks(&s, absent, r->need->absents);
    ncs_str_add(&s, " of it, whose calls only the same thread could make");
    d->f.why = ncs_str_take(&s);
    ncs_str_add(&s, "put the calls for all ranks of one thread into a group, from the one");
    ncs_say_place(&s, c);
    ncs_str_add(&s, " on");
    d->f.fix = ncs_str_take(&s);
    ncs_free(absent);
    ncs_free(what);
    return true;
}

bool ncs_rule_init_missing(const struct ncs_inquiry *q, const struct ncs_root *r,
                           struct ncs_draft *d)
{
    if (!is_root(r))
        return false;
    const struct ncs_need *n = r->need;
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].rank >= 0)
            ncs_add_culprit(d, n->absent[i].rank, 0, 0);
    if (!d->f.culprits)
        blame_present(d, n);
    ncs_fill_need(q, d, n, 0);
    int *absent = absent_ranks(n), nranks = nranks_of(q, n);
    size_t real = 0; /* those of them who exist; the others are too high a number */
    while (real < n->absents && (nranks <= q->ranks || absent[real] < q->ranks))
        real++;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "%zu of %d ranks joined %s with %s, ", (size_t)nranks - n->absents, nranks,
                 ncs_comm_name(q, n->comm), n->call ? ncs_fn_info[n->call->fn].name : "a call");
    ncs_say_ranks(&s, absent, n->absents);
    ncs_str_add(&s, " did not");
    if (real < n->absents)
        ncs_str_addf(&s, ": nranks = %d, but only %d rank%s exist%s", nranks, q->ranks,
                     q->ranks == 1 ? "" : "s", q->ranks == 1 ? "s" : "");
    d->f.why = ncs_str_take(&s);
    if (real < n->absents) {
        ncs_str_addf(&s, "pass nranks = %d", q->ranks);
        if (n->call)
            ncs_say_place(&s, n->call);
        ncs_str_addf(&s, ", or run with %d ranks", nranks);
    }
    if (real) {
        ncs_str_add(&s, real < n->absents ? "; make the call" : "make the call");
        if (n->call)
            ncs_say_place(&s, n->call);
        ncs_str_add(&s, " as ");
        ncs_say_ranks(&s, absent, real);
        ncs_str_add(&s, " too, with the same id");
    }
    d->f.fix = ncs_str_take(&s);
    ncs_free(absent);
    return true;
}
