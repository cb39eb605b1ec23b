/* Walks over the graph of waiting: which contexts wait for an unmet wait, for which unmet waits a context waits, and
 * cycles. All walks have a stack or queue of their own: a graph of many thousand nodes would overflow recursion. */
#include "diagnose/analysis.h"

#include "base/mem.h"

bool *ncs_waiters(const struct ncs_analysis *q, const int *unmet, size_t unmets, bool direct)
{
    bool *seen = ncs_new(q->nodes * sizeof *seen);
    int *queue = ncs_new(q->nodes * sizeof *queue);
    size_t head = 0, tail = 0;
    for (; tail < unmets; tail++) {
        queue[tail] = unmet[tail];
        seen[unmet[tail]] = true;
    }
    while (head < tail) {
        bool first = head < unmets;
        int n = queue[head++];
        bool other = ncs_node_unmet(q, n) >= 0 || (size_t)n < q->snap->contexts;
        if (direct && !first && other)
            continue;
        for (int e = q->in[n]; e >= 0; e = q->edge[e].next_in) {
            int from = q->edge[e].from;
            if (seen[from])
                continue;
            seen[from] = true;
            queue[tail++] = from;
        }
    }
    ncs_free(queue);
    for (size_t i = q->snap->contexts; i < q->nodes; i++)
        seen[i] = false;
    return seen;
}

bool *ncs_direct_waiters(const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    int node = ncs_unmet_node(q, (size_t)(unmet - q->unmet));
    return ncs_waiters(q, &node, 1, true);
}

int *ncs_unmet_of(const struct ncs_analysis *q, int context, size_t *unmets)
{
    struct ncs_map seen = { 0 }; /* from each of many contexts few nodes are reached */
    int *stack = NULL, *found = NULL;
    size_t depth = 0, room = 0, stack_room = 0;
    *unmets = 0;
    NCS_PUSH(stack, depth, stack_room, context);
    ncs_map_put_number(&seen, (uint64_t)context, 1);
    while (depth > 0) {
        int n = stack[--depth], unmet = ncs_node_unmet(q, n);
        if (unmet >= 0) {
            NCS_PUSH(found, *unmets, room, unmet);
            continue;
        }
        for (int e = q->out[n]; e >= 0; e = q->edge[e].next_out) {
            if (ncs_map_number(&seen, (uint64_t)q->edge[e].to))
                continue;
            ncs_map_put_number(&seen, (uint64_t)q->edge[e].to, 1);
            NCS_PUSH(stack, depth, stack_room, q->edge[e].to);
        }
    }
    ncs_map_free(&seen);
    ncs_free(stack);
    for (size_t i = 1; i < *unmets; i++)
        for (size_t k = i; k > 0 && found[k - 1] > found[k]; k--) {
            int swap = found[k];
            found[k] = found[k - 1];
            found[k - 1] = swap;
        }
    return found;
}

static bool reach_is_gate(const struct ncs_analysis *q, int node)
{
    int unmet = ncs_node_unmet(q, node);
    return unmet < 0 || q->unmet[unmet].kind == NCS_UNMET_GATE;
}

/* By node: the number of edges from it to `start`; 0 = not reached. The search ends as soon as it closes the shortest
 * cycle through `start`, whose length is *around (0 = there is none). It goes against the edges, because few nodes
 * wait for an unmet wait, while thousands of contexts may be able to end it. */
static int *distances_to(const struct ncs_analysis *q, int start, bool gates_only, int *around)
{
    int *far = ncs_new(q->nodes * sizeof *far), *queue = ncs_new(q->nodes * sizeof *queue);
    size_t head = 0, tail = 0;
    *around = 0;
    queue[tail++] = start;
    while (head < tail && !*around) {
        int n = queue[head++];
        for (int e = q->in[n]; e >= 0 && !*around; e = q->edge[e].next_in) {
            int from = q->edge[e].from;
            if (from == start)
                *around = far[n] + 1;
            if (from == start || far[from] || (gates_only && !reach_is_gate(q, from)))
                continue;
            far[from] = far[n] + 1;
            queue[tail++] = from;
        }
    }
    ncs_free(queue);
    return far;
}

int *ncs_cycle_of(const struct ncs_analysis *q, size_t unmet, bool gates_only, size_t *length)
{
    int start = ncs_unmet_node(q, unmet), around, *path = NULL;
    int *far = distances_to(q, start, gates_only, &around);
    size_t room = 0;
    *length = 0;
    for (int n = start, left = around; left > 0; left--) {
        NCS_PUSH(path, *length, room, n);
        int e = q->out[n];
        while (left > 1 && (q->edge[e].to == start || far[q->edge[e].to] != left - 1))
            e = q->edge[e].next_out;
        n = left > 1 ? q->edge[e].to : start;
    }
    ncs_free(far);
    return path;
}

/* Marks the nodes that can be reached from a node, along the edges (forward) or against them. The caller frees it. */
static bool *reach_from(const struct ncs_analysis *q, int node, bool forward)
{
    bool *seen = ncs_new(q->nodes * sizeof *seen);
    int *stack = ncs_new(q->nodes * sizeof *stack);
    size_t depth = 0;
    stack[depth++] = node;
    seen[node] = true;
    while (depth > 0) {
        int n = stack[--depth];
        for (int e = forward ? q->out[n] : q->in[n]; e >= 0; e = forward ? q->edge[e].next_out : q->edge[e].next_in) {
            int next = forward ? q->edge[e].to : q->edge[e].from;
            if (seen[next])
                continue;
            seen[next] = true;
            stack[depth++] = next;
        }
    }
    ncs_free(stack);
    return seen;
}

/* All nodes on cycles through an unmet wait, its strongly connected part of the graph: they are reached from it and
 * reach it. */
struct reach_cycles {
    int *node;
    size_t nodes;
    int *at;   /* by node of the graph: index in `node`; -1 = not in one of them */
    int *left; /* by index: edges that lead on, as nodes are taken away */
    int *stack;
};

static struct reach_cycles reach_cycles_of(const struct ncs_analysis *q, size_t unmet)
{
    int start = ncs_unmet_node(q, unmet);
    bool *in = reach_from(q, start, true), *back = reach_from(q, start, false);
    struct reach_cycles c = { .at = ncs_new(q->nodes * sizeof *c.at) };
    for (size_t i = 0; i < q->nodes; i++)
        c.nodes += in[i] = in[i] && back[i];
    c.node = ncs_new(c.nodes * sizeof *c.node);
    c.left = ncs_new(c.nodes * sizeof *c.left);
    c.stack = ncs_new(c.nodes * sizeof *c.stack);
    c.nodes = 0;
    for (size_t i = 0; i < q->nodes; i++) {
        c.at[i] = in[i] ? (int)c.nodes : -1;
        if (in[i])
            c.node[c.nodes++] = (int)i;
    }
    ncs_free(in);
    ncs_free(back);
    return c;
}

static void free_cycles(struct reach_cycles *c)
{
    ncs_free(c->node);
    ncs_free(c->at);
    ncs_free(c->left);
    ncs_free(c->stack);
}

/* Takes away the nodes with left < 0 and then, again and again, nodes without an edge to a node that remains. The
 * nodes that remain (left > 0) lie on cycles or lead into one. Returns their number: 0 = no cycle is left. Each
 * edge is looked at twice at most. */
static size_t take_apart(const struct ncs_analysis *q, struct reach_cycles *c)
{
    size_t depth = 0, remain = 0;
    for (size_t i = 0; i < c->nodes; i++) {
        if (c->left[i] < 0)
            continue;
        c->left[i] = 0;
        for (int e = q->out[c->node[i]]; e >= 0; e = q->edge[e].next_out) {
            int to = c->at[q->edge[e].to];
            c->left[i] += to >= 0 && c->left[to] >= 0;
        }
        remain++;
        if (c->left[i] == 0)
            c->stack[depth++] = (int)i;
    }
    while (depth > 0) {
        int n = c->stack[--depth];
        remain--;
        for (int e = q->in [c->node[n]]; e >= 0; e = q->edge[e].next_in) {
            int from = c->at[q->edge[e].from];
            if (from >= 0 && c->left[from] > 0 && --c->left[from] == 0)
                c->stack[depth++] = from;
        }
    }
    return remain;
}

bool ncs_cycle_without(const struct ncs_analysis *q, size_t unmet, const int *gone, size_t gones)
{
    struct reach_cycles c = reach_cycles_of(q, unmet);
    for (size_t i = 0; i < gones; i++) {
        int at = gone[i] >= 0 ? c.at[ncs_unmet_node(q, (size_t)gone[i])] : -1;
        if (at >= 0)
            c.left[at] = -1;
    }
    bool any = take_apart(q, &c) > 0;
    free_cycles(&c);
    return any;
}

/* A rank that breaks all cycles lies on each of them, so the candidates are reduced to the ranks of
 * one remaining cycle. */
static void keep_one_cycle(const struct ncs_analysis *q, const struct reach_cycles *c, bool *is)
{
    bool *seen = ncs_new(c->nodes * sizeof *seen), *on = ncs_new((size_t)q->ranks + 1);
    int at = 0;
    while (c->left[at] <= 0)
        at++;
    for (int turn = 0; turn < 2; turn++) { /* the first may lead into the cycle, the second goes around it */
        for (size_t i = 0; i < c->nodes; i++)
            seen[i] = false;
        while (!seen[at]) {
            seen[at] = true;
            int rank = ncs_node_rank(q, c->node[at]), next = -1;
            if (turn == 1 && rank >= 0)
                on[rank] = true;
            for (int e = q->out[c->node[at]]; e >= 0 && next < 0; e = q->edge[e].next_out) {
                int to = c->at[q->edge[e].to];
                next = to >= 0 && c->left[to] > 0 ? to : -1;
            }
            at = next;
        }
    }
    for (int r = 0; r < q->ranks; r++)
        is[r] = is[r] && on[r];
    ncs_free(seen);
    ncs_free(on);
}

bool *ncs_cycle_breakers(const struct ncs_analysis *q, size_t unmet)
{
    struct reach_cycles c = reach_cycles_of(q, unmet);
    bool *is = ncs_new(((size_t)q->ranks + 1) * sizeof *is), single = true;
    for (size_t i = 0; i < c.nodes; i++)
        if (ncs_node_rank(q, c.node[i]) >= 0)
            is[ncs_node_rank(q, c.node[i])] = true;
    take_apart(q, &c);
    for (size_t i = 0; i < c.nodes; i++)
        single = single && c.left[i] == 1;
    for (int r = 0; r < q->ranks && !single; r++) { /* in a single cycle, every rank breaks it */
        if (!is[r])
            continue;
        for (size_t i = 0; i < c.nodes; i++)
            c.left[i] = ncs_node_rank(q, c.node[i]) == r ? -1 : 0;
        if (take_apart(q, &c) > 0)
            keep_one_cycle(q, &c, is);
    }
    free_cycles(&c);
    return is;
}
