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

/* For ranks that share a process: which thread was not spawned or ended without the call. */
static struct ncs_sentence *say_threads(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    struct ncs_sentence *all = NULL;
    for (size_t i = 0; i < n->absents; i++) {
        const struct ncs_absent *a = &n->absent[i];
        bool spawned = q->parties && a->rank >= 0 && q->parties->of[a->rank].thread > 0;
        struct ncs_str spawns = { 0 };
        if (a->rank >= 0 && (ncs_format_spawns(q, n, a->rank, &spawns) || (spawned && a->reason == NCS_ABSENT_FINISHED)))
            all = ncs_say(init_missing_rank_thread, ncs_fact_sentence("before", all),
                          ncs_fact_sentence("spawns", spawns.bytes ? ncs_plain(ncs_str_take(&spawns)) : NULL));
    }
    return all;
}

/* The first missed rank that waits for a key that no rank has set, and does not have the id yet; NULL = none. */
static const struct ncs_absent *find_held(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    bool *has = ncs_holders_of_id(q, n, true);
    const struct ncs_absent *found = NULL;
    for (size_t i = 0; i < n->absents && !found; i++) {
        const struct ncs_snap_gate *g = held_at(q, &n->absent[i]);
        if (g && !has[n->absent[i].rank] && g->key && strcmp(g->what, "store:get") == 0)
            found = &n->absent[i];
    }
    ncs_free(has);
    return found;
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
    const struct ncs_absent *held = find_held(q, n);
    int held_by = held ? held->rank : 0, line = held ? ncs_context_place(q, held->context).line : 0;
    const char *comm = ncs_comm_name(q, n->comm), *key = held ? held_at(q, held)->key : NULL;
    bool grows = real && n->comm >= 0 && n->call && n->call->fn == NCS_FN_ncclCommGrow;
    d->f.why = ncs_say(init_missing_rank_why, ncs_fact_number("joined", nranks - (int)n->absents),
                       ncs_fact_number("nranks", nranks), ncs_fact_text("comm", comm), ncs_fact_call("call", q->journal, n->call),
                       ncs_fact_ranks("absent", who ? who : absent, n->absents), ncs_fact_is("more", real < n->absents),
                       ncs_fact_number("ranks", q->ranks), ncs_fact_rank("held", held_by), ncs_fact_text("key", key),
                       ncs_fact_line("line", line), ncs_fact_sentence("threads", say_threads(q, n)));
    doubt_unrecorded(q, n, d);
    if (real && ncs_is_init(n->call))
        doubt_unknown(n, d);
    d->f.fix = ncs_say(init_missing_rank_fix, ncs_fact_rank("held", held_by), ncs_fact_text("key", key),
                       ncs_fact_line("line", line), ncs_fact_is("more", real < n->absents), ncs_fact_number("ranks", q->ranks),
                       ncs_fact_call("call", q->journal, n->call), ncs_fact_number("nranks", nranks),
                       ncs_fact_sentence("growth", grows ? ncs_say_growth(q, n, absent, real) : NULL),
                       ncs_fact_is("make", real && !grows), ncs_fact_ranks("who", who, who ? real : 0),
                       ncs_fact_ranks("absent", absent, real), ncs_fact_text("comm", comm));
    ncs_free(absent);
    ncs_free(who);
    return true;
}

const struct ncs_rule ncs_rule_init_missing_rank = { .match = init_missing_rank_match, .ground = NCS_GROUND_WAITS };
