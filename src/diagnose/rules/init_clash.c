/* Ranks that join a communicator, or change one together, contradict each other. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* True if the thread that joins made the id itself. Only that thread counts, because another thread
 * of the process may have made the id for all. */
static bool took_own_id(const struct ncs_analysis *q, const struct ncs_call *joins)
{
    const struct ncs_made *m = ncs_first_made(&q->index, NCS_FN_ncclGetUniqueId);
    for (; m; m = ncs_next_made(&q->index, m))
        if (m->rank == joins->rank && m->thread == joins->thread)
            return true;
    return false;
}

/* Several ids where one was meant: each rank made an id of its own; or one group shares an id, and
 * each other rank made its own. */
struct unshared {
    size_t ids;
    size_t most; /* ranks that wait with the same id, at most */
    size_t owns; /* ids that were made by each rank that waits with them */
};

/* True if the ranks that wait make up whole communicators: each number occurs equally often. Ranks that wait in a ring of pairs,
 * for example, do not: each of them is the first of its pair. */
static bool make_up_communicators(const struct ncs_analysis *q, int nranks)
{
    size_t *times = ncs_new((size_t)nranks * sizeof *times);
    bool whole = true;
    for (size_t i = 0; i < q->unmets; i++)
        for (size_t k = 0; q->unmet[i].kind == NCS_UNMET_INIT && k < q->unmet[i].presents; k++) {
            int number = q->unmet[i].present[k]->comm_rank;
            if (number >= 0 && number < nranks)
                times[number]++;
        }
    for (int r = 1; r < nranks; r++)
        whole &= times[r] == times[0];
    ncs_free(times);
    return whole && nranks > 0;
}

static struct unshared unshared_ids(const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    struct unshared u = { 0 };
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        if (o->kind != NCS_UNMET_INIT)
            continue;
        if (!o->presents || ncs_nranks_wanted(q, o) != ncs_nranks_wanted(q, unmet))
            return (struct unshared){ 0 };
        size_t makers = 0;
        for (size_t k = 0; k < o->presents; k++)
            makers += took_own_id(q, o->present[k]);
        u.ids++;
        u.owns += makers == o->presents;
        u.most = o->presents > u.most ? o->presents : u.most;
    }
    /* or a group shares one id, and each other rank has its own */
    if (u.ids < 2 || (u.owns < u.ids && (u.owns != u.ids - 1 || u.most == 1)) ||
        !make_up_communicators(q, ncs_nranks_wanted(q, unmet)))
        return (struct unshared){ 0 };
    return u;
}

/* True if the ranks that wait are to blame for the missing id. */
static bool is_unshared(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct unshared *u)
{
    bool own = true;
    for (size_t k = 0; k < n->presents; k++)
        own &= took_own_id(q, n->present[k]);
    return u->owns == u->ids || own;
}

static void fill_unshared(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct unshared *u, struct ncs_draft *d)
{
    int *node = ncs_new((q->unmets + 1) * sizeof *node);
    size_t nodes = 0;
    for (size_t i = 0; i < q->unmets; i++) {
        if (q->unmet[i].kind != NCS_UNMET_INIT)
            continue;
        if (q->unmet[i].presents > n->presents)
            n = &q->unmet[i];
        if (is_unshared(q, &q->unmet[i], u))
            ncs_blame_present(d, &q->unmet[i]);
        node[nodes++] = ncs_unmet_node(q, i);
    }
    ncs_add_blocked_by(q, d, node, nodes);
    ncs_free(node);
    ncs_fill_unmet(q, d, n, 0);
    d->f.bystanders = 0;
    bool all = u->owns == u->ids;
    d->f.evidence = ncs_say(init_clash_ids_evidence, ncs_fact_is("all", all), ncs_fact_number("most", (int64_t)u->most),
                            ncs_fact_culprits("who", d));
    d->f.why = ncs_say(init_clash_ids_why, ncs_fact_number("ids", (int64_t)u->ids),
                       ncs_fact_number("nranks", ncs_nranks_wanted(q, n)), ncs_fact_is("all", all), ncs_fact_culprits("who", d));
    d->f.fix = ncs_say(init_clash_ids_fix);
}

/* True if a rank is still inside the call, so that its pointer arguments may be read. */
static bool is_inside(const struct ncs_analysis *q, const struct ncs_call *c)
{
    for (int i = ncs_first_context(q, c->rank); i >= 0; i = q->next_context[i])
        if (q->snap->context[i].call == c)
            return q->snap->context[i].state != NCS_CONTEXT_ENDED && !c->returned;
    return false;
}

/* The ranks that a shrink leaves out, as given by a caller that is still inside; NULL if
 * unknown. */
static const int *excluded(const struct ncs_analysis *q, const struct ncs_call *c, size_t *count)
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

static bool same_list(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b)
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

static size_t votes_for_list(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_call *c)
{
    size_t votes = 0;
    for (size_t i = 0; i < n->presents; i++)
        votes += same_list(q, n->present[i], c);
    return votes;
}

/* Ranks call a shrink with different lists of ranks to leave out, so each waits for a rank that
 * another one left out. Blames the rarer lists; all if none is the commonest. */
static bool init_clash_lists_differ(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d)
{
    struct ncs_sentence *lists = NULL;
    size_t most = 0;
    if (n->call->fn != NCS_FN_ncclCommShrink || votes_for_list(q, n, n->present[0]) == n->presents)
        return false;
    size_t *votes = ncs_new(n->presents * sizeof *votes);
    for (size_t i = 0; i < n->presents; i++) {
        votes[i] = votes_for_list(q, n, n->present[i]);
        most = votes[i] > most ? votes[i] : most;
    }
    for (size_t i = 0; i < n->presents; i++) {
        const struct ncs_call *c = n->present[i];
        size_t count;
        const int *list = excluded(q, c, &count);
        bool one = votes[i] < most || 2 * most == n->presents;
        if (one)
            ncs_add_culprit(d, c->rank, 0, c->place.line);
        lists = ncs_say(init_clash_list, ncs_fact_sentence("before", lists), ncs_fact_call("call", q->journal, c),
                        ncs_fact_ranks("list", list, list ? count : 0));
    }
    ncs_free(votes);
    ncs_fill_unmet(q, d, n, 0);
    d->f.bystanders = 0;
    d->f.evidence = ncs_say(init_clash_lists_evidence, ncs_fact_is("few", d->f.culprits < n->presents),
                            ncs_fact_number("most", (int64_t)most), ncs_fact_number("all", (int64_t)n->presents));
    d->f.why = ncs_say(init_clash_lists_why, ncs_fact_sentence("lists", lists), ncs_fact_comm(q, n->comm));
    d->f.fix = ncs_say(init_clash_lists_fix, ncs_fact_call("call", q->journal, n->call));
    return true;
}

/* A split, shrink or growth to which all ranks came, and which their arguments make impossible. */
static bool meeting_refused(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_snap_job *job = &q->snap->job[n->job];
    if (init_clash_lists_differ(q, n, d))
        return true;
    if (!job->refused)
        return false;
    bool grows = n->call->fn == NCS_FN_ncclCommGrow;
    if (!grows || !ncs_joiners_clash(q, n, d)) {
        ncs_blame_present(d, n);
        d->f.why = ncs_say(init_clash_refused_why, ncs_fact_call("call", q->journal, n->call),
                           ncs_fact_text("comm", n->comm >= 0 ? ncs_comm_name(q, n->comm) : NULL),
                           ncs_fact_text("reason", job->why));
        d->f.fix = ncs_say(init_clash_refused_fix, ncs_fact_is("grows", grows), ncs_fact_call("call", q->journal, n->call));
    }
    ncs_fill_unmet(q, d, n, 0);
    return true;
}

static bool init_clash_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->unmet && ncs_is_meeting(r->unmet))
        return meeting_refused(q, r, d);
    if (!ncs_is_joining(r))
        return false;
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_snap_job *job = n->job >= 0 ? &q->snap->job[n->job] : NULL;
    struct unshared u = unshared_ids(q, n);
    if (ncs_took_wrong_id(q, n, d))
        return true;
    if (u.ids) {
        fill_unshared(q, n, &u, d);
        return true;
    }
    if (!job || !job->refused)
        return false;
    bool clash = ncs_joiners_clash(q, n, d);
    if (!d->f.culprits)
        ncs_blame_present(d, n);
    ncs_fill_unmet(q, d, n, 0);
    d->f.why = ncs_say(init_clash_why, ncs_fact_sentence("clash", d->f.why), ncs_fact_comm(q, n->comm),
                       ncs_fact_text("reason", job->why));
    if (!clash)
        d->f.fix = ncs_say(init_clash_fix);
    return true;
}

const struct ncs_rule ncs_rule_init_clash = { .match = init_clash_match, .ground = NCS_GROUND_MISUSE };
