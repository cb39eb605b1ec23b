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
static void format_lines(const struct calls *c, struct ncs_str *s)
{
    for (size_t k = 0; k < c->lines; k++)
        ncs_str_addf(s, "%s%d", k ? ", " : c->lines > 1 ? " at lines " : " at line ", c->line[k]);
}

static void text_format_left_out(const struct calls *c, int rank, struct ncs_str *why, struct ncs_str *fix)
{
    const char *name = text_name_of(ncs_change_fn(c->first));
    if (c->count == 1) {
        ncs_str_addf(why, "rank %d did not call %s", rank, name);
        ncs_str_addf(fix, "let rank %d call %s", rank, name);
    } else {
        ncs_str_addf(why, "rank %d left out %zu calls", rank, c->count);
        ncs_str_addf(fix, "let rank %d make the %zu calls", rank, c->count);
    }
    format_lines(c, why);
    format_lines(c, fix);
    ncs_str_add(fix, " too");
}

static void format_too_many(const struct calls *c, int rank, struct ncs_str *why, struct ncs_str *fix)
{
    const char *name = text_name_of(ncs_change_fn(c->first));
    if (c->count == 1) {
        ncs_str_addf(why, "rank %d called %s", rank, name);
        ncs_str_addf(fix, "leave out %s", name);
    } else {
        ncs_str_addf(why, "rank %d made %zu calls too many", rank, c->count);
        ncs_str_addf(fix, "leave out the %zu calls", c->count);
    }
    format_lines(c, why);
    ncs_str_add(why, c->count == 1 ? " once too often" : "");
    format_lines(c, fix);
    ncs_str_addf(fix, " on rank %d", rank);
}

static void text_format_peer(const struct ncs_change *c, int rank, struct ncs_str *why, struct ncs_str *fix)
{
    ncs_str_addf(why, "rank %d names rank %d in %s", rank, ncs_step_peer(c->model), text_name_of(c->model->fn));
    ncs_format_place(why, c->model);
    ncs_str_addf(why, "; by what the others do there it is to name rank %d", c->peer);
    ncs_str_addf(fix, "let rank %d name rank %d", rank, c->peer);
    ncs_format_place(fix, c->model);
}

static void explanation_text_format_change(const struct ncs_explanation *e, const struct ncs_change *c, struct ncs_str *why,
                                           struct ncs_str *fix)
{
    int rank = e->of->courses.of[c->course].rank;
    struct calls all = text_calls_of(e, c->course);
    if (c->kind == NCS_CHANGE_PEER)
        text_format_peer(c, rank, why, fix);
    else if (c->kind == NCS_CHANGE_PUT_IN)
        text_format_left_out(&all, rank, why, fix);
    else
        format_too_many(&all, rank, why, fix);
}

/* One part of the sentence for each course; wrong peers have one for each call. Changes are sorted
 * by course. */
static void format_all(const struct ncs_explanation *e, struct ncs_draft *d)
{
    struct ncs_str why = { 0 }, fix = { 0 };
    const struct ncs_change *last = NULL;
    for (size_t i = 0; i < e->changes; i++) {
        const struct ncs_change *c = &e->change[i];
        if (c->host || (last && c->kind != NCS_CHANGE_PEER && last->course == c->course))
            continue;
        ncs_str_add(&why, last ? "; " : "");
        ncs_str_add(&fix, last ? "; " : "");
        explanation_text_format_change(e, c, &why, &fix);
        last = c;
    }
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
}

bool ncs_explanation_word(const struct ncs_explanation *e, const struct ncs_edit *edit, struct ncs_drafts *all)
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
    format_all(e, &d);
    d.f.evidence = ncs_plain(ncs_copy_text("by what the other ranks did at the same place of the program"));
    ncs_draft_take(e->of->q, &r, rule_of(first), &d, all);
    return true;
}
