/* The waits in graphviz's language: a box for each group of ranks, an arrow to the ranks that it
 * waits for. */
#include "report/waits.h"

#include "base/safe.h"

/* Text in quotes, in which graphviz obeys nothing. */
static void waits_dot_add_text(const char *text, struct ncs_str *out)
{
    struct ncs_str safe = { 0 };
    ncs_safe_line(&safe, text ? text : "");
    for (const char *p = safe.text ? safe.text : ""; *p; p++) {
        if (*p == '"' || *p == '\\')
            ncs_str_add(out, "\\");
        ncs_str_add_bytes(out, p, 1);
    }
    ncs_str_free(&safe);
}

static void waits_dot_add_label(const char *first, const char *second, struct ncs_str *out)
{
    bool both = *first && second && *second;
    ncs_str_add(out, "label=\"");
    waits_dot_add_text(first, out);
    ncs_str_add(out, both ? "\\n" : "");
    waits_dot_add_text(second, out);
    ncs_str_add(out, "\"");
}

static void waits_dot_add_node(const struct ncs_waits_graph *g, size_t i, struct ncs_str *out)
{
    const struct ncs_waits_node *n = &g->node[i];
    struct ncs_str who = { 0 }, state = { 0 };
    ncs_waits_who(n, &who);
    ncs_waits_state(n, &state);
    if (n->cause)
        ncs_str_addf(&state, " (%s)", n->cause->rule);
    ncs_str_addf(out, "  n%zu [", i);
    waits_dot_add_label(who.text, state.text, out);
    if (n->cause)
        ncs_str_add(out, ", style=filled, fillcolor=\"#f4b8b0\", color=\"#c02010\"");
    else if (n->bystander)
        ncs_str_add(out, ", style=dashed, color=\"#808080\"");
    ncs_str_add(out, "];\n");
    ncs_str_free(&who);
    ncs_str_free(&state);
}

/* True if the edge is a step of a finding's cycle. */
static bool is_step(const struct ncs_diagnosis *d, const struct ncs_waits_node *from, const struct ncs_waits_node *to)
{
    for (size_t i = 0; i < d->findings; i++)
        for (size_t k = 0; k < d->finding[i].cycles; k++) {
            const struct ncs_cycle_step *s = &d->finding[i].cycle[k];
            bool leaves = false, arrives = false;
            for (size_t r = 0; r < from->ranks; r++)
                leaves |= from->rank[r] == s->rank;
            for (size_t r = 0; r < to->ranks; r++)
                arrives |= to->rank[r] == s->waits_for;
            if (leaves && arrives)
                return true;
        }
    return false;
}

static void add_edge(const struct ncs_diagnosis *d, const struct ncs_waits_graph *g, size_t from, size_t to, struct ncs_str *out)
{
    static const char *const via[] = {
        [NCS_VIA_COLLECTIVE] = "collective",
        [NCS_VIA_PAIR] = "send and receive",
        [NCS_VIA_SIGNAL] = "signal",
        [NCS_VIA_STREAM] = "order of a stream",
        [NCS_VIA_EVENT] = "event",
        [NCS_VIA_HOST] = "host",
        [NCS_VIA_INIT] = "init",
        [NCS_VIA_STORE] = "store",
    };
    const struct ncs_waits_node *n = &g->node[from];
    struct ncs_str by = { 0 };
    ncs_waits_by(n, &by);
    ncs_str_addf(out, "  n%zu -> n%zu [", from, to);
    struct ncs_str inner = { 0 };
    if (from == to)
        ncs_waits_inner(n, &inner);
    waits_dot_add_label(by.bytes ? by.text : n->line->waiting ? via[n->line->via] : "", inner.bytes ? inner.text + 2 : NULL, out);
    ncs_str_free(&inner);
    if (is_step(d, n, &g->node[to]))
        ncs_str_add(out, ", color=\"#c02010\", penwidth=2");
    ncs_str_add(out, "];\n");
    ncs_str_free(&by);
}

void ncs_waits_dot(const struct ncs_diagnosis *d, const char *title, struct ncs_str *out)
{
    struct ncs_waits_graph graph;
    ncs_waits_build(d, &graph);
    ncs_str_add(out, "digraph waits {\n  ");
    waits_dot_add_label(title, NULL, out);
    ncs_str_add(out, ";\n  labelloc=t; rankdir=LR; node [shape=box];\n");
    for (size_t i = 0; i < graph.nodes; i++)
        waits_dot_add_node(&graph, i, out);
    for (size_t i = 0; i < graph.nodes; i++) {
        if (graph.node[i].inner != NCS_WAITS_NOT)
            add_edge(d, &graph, i, i, out);
        for (size_t k = 0; k < graph.node[i].targets; k++)
            add_edge(d, &graph, i, (size_t)graph.node[i].target[k], out);
    }
    ncs_str_add(out, "}\n");
    ncs_waits_free(&graph);
}
