/* The waits as a graph of groups of ranks, for the text tree and the DOT file. It is built from the
 * diagnosis alone, so it is the same on the simulator and on real hardware. */
#ifndef NCS_REPORT_WAITS_H
#define NCS_REPORT_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "diagnose/finding.h"

/* How the ranks of a node wait for each other, if they do. */
enum ncs_waits_among {
    NCS_WAITS_NOT,
    NCS_WAITS_ALL,     /* each for all others in the node */
    NCS_WAITS_CIRCLES, /* the same in circles of `step` ranks */
    NCS_WAITS_NEXT,    /* each for the rank `step` further on, below 0: before */
};

/* Threads that wait alike; or, without a line, ranks that do not wait but are awaited. */
struct ncs_waits_node {
    int *rank;
    size_t ranks, ranks_room;         /* ascending */
    const struct ncs_wait_line *line; /* line of one of them; NULL = they do not wait */
    int thread;                       /* their thread; 0 = the first, or the rank's own */
    const char *state;                /* the finding's words besides that they wait; NULL */
    int state_line;
    const struct ncs_finding *cause; /* the finding that blames them; NULL = none */
    bool bystander;
    enum ncs_waits_among inner;
    int step;
    bool leaves; /* some wait for ranks of other nodes */
    int *target;
    size_t targets, targets_room; /* nodes that it waits for, except itself */
    int *waiter;
    size_t waiters, waiters_room; /* nodes that wait for it, except itself */
};

struct ncs_waits_graph {
    struct ncs_waits_node *node; /* culprits first, in the order of the findings */
    size_t nodes, nodes_room;
};

/* Builds the graph. With many ranks, those that each wait for one other in the same way also become
 * one node. */
void ncs_waits_build(const struct ncs_diagnosis *d, struct ncs_waits_graph *out);
void ncs_waits_free(struct ncs_waits_graph *graph); /* the contents */

/* "rank 2", "ranks 0, 1, 3", "rank 0, thread 1" */
void ncs_waits_who(const struct ncs_waits_node *node, struct ncs_str *out);
/* Adds "never made call 4: finished", "waits in stream:sync at line 12". */
void ncs_waits_state(const struct ncs_waits_node *node, struct ncs_str *out);
/* Adds the awaited call: "world call 4, AllReduce float32 x 1 sum", "store key `go`";
 * nothing if unknown. */
void ncs_waits_by(const struct ncs_waits_node *node, struct ncs_str *out);
/* Adds ", each for all the others: a cycle"; nothing if they do not wait for each other. */
void ncs_waits_inner(const struct ncs_waits_node *node, struct ncs_str *out);
/* The length of the operation without its peer: "Send float32 x 8" of "Send float32 x 8 to 1". */
size_t ncs_waits_op_bytes(const struct ncs_wait_line *line);

/* Words for ranks that do not wait, and the option that shows omitted lines. */
struct ncs_waits_words {
    const char *one, *many, *more; /* "does not wait", "do not wait", "-v" */
};

/* Appends the tree, a line for each node, the cause first. `all`: no limit on lines. */
void ncs_waits_tree(const struct ncs_diagnosis *d, bool all, struct ncs_str *out);
void ncs_waits_tree_in(const struct ncs_diagnosis *d, bool all, const struct ncs_waits_words *words, struct ncs_str *out);
/* Appends the graph in graphviz's language. */
void ncs_waits_dot(const struct ncs_diagnosis *d, const char *title, struct ncs_str *out);

#endif
