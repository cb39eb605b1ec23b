/* Calls that a launch of a graph carried out: the place of a call is where it was captured, so a finding says where
 * the graph was launched. No change of a single call repairs them. */
#include <stdlib.h>

#include "base/mem.h"
#include "diagnose/rules/rule.h"

struct launched {
    const struct ncs_call **call; /* each pair of places once */
    size_t count, room;
};

static void launched_add(struct launched *l, const struct ncs_call *c)
{
    if (!c || !ncs_call_rare(c)->launched)
        return;
    for (size_t i = 0; i < l->count; i++)
        if (l->call[i]->place.line == c->place.line &&
            ncs_call_rare(l->call[i])->launched->place.line == ncs_call_rare(c)->launched->place.line)
            return;
    NCS_PUSH(l->call, l->count, l->room, c);
}

static const struct ncs_call *launched_numbered(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t number)
{
    return number ? ncs_journal_call(q->journal, comm, comm_rank, number) : NULL;
}

/* Calls that edits name. */
static void launched_of_edits(const struct ncs_analysis *q, const struct ncs_draft *d, struct launched *l)
{
    for (size_t i = 0; i < d->f.repairs; i++) {
        const struct ncs_edit *e = &d->f.repair[i];
        if (e->of_host)
            continue;
        launched_add(l, launched_numbered(q, e->comm, e->comm_rank, e->kind == NCS_EDIT_INSERT ? 0 : e->call));
        launched_add(l, launched_numbered(q, e->other_comm >= 0 ? e->other_comm : e->comm,
                                          e->other_comm >= 0 ? e->other_comm_rank : e->comm_rank, e->other));
        if (e->kind == NCS_EDIT_INSERT && e->model >= 0)
            launched_add(l, launched_numbered(q, e->comm, e->model_comm_rank, e->model_call));
    }
}

/* The call of a launch that the fix says to make; NULL = none. */
static const struct ncs_call *launched_model(const struct ncs_analysis *q, const struct ncs_draft *d)
{
    if (d->advised)
        return ncs_call_rare(d->advised)->launched ? d->advised : NULL;
    for (size_t i = 0; i < d->f.repairs; i++) {
        const struct ncs_edit *e = &d->f.repair[i];
        const struct ncs_call *c = e->of_host || e->kind != NCS_EDIT_INSERT || e->model < 0
                                       ? NULL
                                       : launched_numbered(q, e->comm, e->model_comm_rank, e->model_call);
        if (c && ncs_call_rare(c)->launched)
            return c;
    }
    return NULL;
}

static int launched_order(const void *a, const void *b)
{
    const struct ncs_call *x = *(const struct ncs_call *const *)a, *y = *(const struct ncs_call *const *)b;
    return x->place.line != y->place.line ? (x->place.line < y->place.line ? -1 : 1)
                                          : ncs_call_rare(x)->launched->place.line - ncs_call_rare(y)->launched->place.line;
}

static void drop_edits(struct ncs_draft *d)
{
    for (size_t i = 0; i < d->f.repairs; i++)
        ncs_edit_free(&d->f.repair[i]);
    ncs_free(d->f.repair);
    d->f.repair = NULL;
    d->f.repairs = 0;
}

/* Adds to why: "the call at line 5 is in a graph that lines 8, 12 launch". */
static void say_launches(const struct ncs_analysis *q, const struct launched *l, struct ncs_draft *d)
{
    for (size_t i = 0, end; i < l->count; i = end) {
        struct ncs_str lines = { 0 };
        for (end = i; end < l->count && l->call[end]->place.line == l->call[i]->place.line; end++)
            ncs_str_addf(&lines, "%s%d", end > i ? ", " : "", ncs_call_rare(l->call[end])->launched->place.line);
        d->f.why = ncs_say(launches, ncs_fact_sentence("why", d->f.why), ncs_fact_is("first", i == 0),
                           ncs_fact_call("call", q->journal, l->call[i]), ncs_fact_text("lines", lines.text),
                           ncs_fact_line("one", end - i == 1 ? ncs_call_rare(l->call[i])->launched->place.line : 0));
        ncs_str_free(&lines);
    }
}

void ncs_add_launches(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct launched l = { 0 };
    launched_of_edits(q, d, &l);
    const struct ncs_call *model = launched_model(q, d);
    if (model && d->f.fix)
        d->f.fix = ncs_say(launched_fix, ncs_fact_sentence("fix", d->f.fix),
                           ncs_fact_line("line", ncs_call_rare(model)->launched->place.line));
    bool left = r->absents && r->absent[0]->reason == NCS_ABSENT_DESTROYED; /* needs no trial */
    d->f.launched = l.count > 0 && !left;
    if (l.count)
        drop_edits(d);
    for (size_t i = 0; r->unmet && i < r->unmet->presents; i++)
        launched_add(&l, r->unmet->present[i]);
    for (size_t i = 0; i < r->calls; i++)
        launched_add(&l, r->call[i]);
    if (l.count && d->f.why) {
        qsort(l.call, l.count, sizeof *l.call, launched_order);
        say_launches(q, &l, d);
    }
    ncs_free(l.call);
}
