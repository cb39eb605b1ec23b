/* A host waits in the store, at a barrier or for a thread, and no rank can end that. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

static bool is_cause_with(const struct ncs_cause *r, enum ncs_unmet_kind kind)
{
    return (r->kind == NCS_CAUSE_ABSENT || r->kind == NCS_CAUSE_CYCLE) && r->unmet && r->unmet->kind == kind;
}

static void format_gate(struct ncs_str *s, const struct ncs_snap_gate *g)
{
    ncs_str_add(s, strchr(g->what, ' ') ? "the program's own code" : g->what); /* where each does what it does */
    if (g->key && *g->key)
        ncs_str_addf(s, " (%s)", g->key);
}

/* Adds as an alternative that these ranks are to blame for a key that no rank sets. */
static void doubt_key(const int *rank, size_t count, const char *one, const char *several, struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, rank, count);
    ncs_str_addf(&s, " %s", count == 1 ? one : several);
    ncs_add_reading(d, "host-wait", rank, count, ncs_str_take(&s));
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
        d->f.evidence = ncs_plain(ncs_copy_text("by who ended without it"));
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, waiting, count);
    ncs_str_addf(&s, " wait%s in ", count == 1 ? "s" : "");
    format_gate(&s, g);
    ncs_str_add(&s, key ? ", which no rank has set" : "");
    if (gones) {
        ncs_str_add(&s, ": ");
        ncs_format_ranks(&s, gone, gones);
        ncs_str_addf(&s, " finished without %s", key ? "it" : "coming");
    } else {
        ncs_str_add(&s, ", and no rank is left that could end the wait");
    }
    if (lives) {
        ncs_str_add(&s, gones ? ", " : ": ");
        ncs_format_ranks(&s, live, lives);
        ncs_str_addf(&s, " wait%s as well", lives == 1 ? "s" : "");
    }
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, gones > 1 && key ? "let one of " : "let ");
    if (gones)
        ncs_format_ranks(&s, gone, gones);
    else
        ncs_str_add(&s, "a rank");
    if (key)
        ncs_str_addf(&s, " set %s before it %s", g->key, gones ? "ends" : "waits for it");
    else
        ncs_str_add(&s, barrier ? " come to the barrier, too" : " end what is waited for");
    if (count && ncs_gate_line(q, waiting[0]))
        ncs_str_addf(&s, ", or leave out the wait at line %d", ncs_gate_line(q, waiting[0]));
    d->f.fix = ncs_plain(ncs_str_take(&s));
    /* If one rank alone has ended and all others wait, this one should have set the key. */
    if (key && gones && !(gones == 1 && !lives && count > 1))
        doubt_key(waiting, count, "waits for a key that is not meant to be set", "wait for a key that is not meant to be set", d);
    else if (key && !gones && count > 1 && !lives)
        ncs_finding_doubt(&d->f, "nothing shows which of them was to set it");
    else if (key && !gones && lives)
        doubt_key(live, lives, "was to set it before it waits itself", "were to set it before they wait themselves", d);
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
    struct ncs_str s = { 0 };
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
        ncs_str_add(&s, i ? ", " : "");
        ncs_format_ranks(&s, ranks[i], count[i]);
        ncs_str_addf(&s, " came with the list of %s", q->snap->gate[unmet[i]->gate].key);
        if (count[i] && ncs_gate_line(q, ranks[i][0]))
            ncs_str_addf(&s, " at line %d", ncs_gate_line(q, ranks[i][0]));
        for (size_t k = 0; k < count[i]; k++) {
            if (count[i] <= count[1 - i])
                ncs_add_culprit(d, ranks[i][k], 0, ncs_gate_line(q, ranks[i][k]));
            ncs_add_row(d, ranks[i][k], ncs_gate_line(q, ranks[i][k]),
                        ncs_plain(ncs_text("waits in barrier() of %s", q->snap->gate[unmet[i]->gate].key)));
        }
        ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(unmet[i] - q->unmet)));
    }
    d->f.bystanders = 0;
    d->f.evidence = ncs_plain(ncs_copy_text(count[0] == count[1] ? "as many gave the one list as the other, so all are named"
                                                                 : "by the majority: more ranks gave the other list"));
    ncs_str_add(&s, ": a barrier opens when all of a list have come with the same one");
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("give barrier() the same list on each of these ranks"));
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
static void format_host_cycle(const struct ncs_analysis *q, const struct ncs_draft *d, const struct ncs_unmet *const *of,
                              struct ncs_str *s)
{
    for (size_t i = 0; i < d->f.cycles; i++) {
        const struct ncs_cycle_step *c = &d->f.cycle[i];
        const struct ncs_snap_gate *g = of[i]->gate >= 0 ? &q->snap->gate[of[i]->gate] : NULL;
        ncs_str_addf(s, "%srank %d waits", i ? ", " : "", c->rank);
        if (g && in_callback(q, c->rank, of[i]))
            ncs_str_add(s, " in a callback of a stream");
        if (c->line)
            ncs_str_addf(s, " at line %d", c->line);
        if (ncs_is_key(q, of[i]) && is_anybodys(of[i]))
            ncs_str_addf(s, " for %s, which no rank has set", g->key);
        else if (ncs_is_key(q, of[i]))
            ncs_str_addf(s, " for %s, which rank %d has not set", g->key, c->waits_for);
        else if (g && strcmp(g->what, "join") == 0)
            ncs_str_addf(s, " for a thread of rank %d to end", c->waits_for);
        else if (g)
            ncs_str_addf(s, " in %s for rank %d", g->what, c->waits_for);
        else if (c->call)
            ncs_str_addf(s, " in call %u on %s for rank %d", (unsigned)c->call, c->comm, c->waits_for);
        else
            ncs_str_addf(s, " for rank %d", c->waits_for);
    }
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
        doubt_key(rank, ranks, NULL, "wait for a key that one of them was to set first", d);
    ncs_free(waits);
    ncs_free(rank);
}

/* Adds the advice for a cycle through keys: it breaks if one of the keys is set before the wait. */
static void format_set_first(const struct ncs_analysis *q, const struct ncs_draft *d, const struct ncs_unmet *const *of,
                             struct ncs_str *s)
{
    bool any = false;
    for (size_t i = 0; i < d->f.cycles; i++) {
        if (!ncs_is_key(q, of[i]))
            continue;
        const struct ncs_cycle_step *other = &d->f.cycle[(i + 1) % d->f.cycles];
        const char *key = q->snap->gate[of[i]->gate].key;
        ncs_str_add(s, any ? ", or " : "");
        if (is_anybodys(of[i]))
            ncs_str_addf(s, "let the rank that is to set %s do so before it waits", key);
        else
            ncs_str_addf(s, "let rank %d set %s before it waits", other->rank, key);
        if (other->line)
            ncs_str_addf(s, " at line %d", other->line);
        if (in_callback(q, d->f.cycle[i].rank, of[i]))
            ncs_str_add(s, ", or do not wait for another rank in a callback: later work of the "
                           "stream waits too");
        any = true;
    }
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
    struct ncs_str s = { 0 };
    ncs_fill_cycle(q, r, NULL, d);
    const struct ncs_unmet **of = waits_of_steps(q, r, d);
    for (size_t i = 0; i < d->f.cycles; i++) {
        calls |= of[i]->kind != NCS_UNMET_GATE;
        contact |= of[i]->contact;
        keys &= of[i]->kind != NCS_UNMET_GATE || ncs_is_key(q, of[i]);
    }
    format_host_cycle(q, d, of, &s);
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (keys)
        format_set_first(q, d, of, &s);
    else
        ncs_str_add(&s, calls ? "do not wait on the host for another rank before a call that this "
                                "rank waits for: make the call first"
                              : "let one of these ranks do what the other waits for before it "
                                "waits itself");
    if (contact)
        ncs_str_add(&s, "; first contact with a peer blocks the host until the peer has called "
                        "too");
    d->f.fix = ncs_plain(ncs_str_take(&s));
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
