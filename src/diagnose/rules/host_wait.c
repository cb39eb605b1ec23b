/* A host waits in the store, at a barrier or for a thread, and no rank can end that. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

static bool is_cause_with(const struct ncs_cause *r, enum ncs_unmet_kind kind)
{
    return (r->kind == NCS_CAUSE_ABSENT || r->kind == NCS_CAUSE_CYCLE) && r->unmet && r->unmet->kind == kind;
}

/* The key of a barrier is a list of ranks, which are named as in a text. */
static struct ncs_fact fact_gate_key(const char *name, const struct ncs_snap_gate *g)
{
    return strcmp(g->what, "barrier") == 0 ? ncs_fact_sentence(name, ncs_plain(ncs_copy_text(g->key)))
                                           : ncs_fact_text(name, g->key);
}

/* No rank opens the gate. Blames the ranks that ended without doing so; if none did, all ranks that
 * wait: one of them should have opened it before it waited. */
static void nobody_opens(const struct ncs_analysis *q, const struct ncs_unmet *gate, const int *waiting, size_t count,
                         struct ncs_draft *d)
{
    const struct ncs_snap_gate *g = &q->snap->gate[gate->gate];
    bool key = ncs_is_key(q, gate), barrier = strcmp(g->what, "barrier") == 0;
    int *gone = ncs_new(gate->absents * sizeof *gone);
    int *live = ncs_new(gate->absents * sizeof *live);
    size_t gones = 0, lives = 0;
    for (size_t i = 0; i < gate->absents; i++) {
        const struct ncs_absent *a = &gate->absent[i];
        if (a->reason > NCS_ABSENT_LAST_FINAL) {
            live[lives++] = a->rank;
            continue;
        }
        gone[gones++] = a->rank;
        ncs_add_culprit(d, a->rank, 0, 0);
    }
    for (size_t i = 0; i < count && !gones; i++)
        ncs_add_culprit(d, waiting[i], 0, ncs_gate_line(q, waiting[i]));
    if (gones)
        d->f.evidence = ncs_say(host_wait_gone_evidence);
    d->f.why = ncs_say(host_wait_why, ncs_fact_ranks("who", waiting, count),
                       ncs_fact_text("in", strchr(g->what, ' ') ? NULL : g->what), fact_gate_key("name", g),
                       ncs_fact_is("key", key), ncs_fact_ranks("gone", gone, gones), ncs_fact_ranks("live", live, lives));
    d->f.fix = ncs_say(host_wait_fix, ncs_fact_is("several", gones > 1 && key), ncs_fact_ranks("gone", gone, gones),
                       ncs_fact_text("key", key ? g->key : NULL), ncs_fact_is("barrier", barrier),
                       ncs_fact_line("line", count ? ncs_gate_line(q, waiting[0]) : 0));
    /* If one rank alone has ended and all others wait, this one should have set the key. */
    if (key && gones && !(gones == 1 && !lives && count > 1))
        ncs_add_reading(d, "host-wait", waiting, count,
                        ncs_sentence_take(ncs_say(host_wait_not_meant, ncs_fact_ranks("who", waiting, count))));
    else if (key && !gones && count > 1 && !lives)
        ncs_finding_doubt(&d->f, "nothing shows which of them was to set it");
    else if (key && !gones && lives)
        ncs_add_reading(d, "host-wait", live, lives,
                        ncs_sentence_take(ncs_say(host_wait_first, ncs_fact_ranks("who", live, lives))));
    ncs_free(gone);
    ncs_free(live);
}

/* A barrier with another list of ranks, at which a rank waits that is missing at this one; NULL =
 * none. */
static const struct ncs_unmet *other_barrier(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    for (size_t i = 0; i < q->unmets && ncs_is_barrier(q, n); i++) {
        const struct ncs_unmet *o = &q->unmet[i];
        if (o == n || !ncs_is_barrier(q, o))
            continue;
        size_t count;
        int *ranks = ncs_present_ranks(q, o, &count);
        bool missing = false;
        for (size_t k = 0; k < count; k++)
            for (size_t m = 0; m < n->absents; m++)
                missing |= n->absent[m].rank == ranks[k];
        ncs_free(ranks);
        if (missing)
            return o;
    }
    return NULL;
}

/* Names both lists with the ranks that gave them. Blames the list of fewer ranks; both if they are
 * equally many. */
static void host_wait_lists_differ(const struct ncs_analysis *q, const struct ncs_unmet *a, const struct ncs_unmet *b,
                                   struct ncs_draft *d)
{
    struct ncs_sentence *lists = NULL;
    size_t count[2];
    int *ranks[2];
    const struct ncs_unmet *unmet[] = { a, b };
    for (size_t i = 0; i < 2; i++)
        ranks[i] = ncs_present_ranks(q, unmet[i], &count[i]);
    if (count[0] && count[1] && ranks[1][0] < ranks[0][0]) {
        const struct ncs_unmet *n = unmet[0];
        int *r = ranks[0];
        size_t c = count[0];
        unmet[0] = unmet[1], ranks[0] = ranks[1], count[0] = count[1];
        unmet[1] = n, ranks[1] = r, count[1] = c;
    }
    for (size_t i = 0; i < 2; i++) {
        lists = ncs_say(host_wait_list, ncs_fact_sentence("before", lists), ncs_fact_ranks("who", ranks[i], count[i]),
                        fact_gate_key("list", &q->snap->gate[unmet[i]->gate]),
                        ncs_fact_line("line", count[i] ? ncs_gate_line(q, ranks[i][0]) : 0));
        for (size_t k = 0; k < count[i]; k++) {
            if (count[i] <= count[1 - i])
                ncs_add_culprit(d, ranks[i][k], 0, ncs_gate_line(q, ranks[i][k]));
            ncs_add_row(d, ranks[i][k], ncs_gate_line(q, ranks[i][k]),
                        ncs_say(host_wait_row, fact_gate_key("list", &q->snap->gate[unmet[i]->gate])));
        }
        ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(unmet[i] - q->unmet)));
    }
    d->f.bystanders = 0;
    d->f.evidence = ncs_say(host_wait_lists_evidence, ncs_fact_is("tied", count[0] == count[1]));
    d->f.why = ncs_say(host_wait_lists_why, ncs_fact_sentence("lists", lists));
    d->f.fix = ncs_say(host_wait_lists_fix);
    d->order = UINT64_MAX;
    for (size_t i = 0; i < 2; i++)
        ncs_free(ranks[i]);
}

/* True if a host function of a stream waits there for the rank; such a thread of the driver has a
 * negative number. */
static bool in_callback(const struct ncs_analysis *q, int rank, const struct ncs_unmet *gate)
{
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        for (size_t k = c->wait; c->rank == rank && c->thread < 0 && k < c->wait + c->waits; k++)
            if (q->snap->wait[k].kind == NCS_WAIT_GATE && q->snap->wait[k].index == gate->gate)
                return true;
    }
    return false;
}

/* If several threads could set a key, nothing shows which of them should have. */
static bool is_anybodys(const struct ncs_unmet *key)
{
    return key->absents > 1;
}

/* "rank 0 waits at line 4 for store key `a`, which no rank has set, rank 1 waits ..." */
static struct ncs_sentence *say_host_cycle(const struct ncs_analysis *q, const struct ncs_draft *d,
                                           const struct ncs_unmet *const *of)
{
    struct ncs_sentence *all = NULL;
    for (size_t i = 0; i < d->f.cycles; i++) {
        const struct ncs_cycle_step *c = &d->f.cycle[i];
        const struct ncs_snap_gate *g = of[i]->gate >= 0 ? &q->snap->gate[of[i]->gate] : NULL;
        bool key = ncs_is_key(q, of[i]), join = g && strcmp(g->what, "join") == 0;
        all = ncs_say(host_wait_step, ncs_fact_sentence("before", all), ncs_fact_rank("who", c->rank),
                      ncs_fact_is("callback", g && in_callback(q, c->rank, of[i])), ncs_fact_line("line", c->line),
                      ncs_fact_text("key", key ? g->key : NULL), ncs_fact_is("anybody", is_anybodys(of[i])),
                      ncs_fact_rank("other", c->waits_for), ncs_fact_is("join", join), ncs_fact_is("call", !key && !join),
                      ncs_fact_text("in", g ? g->what : NULL), ncs_fact_number("number", g ? 0 : c->call),
                      ncs_fact_text("comm", c->comm));
    }
    return all;
}

/* Nothing shows which rank was to set a key that several could have set. If several wait for it, one of them, too. */
static void doubt_anybodys(const struct ncs_analysis *q, const struct ncs_unmet *const *of, struct ncs_draft *d)
{
    bool *waits = ncs_new(((size_t)q->ranks + 1) * sizeof *waits);
    int *rank = ncs_new(((size_t)q->ranks + 1) * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < d->f.cycles; i++) {
        size_t count = 0;
        int *waiting = ncs_is_key(q, of[i]) && is_anybodys(of[i]) ? ncs_present_ranks(q, of[i], &count) : NULL;
        for (size_t k = 0; k < count && count > 1; k++)
            waits[waiting[k]] = true;
        ncs_free(waiting);
    }
    for (int r = 0; r < q->ranks; r++)
        if (waits[r])
            rank[ranks++] = r;
    if (ranks)
        ncs_add_reading(d, "host-wait", rank, ranks,
                        ncs_sentence_take(ncs_say(host_wait_one_of_them, ncs_fact_ranks("who", rank, ranks))));
    ncs_free(waits);
    ncs_free(rank);
}

/* The advice for a cycle through keys: it breaks if one of the keys is set before the wait. */
static struct ncs_sentence *say_set_first(const struct ncs_analysis *q, const struct ncs_draft *d,
                                          const struct ncs_unmet *const *of)
{
    struct ncs_sentence *all = NULL;
    for (size_t i = 0; i < d->f.cycles; i++) {
        const struct ncs_cycle_step *other = &d->f.cycle[(i + 1) % d->f.cycles];
        if (ncs_is_key(q, of[i]))
            all = ncs_say(host_wait_set_first, ncs_fact_sentence("before", all), ncs_fact_is("anybody", is_anybodys(of[i])),
                          ncs_fact_text("key", q->snap->gate[of[i]->gate].key), ncs_fact_rank("who", other->rank),
                          ncs_fact_line("line", other->line), ncs_fact_is("callback", in_callback(q, d->f.cycle[i].rank, of[i])));
    }
    return all;
}

/* The unmet waits of a cycle in the order of the finding's steps. The caller frees the list. */
static const struct ncs_unmet **waits_of_steps(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_draft *d)
{
    const struct ncs_unmet **of = ncs_new((d->f.cycles + 1) * sizeof *of);
    size_t count = 0, start = ncs_first_place(q, r);
    for (size_t k = 0; k < r->length; k++) {
        int unmet = ncs_node_unmet(q, r->path[(start + k) % r->length]);
        if (unmet >= 0)
            of[count++] = &q->unmet[unmet];
    }
    return of;
}

/* A cycle through a host wait: each rank would do what the next one awaits only after its own
 * wait. */
static void host_cycle(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    bool calls = false, contact = false, keys = true;
    ncs_fill_cycle(q, r, NULL, d);
    const struct ncs_unmet **of = waits_of_steps(q, r, d);
    for (size_t i = 0; i < d->f.cycles; i++) {
        calls |= of[i]->kind != NCS_UNMET_GATE;
        contact |= of[i]->contact;
        keys &= of[i]->kind != NCS_UNMET_GATE || ncs_is_key(q, of[i]);
    }
    d->f.why = say_host_cycle(q, d, of);
    d->f.fix = ncs_say(host_wait_cycle_fix, ncs_fact_sentence("set", keys ? say_set_first(q, d, of) : NULL),
                       ncs_fact_is("calls", calls), ncs_fact_is("contact", contact));
    doubt_anybodys(q, of, d);
    ncs_free(of);
}

/* The host wait of the cause; of several in a cycle the one of the lowest rank, wherever the search
 * entered the cycle. */
static const struct ncs_unmet *gate_of(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_unmet *gate = NULL;
    int lowest = q->ranks;
    if (r->kind != NCS_CAUSE_CYCLE)
        return is_cause_with(r, NCS_UNMET_GATE) ? r->unmet : NULL;
    for (size_t i = 0; i < r->length; i++) {
        int n = ncs_node_unmet(q, r->path[i]);
        if (n < 0 || q->unmet[n].kind != NCS_UNMET_GATE)
            continue;
        size_t count;
        int *waiting = ncs_present_ranks(q, &q->unmet[n], &count);
        if (!gate || (count && waiting[0] < lowest)) {
            gate = &q->unmet[n];
            lowest = count ? waiting[0] : q->ranks;
        }
        ncs_free(waiting);
    }
    return gate;
}

static bool host_wait_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (ncs_fill_hosts(q, r, d))
        return true;
    const struct ncs_unmet *gate = gate_of(q, r);
    if (!gate)
        return false;
    const struct ncs_snap_gate *g = &q->snap->gate[gate->gate];
    size_t count;
    int *waiting = ncs_present_ranks(q, gate, &count);
    const struct ncs_unmet *other = other_barrier(q, gate);
    if (other) {
        host_wait_lists_differ(q, gate, other, d);
    } else if (r->kind == NCS_CAUSE_CYCLE) {
        host_cycle(q, r, d);
    } else {
        nobody_opens(q, gate, waiting, count, d);
        ncs_fill_unmet(q, d, gate, 0);
    }
    ncs_free(d->f.title);
    if (other)
        d->f.title = ncs_text("barriers with different lists of ranks");
    else
        d->f.title = ncs_text("%s%s%s", g->what, g->key && *g->key ? ": " : "", g->key ? g->key : "");
    ncs_free(waiting);
    return true;
}

const struct ncs_rule ncs_rule_host_wait = { .match = host_wait_match, .ground = NCS_GROUND_HOSTS, .by_title = true };
