/* Walks over the graph of waiting: who comes to a node, what a context comes to, cycles. */
#include "diagnose/inquiry.h"

#include "base/mem.h"

bool *ncs_waiters(const struct ncs_inquiry *q, int node, bool direct)
{
    bool *seen = ncs_new(q->nodes * sizeof *seen);
    int *queue = ncs_new(q->nodes * sizeof *queue);
    size_t head = 0, tail = 0;
    queue[tail++] = node;
    while (head < tail) {
        int n = queue[head++];
        bool other = ncs_node_need(q, n) >= 0 || (size_t)n < q->snap->contexts;
        if (direct && n != node && other)
            continue;
        for (int e = q->in[n]; e >= 0; e = q->edge[e].next_in) {
            int from = q->edge[e].from;
            if (seen[from] || from == node)
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

int *ncs_needs_of(const struct ncs_inquiry *q, int context, size_t *needs)
{
    bool *seen = ncs_new(q->nodes * sizeof *seen);
    int *stack = ncs_new(q->nodes * sizeof *stack), *found = NULL;
    size_t depth = 0, room = 0;
    *needs = 0;
    stack[depth++] = context;
    seen[context] = true;
    while (depth > 0) {
        int n = stack[--depth], need = ncs_node_need(q, n);
        if (need >= 0) {
            NCS_PUSH(found, *needs, room, need);
            continue;
        }
        for (int e = q->out[n]; e >= 0; e = q->edge[e].next_out) {
            if (seen[q->edge[e].to])
                continue;
            seen[q->edge[e].to] = true;
            stack[depth++] = q->edge[e].to;
        }
    }
    ncs_free(seen);
    ncs_free(stack);
    for (size_t i = 1; i < *needs; i++)
        for (size_t k = i; k > 0 && found[k - 1] > found[k]; k--) {
            int swap = found[k];
            found[k] = found[k - 1];
            found[k - 1] = swap;
        }
    return found;
}

static bool is_gate(const struct ncs_inquiry *q, int node)
{
    int need = ncs_node_need(q, node);
    return need < 0 || q->need[need].kind == NCS_NEED_GATE;
}

int *ncs_cycle_of(const struct ncs_inquiry *q, size_t need, bool gates_only, size_t *length)
{
    int start = ncs_need_node(q, need), *from = ncs_new(q->nodes * sizeof *from);
    int *queue = ncs_new(q->nodes * sizeof *queue), *path = NULL, last = -1;
    size_t head = 0, tail = 0, room = 0;
    for (size_t i = 0; i < q->nodes; i++)
        from[i] = -1;
    queue[tail++] = start;
    while (head < tail && last < 0) {
        int n = queue[head++];
        for (int e = q->out[n]; e >= 0 && last < 0; e = q->edge[e].next_out) {
            int to = q->edge[e].to;
            if (gates_only && !is_gate(q, to))
                continue;
            if (to == start) {
                last = n;
            } else if (from[to] < 0) {
                from[to] = n;
                queue[tail++] = to;
            }
        }
    }
    *length = 0;
    for (int n = last; n >= 0; n = n == start ? -1 : from[n])
        NCS_PUSH(path, *length, room, n);
    for (size_t i = 0; i < *length / 2; i++) {
        int swap = path[i];
        path[i] = path[*length - 1 - i];
        path[*length - 1 - i] = swap;
    }
    ncs_free(from);
    ncs_free(queue);
    return path;
}

/* Marks what can be reached from a node, forward or backward. */
static bool *spread(const struct ncs_inquiry *q, int node, bool forward)
{
    bool *seen = ncs_new(q->nodes * sizeof *seen);
    int *stack = ncs_new(q->nodes * sizeof *stack);
    size_t depth = 0;
    stack[depth++] = node;
    seen[node] = true;
    while (depth > 0) {
        int n = stack[--depth];
        for (int e = forward ? q->out[n] : q->in[n]; e >= 0;
             e = forward ? q->edge[e].next_out : q->edge[e].next_in) {
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

/* What lies on a ring with the need is reached from it and reaches it. Of this, nodes from which
 * nothing leads on are taken away until none is left, or a ring. */
static bool cycle_left(const struct ncs_inquiry *q, size_t need, int rank, const int *gone,
                       size_t gones)
{
    int start = ncs_need_node(q, need);
    bool *in = spread(q, start, true), *back = spread(q, start, false);
    int *left = ncs_new(q->nodes * sizeof *left), *stack = ncs_new(q->nodes * sizeof *stack);
    size_t members = 0, depth = 0;
    for (size_t i = 0; i < q->nodes; i++) {
        in[i] = in[i] && back[i] && (rank < 0 || ncs_node_rank(q, (int)i) != rank);
        for (size_t k = 0; k < gones; k++)
            in[i] = in[i] && ncs_node_need(q, (int)i) != gone[k];
        members += in[i];
    }
    for (size_t i = 0; i < q->nodes; i++) {
        if (!in[i])
            continue;
        for (int e = q->out[i]; e >= 0; e = q->edge[e].next_out)
            left[i] += in[q->edge[e].to];
        if (left[i] == 0)
            stack[depth++] = (int)i;
    }
    while (depth > 0) {
        int n = stack[--depth];
        members--;
        for (int e = q->in[n]; e >= 0; e = q->edge[e].next_in)
            if (in[q->edge[e].from] && --left[q->edge[e].from] == 0)
                stack[depth++] = q->edge[e].from;
    }
    ncs_free(in);
    ncs_free(back);
    ncs_free(left);
    ncs_free(stack);
    return members > 0;
}

bool ncs_cycle_without(const struct ncs_inquiry *q, size_t need, int rank)
{
    return cycle_left(q, need, rank, NULL, 0);
}

bool ncs_cycle_without_needs(const struct ncs_inquiry *q, size_t need, const int *gone,
                             size_t gones)
{
    return cycle_left(q, need, -1, gone, gones);
}
