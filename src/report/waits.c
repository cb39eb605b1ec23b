/* Builds the graph of waits: folds ranks that wait alike into nodes, and connects the nodes. */
#include "report/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { MANY = 16 }; /* from here on, ranks that each wait for one other are folded, too */

/* A waiting thread, and the keys by which it is folded with others. */
struct waiter {
    const struct ncs_wait_line *line;
    const struct ncs_finding *cause;
    const struct ncs_finding_row *row; /* a culprit's row in the finding */
    uint64_t same;                     /* hash of all but the ranks it waits for */
    uint64_t peers, circle, step;      /* hash of these; with itself; distance, 0 = not one rank */
    int node;                          /* -1 = none yet */
    int twin;                          /* earlier line of its rank about the same wait; -1 = none */
};

struct entry {
    int node, next; /* -1 = the last */
};

struct build {
    const struct ncs_diagnosis *d;
    struct ncs_waits_graph *graph;
    struct waiter *waiter;
    int ranks;
    int *first; /* by rank: first entry of its nodes, -1 = none */
    struct entry *entry;
    size_t entries, entries_room;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text ? ncs_hash_bytes(hash, text, strlen(text) + 1) : ncs_hash(hash, 7);
}

static const struct ncs_finding *waits_cause_of(const struct ncs_diagnosis *d, int rank)
{
    for (size_t i = 0; i < d->findings; i++)
        for (size_t k = 0; k < d->finding[i].culprits; k++)
            if (d->finding[i].level == NCS_LEVEL_ERROR && d->finding[i].culprit[k].rank == rank)
                return &d->finding[i];
    return NULL;
}

static bool is_bystander(const struct ncs_diagnosis *d, int rank)
{
    for (size_t i = 0; i < d->findings; i++)
        for (size_t k = 0; k < d->finding[i].bystanders; k++)
            if (d->finding[i].bystander[k] == rank)
                return true;
    return false;
}

static const struct ncs_finding_row *row_in(const struct ncs_finding *f, int rank)
{
    for (size_t i = 0; f && i < f->rows; i++)
        if (f->row[i].rank == rank)
            return &f->row[i];
    return NULL;
}

static const struct ncs_finding_row *waits_row_of(const struct ncs_diagnosis *d, int rank)
{
    const struct ncs_finding_row *row = row_in(waits_cause_of(d, rank), rank);
    for (size_t i = 0; i < d->findings && !row; i++)
        row = row_in(&d->finding[i], rank);
    return row;
}

/* ---- what waits alike ---- */

static int waits_count_ranks(const struct ncs_diagnosis *d)
{
    int ranks = 0;
    for (size_t i = 0; i < d->waits; i++) {
        const struct ncs_wait_line *w = &d->wait[i];
        ranks = w->rank >= ranks ? w->rank + 1 : ranks;
        for (size_t k = 0; k < w->peers; k++)
            ranks = w->peer[k] >= ranks ? w->peer[k] + 1 : ranks;
    }
    return ranks;
}

static void look_at_peers(const struct build *b, struct waiter *w)
{
    const struct ncs_wait_line *line = w->line;
    bool self = false;
    w->peers = w->circle = 1;
    for (size_t i = 0; i < line->peers; i++) {
        if (!self && line->peer[i] >= line->rank) {
            self = true;
            w->circle = ncs_hash(w->circle, (uint64_t)line->rank);
        }
        w->peers = ncs_hash(w->peers, (uint64_t)line->peer[i]);
        if (line->peer[i] != line->rank)
            w->circle = ncs_hash(w->circle, (uint64_t)line->peer[i]);
    }
    if (!self)
        w->circle = ncs_hash(w->circle, (uint64_t)line->rank);
    if (line->peers == 1 && line->peer[0] != line->rank)
        w->step = (uint64_t)((line->peer[0] - line->rank + b->ranks) % b->ranks);
}

size_t ncs_waits_op_bytes(const struct ncs_wait_line *line)
{
    size_t bytes = line->op ? strlen(line->op) : 0;
    const char *to = line->op ? strstr(line->op, " to ") : NULL;
    const char *from = line->op ? strstr(line->op, " from ") : NULL;
    if (line->via != NCS_VIA_PAIR && line->via != NCS_VIA_SIGNAL)
        return bytes;
    return to ? (size_t)(to - line->op) : from ? (size_t)(from - line->op) : bytes;
}

/* The thread, unless the rank alone identifies it (then 0). */
static int named_thread(const struct ncs_diagnosis *d, const struct ncs_wait_line *line)
{
    bool party = line->rank >= 0 && (size_t)line->rank < d->parties;
    return party && d->party[line->rank].thread == line->thread ? 0 : line->thread;
}

static void waits_search(const struct build *b, struct waiter *w, const struct ncs_wait_line *line)
{
    *w = (struct waiter){ .line = line, .node = -1, .twin = -1, .cause = waits_cause_of(b->d, line->rank) };
    w->row = row_in(w->cause, line->rank);
    if (w->row && strncmp(ncs_sentence_text(w->row->said), "waits ", 6) == 0)
        w->row = NULL; /* every waiting rank has such a row */
    uint64_t h = hash_text(1, line->in);
    h = ncs_hash(hash_text(h, line->comm), line->call);
    h = ncs_hash_bytes(h, line->op ? line->op : "", ncs_waits_op_bytes(line));
    h = hash_text(h, line->what);
    h = ncs_hash(h, (uint64_t)line->place.line);
    h = ncs_hash(h, (uint64_t)line->via * 2 + line->waiting);
    h = ncs_hash(h, (uint64_t)named_thread(b->d, line));
    h = hash_text(h, w->cause ? w->cause->rule : NULL);
    h = w->row ? hash_text(ncs_hash(h, (uint64_t)w->row->line), ncs_sentence_text(w->row->said)) : h;
    w->same = ncs_hash(h, is_bystander(b->d, line->rank));
    look_at_peers(b, w);
}

/* A rank that waits for its stream, and the callback on which the stream waits, wait
 * for the same thing. */
static void find_twin(const struct build *b, size_t at)
{
    const struct ncs_wait_line *w = &b->d->wait[at];
    for (size_t i = at; i-- > 0 && b->d->wait[i].rank == w->rank && w->what && w->thread == 0;)
        if (b->d->wait[i].thread == 0 && b->d->wait[i].what && strcmp(b->d->wait[i].what, w->what) == 0)
            b->waiter[at].twin = (int)i;
}

static void waits_visit(struct build *b, int rank, int node)
{
    struct entry entry = { node, b->first[rank] };
    NCS_PUSH(b->entry, b->entries, b->entries_room, entry);
    b->first[rank] = (int)b->entries - 1;
}

/* Adds ranks in ascending order. A rank with several threads may come more than once. */
static void waits_add_rank(struct build *b, int rank, int node)
{
    struct ncs_waits_node *n = &b->graph->node[node];
    if (!n->ranks || n->rank[n->ranks - 1] != rank)
        NCS_PUSH(n->rank, n->ranks, n->ranks_room, rank);
    waits_visit(b, rank, node);
}

static int waits_new_node(struct build *b, const struct waiter *w)
{
    struct ncs_waits_node node = { .line = w->line,
                                   .thread = named_thread(b->d, w->line),
                                   .cause = w->cause,
                                   .bystander = is_bystander(b->d, w->line->rank),
                                   .state = w->row ? ncs_sentence_text(w->row->said) : NULL,
                                   .state_line = w->row ? w->row->line : 0 };
    NCS_PUSH(b->graph->node, b->graph->nodes, b->graph->nodes_room, node);
    return (int)b->graph->nodes - 1;
}

static uint64_t waits_key_of(const struct waiter *w, int how)
{
    return ncs_hash(w->same, how == 0 ? w->peers : how == 1 ? w->circle : w->step);
}

static bool may_fold(const struct build *b, const struct waiter *w, int how)
{
    bool many = b->d->waits > MANY;
    return w->node < 0 && w->twin < 0 &&
           (how == 0 || (how == 1 && (many || w->line->peers > 1)) || (how == 2 && many && w->step));
}

struct keyed {
    uint64_t key;
    size_t at;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    return x->key != y->key ? x->key < y->key ? -1 : 1 : (x->at > y->at) - (x->at < y->at);
}

/* Folds waiters that are alike into nodes of at least so many ranks. `how`: 0 they wait for
 * the same ranks, 1 for each other, 2 each for the one at the same distance. Nodes of one
 * rank are made last. */
static void waits_fold(struct build *b, int how, size_t least)
{
    struct keyed *list = ncs_new(b->d->waits * sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < b->d->waits; i++)
        if (may_fold(b, &b->waiter[i], how))
            list[count++] = (struct keyed){ waits_key_of(&b->waiter[i], how), i };
    qsort(list, count, sizeof *list, by_key);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && list[i + n].key == list[i].key;)
            n++;
        if (n < least)
            continue;
        const struct waiter *w = &b->waiter[list[i].at];
        int node = waits_new_node(b, w);
        b->graph->node[node].inner = n == 1     ? NCS_WAITS_NOT
                                     : how == 1 ? NCS_WAITS_ALL
                                     : how == 2 ? NCS_WAITS_NEXT
                                                : NCS_WAITS_NOT;
        bool back = w->step > (uint64_t)b->ranks / 2;
        b->graph->node[node].step = (int)w->step - (back ? b->ranks : 0);
        for (size_t k = 0; k < n; k++)
            b->waiter[list[i + k].at].node = node;
    }
    ncs_free(list);
}

struct merged {
    uint64_t same;
    size_t ranks;
    int node;
};

/* Merges nodes whose ranks form equal circles, each of as many ranks. */
static void merge_circles(struct build *b)
{
    struct ncs_waits_graph *g = b->graph;
    size_t *ranks = ncs_new((g->nodes + 1) * sizeof *ranks);
    int *into = ncs_new((g->nodes + 1) * sizeof *into);
    struct merged *kind = ncs_new((g->nodes + 1) * sizeof *kind);
    size_t kinds = 0;
    for (size_t i = 0; i < b->d->waits; i++)
        if (b->waiter[i].node >= 0)
            ranks[b->waiter[i].node]++;
    for (size_t n = 0; n < g->nodes; n++) {
        const struct waiter *w = &b->waiter[g->node[n].line - b->d->wait];
        size_t k = 0;
        into[n] = (int)n;
        for (; k < kinds && (kind[k].same != w->same || kind[k].ranks != ranks[n]); k++)
            ;
        if (g->node[n].inner != NCS_WAITS_ALL)
            continue;
        if (k == kinds)
            kind[kinds++] = (struct merged){ w->same, ranks[n], (int)n };
        into[n] = kind[k].node;
        if (into[n] != (int)n) {
            g->node[into[n]].inner = NCS_WAITS_CIRCLES;
            g->node[into[n]].step = (int)ranks[n];
        }
    }
    for (size_t i = 0; i < b->d->waits; i++)
        if (b->waiter[i].node >= 0)
            b->waiter[i].node = into[b->waiter[i].node];
    ncs_free(ranks);
    ncs_free(into);
    ncs_free(kind);
}

/* Removes nodes whose ranks all went into other nodes. */
static void drop_empty(struct build *b)
{
    struct ncs_waits_graph *g = b->graph;
    int *now = ncs_new((g->nodes + 1) * sizeof *now);
    size_t kept = 0;
    for (size_t i = 0; i < b->d->waits; i++)
        now[b->waiter[i].node] = 1;
    for (size_t n = 0; n < g->nodes; n++) {
        bool full = now[n];
        now[n] = (int)kept;
        if (full)
            g->node[kept++] = g->node[n];
    }
    g->nodes = kept;
    for (size_t i = 0; i < b->d->waits; i++)
        b->waiter[i].node = now[b->waiter[i].node];
    ncs_free(now);
}

/* Adds the ranks that others wait for and that do not wait, by their rows in the findings. */
static void waits_add_absent(struct build *b)
{
    size_t waiting = b->graph->nodes;
    bool *awaited = ncs_new((size_t)b->ranks * sizeof *awaited);
    for (size_t i = 0; i < b->d->waits; i++)
        for (size_t k = 0; k < b->d->wait[i].peers; k++)
            awaited[b->d->wait[i].peer[k]] = true;
    for (int r = 0; r < b->ranks; r++) {
        if (!awaited[r] || b->first[r] >= 0)
            continue;
        const struct ncs_finding_row *row = waits_row_of(b->d, r);
        const struct ncs_finding *cause = waits_cause_of(b->d, r);
        size_t at = waiting;
        for (; at < b->graph->nodes; at++) {
            const struct ncs_waits_node *n = &b->graph->node[at];
            if (n->cause == cause && n->state_line == (row ? row->line : 0) &&
                (row ? n->state && strcmp(n->state, ncs_sentence_text(row->said)) == 0 : !n->state))
                break;
        }
        if (at == b->graph->nodes) {
            struct ncs_waits_node node = { .cause = cause,
                                           .state = row ? ncs_sentence_text(row->said) : NULL,
                                           .state_line = row ? row->line : 0 };
            NCS_PUSH(b->graph->node, b->graph->nodes, b->graph->nodes_room, node);
        }
        waits_add_rank(b, r, (int)at);
    }
    ncs_free(awaited);
}

/* ---- edges, and the order of nodes ---- */

static int waits_before(const void *a, const void *b)
{
    const struct ncs_waits_node *x = a, *y = b;
    if (x->cause != y->cause)
        return !x->cause ? 1 : !y->cause ? -1 : x->cause < y->cause ? -1 : 1;
    if (!x->line != !y->line) /* ranks that do not wait are further back in the chain */
        return !x->line ? -1 : 1;
    if (x->rank[0] != y->rank[0])
        return x->rank[0] < y->rank[0] ? -1 : 1;
    return x->line && y->line ? (x->line > y->line) - (x->line < y->line) : 0;
}

static void order_nodes(struct build *b)
{
    size_t waits = b->d->waits, nodes = b->graph->nodes;
    for (size_t i = 0; i < waits; i++)
        waits_add_rank(b, b->d->wait[i].rank, b->waiter[i].node);
    waits_add_absent(b);
    nodes = b->graph->nodes;
    if (nodes)
        qsort(b->graph->node, nodes, sizeof *b->graph->node, waits_before);
    for (int r = 0; r < b->ranks; r++) /* the numbers of the nodes have changed */
        b->first[r] = -1;
    b->entries = 0;
    for (size_t i = 0; i < nodes; i++)
        for (size_t k = 0; k < b->graph->node[i].ranks; k++)
            waits_visit(b, b->graph->node[i].rank[k], (int)i);
}

static void connect(struct ncs_waits_graph *g, int from, int to)
{
    struct ncs_waits_node *f = &g->node[from], *t = &g->node[to];
    NCS_PUSH(f->target, f->targets, f->targets_room, to);
    NCS_PUSH(t->waiter, t->waiters, t->waiters_room, from);
}

/* The node that tells the line's wait, among the nodes of its rank. */
static int node_of(const struct build *b, const struct waiter *w)
{
    for (int e = b->first[w->line->rank]; e >= 0; e = b->entry[e].next) {
        const struct ncs_waits_node *n = &b->graph->node[b->entry[e].node];
        if (!n->line)
            continue;
        const struct waiter *o = &b->waiter[n->line - b->d->wait];
        if (o->node == w->node)
            return b->entry[e].node;
    }
    return -1;
}

static void connect_all(struct build *b)
{
    size_t nodes = b->graph->nodes;
    size_t *seen = ncs_new(nodes * sizeof *seen); /* by node: 1 + the node last connected to it */
    struct keyed *line = ncs_new(b->d->waits * sizeof *line);
    for (size_t i = 0; i < b->d->waits; i++)
        line[i] = (struct keyed){ (uint64_t)node_of(b, &b->waiter[i]), i };
    qsort(line, b->d->waits, sizeof *line, by_key);
    for (size_t i = 0; i < b->d->waits; i++) {
        const struct ncs_wait_line *w = &b->d->wait[line[i].at];
        size_t from = (size_t)line[i].key;
        for (size_t k = 0; k < w->peers; k++)
            for (int e = b->first[w->peer[k]]; e >= 0; e = b->entry[e].next) {
                int to = b->entry[e].node;
                b->graph->node[from].leaves |= (size_t)to != from;
                if ((size_t)to != from && seen[to] != from + 1)
                    connect(b->graph, (int)from, to);
                seen[to] = from + 1;
            }
    }
    ncs_free(seen);
    ncs_free(line);
}

void ncs_waits_build(const struct ncs_diagnosis *d, struct ncs_waits_graph *out)
{
    *out = (struct ncs_waits_graph){ 0 };
    struct build b = { .d = d, .graph = out, .ranks = waits_count_ranks(d) };
    b.waiter = ncs_new(d->waits * sizeof *b.waiter);
    b.first = ncs_new((size_t)b.ranks * sizeof *b.first);
    for (int r = 0; r < b.ranks; r++)
        b.first[r] = -1;
    for (size_t i = 0; i < d->waits; i++)
        waits_search(&b, &b.waiter[i], &d->wait[i]);
    for (size_t i = 0; i < d->waits; i++)
        find_twin(&b, i);
    waits_fold(&b, 0, 2);
    waits_fold(&b, 1, 2);
    merge_circles(&b);
    waits_fold(&b, 2, 2);
    waits_fold(&b, 0, 1);
    for (size_t i = 0; i < d->waits; i++)
        if (b.waiter[i].twin >= 0)
            b.waiter[i].node = b.waiter[b.waiter[i].twin].node;
    drop_empty(&b);
    order_nodes(&b);
    connect_all(&b);
    ncs_free(b.waiter);
    ncs_free(b.first);
    ncs_free(b.entry);
}

void ncs_waits_free(struct ncs_waits_graph *graph)
{
    for (size_t i = 0; i < graph->nodes; i++) {
        ncs_free(graph->node[i].rank);
        ncs_free(graph->node[i].target);
        ncs_free(graph->node[i].waiter);
    }
    ncs_free(graph->node);
    *graph = (struct ncs_waits_graph){ 0 };
}
