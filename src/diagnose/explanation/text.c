/* The finding of an explanation for which no rule has words: which calls each rank left out, made
 * in excess, or made with a wrong peer. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/mem.h"

enum { MOST_LINES = 4 };

/* The rule that reports a call which is left out, or one too many. A missing message is reported as
 * its peer's unmatched one. */
static const char *rule_of(const struct ncs_change *c)
{
    bool put_in = c->kind == NCS_CHANGE_PUT_IN;
    if (ncs_call_is_one_sided(c->model))
        return "signal-missing";
    if (c->kind == NCS_CHANGE_PEER)
        return "wrong-peer";
    if (ncs_call_is_pair(c->model))
        return (ncs_change_fn(c) == NCS_FN_ncclSend) == put_in ? "recv-without-send" : "send-without-recv";
    return put_in ? "skipped-call" : "extra-call";
}

/* The change that names the rule: a collective, else a message; NULL = all are of hosts. A missing
 * collective is the larger mistake, and messages often only follow from it. */
static const struct ncs_change *first_of(const struct ncs_explanation *e)
{
    const struct ncs_change *message = NULL;
    for (size_t i = 0; i < e->changes; i++) {
        const struct ncs_change *c = &e->change[i];
        if (c->host)
            continue;
        if (!ncs_call_is_pair(c->model) && !ncs_call_is_one_sided(c->model))
            return c;
        message = message ? message : c;
    }
    return message;
}

/* Adds every rank that has not ended: the explanation lets all of them go on, so its mistake blocks
 * all. */
static void add_blocked(const struct ncs_analysis *q, struct ncs_draft *d)
{
    for (size_t i = 0; i < q->snap->contexts; i++)
        if (q->snap->context[i].state != NCS_CONTEXT_ENDED && q->snap->context[i].rank >= 0)
            ncs_add_blocked_rank(d, q->snap->context[i].rank);
}

static bool is_before(const struct ncs_unmet *a, const struct ncs_unmet *b)
{
    const struct ncs_call *x = a->call, *y = b->call;
    return x->comm != y->comm ? x->comm < y->comm : x->number != y->number ? x->number < y->number : x->comm_rank < y->comm_rank;
}

/* The unmet wait for the finding's rows: the first at which the rank is missed, or waits; else the
 * first of all. */
static const struct ncs_unmet *text_unmet_of(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_unmet *best = NULL;
    bool best_fits = false;
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        bool fits = false;
        if (!n->call || n->kind == NCS_UNMET_GATE)
            continue;
        for (size_t k = 0; k < n->absents && n->comm == c->comm; k++)
            fits |= n->absent[k].comm_rank == c->comm_rank;
        for (size_t k = 0; k < n->presents && n->comm == c->comm; k++)
            fits |= n->present[k]->comm_rank == c->comm_rank;
        if (!best || fits > best_fits || (fits == best_fits && is_before(n, best))) {
            best = n;
            best_fits = fits;
        }
    }
    return best;
}

static int text_line_of(const struct ncs_change *c)
{
    return c->like ? c->like->call->place.line : c->model->place.line;
}

/* The calls of one course that the explanation inserts or removes, and the lines of their places
 * without repetition, MOST_LINES of them. */
struct calls {
    const struct ncs_change *first;
    size_t count;
    int line[MOST_LINES];
    size_t lines;
};

static struct calls text_calls_of(const struct ncs_explanation *e, size_t course)
{
    struct calls all = { 0 };
    for (size_t i = 0; i < e->changes; i++) {
        const struct ncs_change *c = &e->change[i];
        if (c->course != course || c->host)
            continue;
        bool known = !text_line_of(c);
        for (size_t k = 0; k < all.lines; k++)
            known |= all.line[k] == text_line_of(c);
        if (!known && all.lines < MOST_LINES)
            all.line[all.lines++] = text_line_of(c);
        all.first = all.first ? all.first : c;
        all.count++;
    }
    return all;
}

static const char *text_name_of(enum ncs_fn fn)
{
    return ncs_fn_info[fn].lua_name ? ncs_fn_info[fn].lua_name : ncs_fn_info[fn].name;
}

/* " at line 12", " at lines 12, 14" */
static struct ncs_fact fact_lines(const struct calls *c)
{
    struct ncs_str list = { 0 };
    for (size_t k = 0; k < c->lines; k++)
        ncs_str_addf(&list, "%s%d", k ? ", " : "", c->line[k]);
    struct ncs_sentence *s = c->lines
                                 ? ncs_say(explained_lines, ncs_fact_is("one", c->lines == 1), ncs_fact_text("list", list.text))
                                 : NULL;
    ncs_str_free(&list);
    return ncs_fact_sentence("lines", s);
}

/* The change behind those before it. */
static struct ncs_sentence *say_change(enum ncs_phrase phrase, const struct ncs_explanation *e, const struct ncs_change *c,
                                       struct ncs_sentence *before)
{
    struct calls all = text_calls_of(e, c->course);
    bool peer = c->kind == NCS_CHANGE_PEER;
    struct ncs_fact fact[] = { { 0 },
                               ncs_fact_sentence("before", before),
                               ncs_fact_rank("who", e->of->courses.of[c->course].rank),
                               ncs_fact_text("function", text_name_of(peer ? c->model->fn : ncs_change_fn(all.first))),
                               ncs_fact_is("one", all.count == 1),
                               ncs_fact_number("calls", (int64_t)all.count),
                               fact_lines(&all),
                               ncs_fact_call("call", e->of->q->journal, c->model),
                               ncs_fact_rank("named", peer ? ncs_step_peer(c->model) : 0),
                               ncs_fact_rank("meant", c->peer) };
    return ncs_sentence_of(phrase, fact, sizeof fact / sizeof *fact);
}

/* One part of the sentence for each course; wrong peers have one for each call. Changes are sorted
 * by course. */
static void say_all(const struct ncs_explanation *e, struct ncs_draft *d)
{
    const struct ncs_change *last = NULL;
    for (size_t i = 0; i < e->changes; i++) {
        const struct ncs_change *c = &e->change[i];
        if (c->host || (last && c->kind != NCS_CHANGE_PEER && last->course == c->course))
            continue;
        bool peer = c->kind == NCS_CHANGE_PEER, put_in = c->kind == NCS_CHANGE_PUT_IN;
        d->f.why = say_change(peer     ? NCS_PHRASE_explained_peer
                              : put_in ? NCS_PHRASE_explained_left_out
                                       : NCS_PHRASE_explained_too_many,
                              e, c, d->f.why);
        d->f.fix = say_change(peer     ? NCS_PHRASE_explained_peer_fix
                              : put_in ? NCS_PHRASE_explained_left_out_fix
                                       : NCS_PHRASE_explained_too_many_fix,
                              e, c, d->f.fix);
        last = c;
    }
}

bool ncs_explanation_word(const struct ncs_explanation *e, const struct ncs_edit *edit, struct ncs_why why,
                          struct ncs_drafts *all)
{
    const struct ncs_change *first = first_of(e);
    const struct ncs_unmet *n = text_unmet_of(e->of, first);
    struct ncs_cause r = { .kind = NCS_CAUSE_ABSENT, .unmet = n, .comm = -1, .rank = -1, .edit = edit, .edits = e->changes };
    struct ncs_draft d = { .order = UINT64_MAX };
    if (!n)
        return false;
    for (size_t i = 0; i < e->changes; i++) {
        const struct ncs_change *c = &e->change[i];
        bool made = !c->host && c->kind != NCS_CHANGE_PUT_IN;
        ncs_add_culprit(&d, e->of->courses.of[c->course].rank, made ? c->model->number : 0, made ? text_line_of(c) : 0);
    }
    ncs_fill_unmet(e->of->q, &d, n, n->call->number);
    if (first->kind != NCS_CHANGE_PUT_IN) {
        d.f.call = first->model->number;
        ncs_set_title(e->of->q, &d, first->model);
    }
    add_blocked(e->of->q, &d);
    d.f.bystanders = 0;
    say_all(e, &d);
    d.f.evidence = ncs_say(explained_evidence);
    ncs_decided(&d.f, why, "%s", rule_of(first));
    ncs_draft_take(e->of->q, &r, rule_of(first), &d, all);
    return true;
}
