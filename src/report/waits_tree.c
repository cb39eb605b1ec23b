/* The waits as a text tree: awaited ranks stand above the ranks that wait for them. */
#include "report/waits.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

enum { SHOWN = 48, DEEPEST = 24 }; /* lines, and steps inward, unless all are asked for */

/* ---- words ---- */

void ncs_waits_who(const struct ncs_waits_node *node, struct ncs_str *out)
{
    ncs_str_add(out, node->ranks == 1 ? "rank " : "ranks ");
    ncs_str_add_many_ranks(out, node->rank, node->ranks);
    if (node->thread > 0)
        ncs_str_addf(out, ", thread %d", node->thread);
}

static const struct ncs_waits_words usual = { "does not wait", "do not wait", "-v" };

static void waits_tree_add_state(const struct ncs_waits_node *node, const struct ncs_waits_words *words, struct ncs_str *out)
{
    const struct ncs_wait_line *w = node->line;
    bool one = node->ranks == 1, said = node->state;
    int line = said ? node->state_line : w ? w->place.line : 0;
    if (said)
        ncs_str_add(out, node->state);
    else if (w)
        ncs_str_addf(out, "%s in %s", !w->waiting ? one ? "is" : "are" : one ? "waits" : "wait", w->in ? w->in : "a call");
    else
        ncs_str_add(out, one ? words->one : words->many);
    if (line > 0)
        ncs_str_addf(out, " at line %d", line);
}

void ncs_waits_state(const struct ncs_waits_node *node, struct ncs_str *out)
{
    waits_tree_add_state(node, &usual, out);
}

void ncs_waits_by(const struct ncs_waits_node *node, struct ncs_str *out)
{
    const struct ncs_wait_line *w = node->line;
    if (w->comm && w->call)
        ncs_str_addf(out, "%s call %" PRIu32, w->comm, w->call);
    else if (w->what || w->comm)
        ncs_str_add(out, w->what ? w->what : w->comm);
    if (w->comm && w->call && w->op) {
        ncs_str_add(out, ", ");
        ncs_str_add_bytes(out, w->op, node->ranks == 1 ? strlen(w->op) : ncs_waits_op_bytes(w));
    }
}

void ncs_waits_inner(const struct ncs_waits_node *n, struct ncs_str *s)
{
    if (n->inner == NCS_WAITS_ALL)
        ncs_str_add(s, n->ranks == 2 ? ", each for the other" : ", each for all the others");
    else if (n->inner == NCS_WAITS_CIRCLES)
        ncs_str_addf(s, ", each for the others of its %d", n->step);
    else if (n->inner == NCS_WAITS_NEXT)
        ncs_str_addf(s, ", each for the rank %d %s", n->step < 0 ? -n->step : n->step, n->step < 0 ? "before" : "further on");
    if (n->inner != NCS_WAITS_NOT && !(n->inner == NCS_WAITS_NEXT && n->leaves))
        ncs_str_add(s, ": a cycle");
}

/* ---- the tree ---- */

struct tree {
    const struct ncs_waits_graph *graph;
    const struct ncs_waits_words *words;
    struct ncs_str *out;
    struct ncs_str indent;
    bool *told, *open; /* by node: its line is printed; its subtree is being printed */
    size_t lines, depth;
    bool all;
};

static void add_by(const struct ncs_waits_node *n, struct ncs_str *s)
{
    struct ncs_str by = { 0 };
    if (n->line && n->line->waiting && !n->state)
        ncs_waits_by(n, &by);
    if (by.bytes)
        ncs_str_addf(s, " for %s", by.text);
    ncs_str_free(&by);
    ncs_waits_inner(n, s);
}

/* Adds "rank 2 waits in stream:sync at line 9 for world call 3, AllReduce float32 x 1 sum". */
static void waits_tree_add_line(struct tree *t, int node, bool again)
{
    const struct ncs_waits_node *n = &t->graph->node[node];
    struct ncs_str text = { 0 };
    ncs_waits_who(n, &text);
    if (again) {
        ncs_str_add(&text, t->open[node] ? " again: a cycle" : ", as above");
    } else {
        ncs_str_add(&text, " ");
        waits_tree_add_state(n, t->words, &text);
        add_by(n, &text);
        if (n->cause)
            ncs_str_addf(&text, "  <- cause: %s", n->cause->rule);
    }
    ncs_safe_line(t->out, text.text);
    ncs_str_add(t->out, "\n");
    ncs_str_free(&text);
    t->lines++;
}

static void waits_tree_emit(struct tree *t, int node, bool root);

static void waits_emit_waiters(struct tree *t, int node)
{
    const struct ncs_waits_node *n = &t->graph->node[node];
    for (size_t i = 0; i < n->waiters; i++) {
        bool last = i + 1 == n->waiters;
        if (!t->all && t->lines >= SHOWN)
            return;
        ncs_str_addf(t->out, "    %s%s", t->indent.text ? t->indent.text : "", last ? "`- " : "|- ");
        size_t was = t->indent.bytes;
        ncs_str_add(&t->indent, last ? "   " : "|  ");
        waits_tree_emit(t, n->waiter[i], false);
        t->indent.text[was] = '\0';
        t->indent.bytes = was;
    }
}

static void waits_tree_emit(struct tree *t, int node, bool root)
{
    bool again = t->told[node];
    if (root)
        ncs_str_add(t->out, "    ");
    waits_tree_add_line(t, node, again);
    if (again || (!t->all && t->depth >= DEEPEST))
        return;
    t->told[node] = t->open[node] = true;
    t->depth++;
    waits_emit_waiters(t, node);
    t->depth--;
    t->open[node] = false;
}

/* The roots: first causes, then ranks that do not wait, then the rest, which are circles. */
static void waits_emit_causes(struct tree *t)
{
    const struct ncs_waits_graph *g = t->graph;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < g->nodes; i++) {
            const struct ncs_waits_node *n = &g->node[i];
            bool root = pass == 2 || (pass == 0 ? n->cause != NULL : !n->targets);
            if (root && !t->told[i] && (t->all || t->lines < SHOWN))
                waits_tree_emit(t, (int)i, true);
        }
}

void ncs_waits_tree(const struct ncs_diagnosis *d, bool all, struct ncs_str *out)
{
    ncs_waits_tree_in(d, all, &usual, out);
}

void ncs_waits_tree_in(const struct ncs_diagnosis *d, bool all, const struct ncs_waits_words *words, struct ncs_str *out)
{
    struct ncs_waits_graph graph;
    ncs_waits_build(d, &graph);
    struct tree t = { .graph = &graph, .words = words, .out = out, .all = all };
    t.told = ncs_new(graph.nodes * sizeof *t.told);
    t.open = ncs_new(graph.nodes * sizeof *t.open);
    waits_emit_causes(&t);
    size_t left = 0;
    for (size_t i = 0; i < graph.nodes; i++)
        left += t.told[i] ? 0 : graph.node[i].ranks;
    if (left)
        ncs_str_addf(out, "    and %zu more; %s shows them\n", left, words->more);
    ncs_free(t.told);
    ncs_free(t.open);
    ncs_str_free(&t.indent);
    ncs_waits_free(&graph);
}
