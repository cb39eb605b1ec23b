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
    struct ncs_str s = { 0 };
    ncs_add_culprit(d, j->rank, 0, c->place.line);
    ncs_fill_unmet(q, d, gate, 0);
    d->order = c->id;
    ncs_str_addf(&s, "rank %d waits in %s", j->rank, ncs_fn_info[c->fn].name);
    ncs_format_line(&s, " at", c);
    ncs_str_addf(&s, " until no graph has calls on %s any more, and destroys such a graph only later, or never", comm);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("destroy the graphs, and what was made out of them, before %s", comm));
    ncs_free(d->f.title);
    d->f.title = ncs_text("a graph has calls on %s", comm);
    return true;
}

const struct ncs_rule ncs_rule_graph_holds_communicator = { .match = graph_holds_communicator_match,
                                                            .ground = NCS_GROUND_MISUSE };
