/* Ranks wait to join a communicator for other ranks that never join. */
#include "diagnose/party.h"
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* The gate at which the absent rank waits on its host; NULL = it does not wait at one. */
static const struct ncs_snap_gate *held_at(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    const struct ncs_snap_context *c = a->context >= 0 ? &q->snap->context[a->context] : NULL;
    for (size_t i = 0; c && a->reason == NCS_ABSENT_ELSEWHERE && i < c->waits; i++)
        if (q->snap->wait[c->wait + i].kind == NCS_WAIT_GATE)
            return &q->snap->gate[q->snap->wait[c->wait + i].index];
    return NULL;
}

/* Adds, for ranks that share a process, which thread was not spawned or ended without the call. */
static void format_thread(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_str *why)
{
    for (size_t i = 0; i < n->absents; i++) {
        const struct ncs_absent *a = &n->absent[i];
        bool spawned = q->parties && a->rank >= 0 && q->parties->of[a->rank].thread > 0;
        if (a->rank < 0 || ncs_format_spawns(q, n, a->rank, why))
            continue;
        if (spawned && a->reason == NCS_ABSENT_FINISHED)
            ncs_str_add(why, ": its thread ended without the call");
    }
}

/* Adds ": rank 1 waits in store:get at line 16 for store key `id`, which no rank has set" about the
 * first such rank that does not have the id yet, and the advice with which the fix begins. */
static void format_held(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_str *why, struct ncs_str *fix)
{
    bool *has = ncs_holders_of_id(q, n, true);
    for (size_t i = 0; i < n->absents; i++) {
        const struct ncs_absent *a = &n->absent[i];
        const struct ncs_snap_gate *g = held_at(q, a);
        if (!g || has[a->rank] || !g->key || strcmp(g->what, "store:get") != 0)
            continue;
        int line = ncs_context_place(q, a->context).line;
        ncs_str_addf(why, ": rank %d waits in %s", a->rank, g->what);
        ncs_str_addf(fix, "let a rank set %s, or let rank %d get one that is set", g->key, a->rank);
        if (line) {
            ncs_str_addf(why, " at line %d", line);
            ncs_str_addf(fix, " at line %d", line);
        }
        ncs_str_addf(why, " for %s, which no rank has set", g->key);
        ncs_str_add(fix, ", so that it comes to the call; ");
        break;
    }
    ncs_free(has);
}

/* A rank without a record has not joined, but nothing shows whether it ran. */
static void doubt_unrecorded(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d)
{
    for (size_t i = 0; i < n->absents && !d->f.otherwise; i++) {
        int context = n->absent[i].context;
        const struct ncs_snap_context *c = context >= 0 ? &q->snap->context[context] : NULL;
        if (c && c->ending == NCS_END_MISSING)
            ncs_finding_doubt(
                &d->f, "it could also be that a rank without a record was not started, or has ended: look at its own output, its "
                       "host, who started the job");
    }
}

/* A rank of the communicator that no record names may be one that waits elsewhere, or none: then the others joined with a wrong
 * id or number. */
static void doubt_unknown(const struct ncs_unmet *n, struct ncs_draft *d)
{
    bool unknown = false, guessed = false;
    for (size_t i = 0; i < n->absents; i++) {
        unknown |= n->absent[i].rank < 0;
        guessed |= n->absent[i].guessed;
    }
    if (unknown)
        ncs_finding_doubt(&d->f, "nothing shows which rank of the run was to join");
    else if (guessed)
        ncs_finding_doubt(&d->f, "it could also be that a rank which put the id into the store did so for another one");
}

/* The ranks of the run that are missed, if all are known and have other numbers than in the communicator; else NULL. A party has
 * no rank of the run to name. The caller frees it. */
static int *run_ranks_of(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    int *who = ncs_new((n->absents + 1) * sizeof *who);
    bool known = !q->parties, other = false;
    for (size_t i = 0; i < n->absents; i++) {
        who[i] = n->absent[i].rank;
        known &= who[i] >= 0;
        other |= who[i] != n->absent[i].comm_rank;
    }
    if (known && other)
        return who;
    ncs_free(who);
    return NULL;
}

static bool init_missing_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_joining(r))
        return false;
    const struct ncs_unmet *n = r->unmet;
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].rank >= 0)
            ncs_add_culprit(d, n->absent[i].rank, 0, 0);
    if (!d->f.culprits)
        ncs_blame_present(d, n);
    ncs_fill_unmet(q, d, n, 0);
    int *absent = ncs_absent_comm_ranks(n), *who = run_ranks_of(q, n), nranks = ncs_nranks_wanted(q, n);
    size_t real = 0; /* absent ranks that the run has; the rest come from too large an nranks */
    while (real < n->absents && (nranks <= q->ranks || q->snap->many || absent[real] < q->ranks))
        real++;
    struct ncs_str s = { 0 }, first = { 0 };
    ncs_str_addf(&s, "%zu of %d ranks joined %s with %s, ", (size_t)nranks - n->absents, nranks, ncs_comm_name(q, n->comm),
                 n->call ? ncs_fn_info[n->call->fn].name : "a call");
    ncs_format_ranks(&s, who ? who : absent, n->absents);
    ncs_str_add(&s, " did not");
    if (real < n->absents)
        ncs_str_addf(&s, ": nranks = %d, but only %d rank%s exist%s", nranks, q->ranks, q->ranks == 1 ? "" : "s",
                     q->ranks == 1 ? "s" : "");
    format_held(q, n, &s, &first);
    format_thread(q, n, &s);
    d->f.why = ncs_plain(ncs_str_take(&s));
    doubt_unrecorded(q, n, d);
    if (real && ncs_is_init(n->call))
        doubt_unknown(n, d);
    ncs_str_add(&s, first.text ? first.text : "");
    ncs_str_free(&first);
    if (real < n->absents) {
        ncs_str_addf(&s, "pass nranks = %d", q->ranks);
        if (n->call)
            ncs_format_place(&s, n->call);
        ncs_str_addf(&s, ", or run with %d ranks", nranks);
    }
    if (real && n->comm >= 0 && n->call && n->call->fn == NCS_FN_ncclCommGrow) {
        ncs_format_growth(q, n, absent, real, &s);
    } else if (real) {
        ncs_str_add(&s, real < n->absents ? "; make the call" : "make the call");
        if (n->call)
            ncs_format_place(&s, n->call);
        ncs_str_add(&s, who ? " on " : " as ");
        ncs_format_ranks(&s, who ? who : absent, real);
        if (who) {
            ncs_str_add(&s, ", as ");
            ncs_format_ranks(&s, absent, real);
            ncs_str_addf(&s, " of %s,", ncs_comm_name(q, n->comm));
        }
        ncs_str_add(&s, " too, with the same id");
    }
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_free(absent);
    ncs_free(who);
    return true;
}

const struct ncs_rule ncs_rule_init_missing_rank = { .match = init_missing_rank_match, .ground = NCS_GROUND_WAITS };
