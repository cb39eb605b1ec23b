/* Functions of the wing comm that the graph of operations calls for a launch, which is one
 * kind of operation. */
#ifndef NCS_SIM_CUDA_ABOVE_H
#define NCS_SIM_CUDA_ABOVE_H

#include <stdbool.h>
#include <stddef.h>

struct launch;
struct ncs_call;
struct op;
struct stream;

/* The launch that keeps this one from starting; NULL = none. */
const struct op *sim_launch_held_by(const struct launch *launch);
/* True if all of its parts are done or cancelled. */
bool sim_launch_is_over(const struct launch *launch);
/* The journalled calls of the launch, each once. Returns their number; fills `calls`
 * unless it is NULL. */
size_t sim_launch_calls(const struct launch *launch, struct ncs_call **calls);
/* Posts the parts that can be posted next; ends the operation when all parts are done. */
void sim_launch_advance(struct launch *launch);
/* Takes all parts that have not matched away from their meetings, as cancelled. */
void sim_launch_withdraw(struct launch *launch);
void sim_launch_free(struct launch *launch); /* NULL is a no-op */
/* False: the communicator of a graph's launch is gone. */
bool sim_launch_is_possible(const struct launch *launch);
/* Gives the operation a launch like `from`, of a graph: with new calls, and on other streams than those captured. */
void sim_launch_again(struct op *op, const struct launch *from, struct stream *const *captured, struct stream *const *streams,
                      size_t count);

#endif
