/* Graphs of operations: what a capture has recorded, and what is made out of it to be launched. A node is an
 * operation that never runs: each launch makes one like it. */
#ifndef NCS_SIM_GRAPH_H
#define NCS_SIM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/cuda/op.h"

struct ncs_call;
struct process;
struct stream;

struct node {
    struct op *op;  /* referenced; not in the graph of device work */
    size_t *before; /* places of the nodes that it follows, all smaller than its own */
    size_t befores, before_room;
    size_t *lane; /* places of the streams that it was put on */
    size_t lanes;
};

/* What was captured. The graph's handle and all executables share it, because it never changes. */
struct graph {
    const struct process *process;
    struct node *node;
    size_t nodes, room;
    struct stream **lane; /* the streams of the capture, referenced; the first is where it began */
    size_t lanes, lane_room;
    unsigned references;
};

/* cudaGraphExec_t */
struct graph_exec {
    struct graph *graph;  /* referenced */
    struct stream **lane; /* as those of the graph, its own; the first is NULL: the stream of each launch */
    struct op *last;      /* the end of its latest launch; referenced */
};

struct graph *sim_graph_new(const struct process *process);
void sim_graph_ref(struct graph *g);
void sim_graph_unref(struct graph *g); /* NULL is a no-op */
/* The place of a stream among those of the graph, which it joins if it is new. */
size_t sim_graph_lane(struct graph *g, struct stream *s);

struct graph_exec *sim_graph_exec_new(struct graph *g);
/* A launch that runs goes on to its end. */
void sim_graph_exec_free(struct graph_exec *x);
/* False: a communicator whose calls it has is gone. */
bool sim_graph_is_possible(const struct graph_exec *x);
/* Puts all of it into the stream. Calls of the journal are made again for what the graph's calls carry out. */
void sim_graph_launch(struct graph_exec *x, struct stream *s);

/* The record of a captured call for the launch that is being put into a stream; NULL = it is not journalled. */
struct ncs_call *sim_graph_call(struct ncs_call *captured);

/* Frees all graphs and executables; at a reset. */
void sim_graphs_free(void);

#endif
