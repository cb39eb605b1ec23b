/* A rank waits in the end of a communicator for graphs that captured its calls, and that only the rank itself can destroy. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

static const struct ncs_unmet *graph_gate(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_unmet *n = r->kind == NCS_CAUSE_CYCLE || r->kind == NCS_CAUSE_ABSENT ? r->unmet : NULL;
    bool fits = n && n->kind == NCS_UNMET_GATE && strcmp(q->snap->gate[n->gate].what, "graph") == 0;
    return fits ? n : NULL;
}

/* The job that waits at the gate. */
static const struct ncs_snap_job *graph_waiter(const struct ncs_analysis *q, const struct ncs_unmet *gate)
{
    for (size_t i = 0; i < q->snap->jobs; i++) {
        const struct ncs_snap_job *j = &q->snap->job[i];
        for (size_t k = 0; k < j->waits; k++) {
            const struct ncs_snap_wait *w = &q->snap->wait[j->wait + k];
            if (w->kind == NCS_WAIT_GATE && w->index == gate->gate)
                return j;
        }
    }
    return NULL;
}

static bool graph_holds_communicator_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *gate = graph_gate(q, r);
    const struct ncs_snap_job *j = gate ? graph_waiter(q, gate) : NULL;
    if (!j || !j->call)
        return false;
    const struct ncs_call *c = j->call;
    const char *comm = c->comm >= 0 ? ncs_comm_name(q, c->comm) : "the communicator";
    ncs_add_culprit(d, j->rank, 0, c->place.line);
    ncs_fill_unmet(q, d, gate, 0);
    d->order = c->id;
    d->f.why = ncs_say(graph_holds_communicator_why, ncs_fact_rank("who", j->rank), ncs_fact_call("call", q->journal, c),
                       ncs_fact_text("comm", comm));
    d->f.fix = ncs_say(graph_holds_communicator_fix, ncs_fact_text("comm", comm));
    ncs_free(d->f.title);
    d->f.title = ncs_sentence_take(ncs_say(graph_holds_communicator_title, ncs_fact_text("comm", comm)));
    return true;
}

const struct ncs_rule ncs_rule_graph_holds_communicator = { .match = graph_holds_communicator_match,
                                                            .ground = NCS_GROUND_MISUSE };
