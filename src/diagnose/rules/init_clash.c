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

static void format_unshared(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct unshared *u,
                            struct ncs_draft *d)
{
    struct ncs_str who = { 0 };
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
    ncs_add_fact(&who, ncs_fact_culprits("who", d));
    ncs_fill_unmet(q, d, n, 0);
    d->f.bystanders = 0;
    bool all = u->owns == u->ids;
    d->f.evidence = ncs_plain(all ? ncs_copy_text("each of them called ncclGetUniqueId")
                                  : ncs_text("%zu ranks wait with one id, and %s called ncclGetUniqueId", u->most, who.text));
    d->f.why = ncs_plain(ncs_text("%zu unique ids are in use, each for a communicator of %d that is waiting for its "
                                  "other ranks: %s made %s",
                                  u->ids, ncs_nranks_wanted(q, n), all ? "every rank" : who.text,
                                  d->f.culprits > 1 && !all ? "their own" : "its own"));
    d->f.fix = ncs_plain(ncs_copy_text("make the id on one rank and hand it to the others, say through the store"));
    ncs_str_free(&who);
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
    struct ncs_str s = { 0 };
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
        ncs_str_addf(&s, "%srank %d leaves out ", i ? ", " : "", c->rank);
        if (list)
            ncs_format_ranks(&s, list, count);
        else
            ncs_str_add(&s, "nobody");
        ncs_format_place(&s, c);
    }
    ncs_free(votes);
    ncs_fill_unmet(q, d, n, 0);
    d->f.bystanders = 0;
    d->f.evidence = ncs_plain(d->f.culprits < n->presents ? ncs_text("by the majority: %zu of %zu ranks agree", most, n->presents)
                                                          : ncs_copy_text("no list is the commonest, so all ranks are named"));
    ncs_str_addf(&s, ": they do not agree who is left of %s", ncs_comm_name(q, n->comm));
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(
        ncs_text("give %s the same list of ranks to leave out on all that are left", ncs_function_name(n->call)));
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
    struct ncs_str why = { 0 }, fix = { 0 };
    bool grows = n->call->fn == NCS_FN_ncclCommGrow;
    if (grows && ncs_joiners_clash(q, n, d, &why, &fix)) {
        ncs_fill_unmet(q, d, n, 0);
        d->f.why = ncs_plain(ncs_str_take(&why));
        d->f.fix = ncs_plain(ncs_str_take(&fix));
        return true;
    }
    ncs_blame_present(d, n);
    ncs_fill_unmet(q, d, n, 0);
    const char *function = ncs_function_name(n->call);
    ncs_str_add(&why, function);
    if (n->comm >= 0)
        ncs_str_addf(&why, " on %s", ncs_comm_name(q, n->comm));
    ncs_str_addf(&why, " cannot be done: %s", job->why ? job->why : "the ranks contradict each other");
    d->f.why = ncs_plain(ncs_str_take(&why));
    if (grows)
        d->f.fix = ncs_plain(ncs_text("let one old rank make the id with ncclCommGetUniqueId and pass it; "
                                      "the new ranks join with it"));
    else
        d->f.fix = ncs_plain(ncs_text("let every rank that takes part make the same %s, with arguments that "
                                      "agree",
                                      function));
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
        format_unshared(q, n, &u, d);
        return true;
    }
    if (!job || !job->refused)
        return false;
    struct ncs_str why = { 0 }, fix = { 0 };
    if (!ncs_joiners_clash(q, n, d, &why, &fix))
        ncs_str_addf(&why, "the ranks that join %s contradict each other: %s", ncs_comm_name(q, n->comm),
                     job->why ? job->why : "the meeting was refused");
    if (!d->f.culprits)
        ncs_blame_present(d, n);
    if (!fix.bytes)
        ncs_str_add(&fix, "join each communicator once as each rank from 0 to nranks - 1, with "
                          "the same nranks and a fresh unique id");
    ncs_str_add(&why, ", so nobody is let in");
    ncs_fill_unmet(q, d, n, 0);
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    return true;
}

const struct ncs_rule ncs_rule_init_clash = { .match = init_clash_match, .ground = NCS_GROUND_MISUSE };
