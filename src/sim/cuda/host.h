/* Host functions in streams. Each device of a process has one thread of the driver's own that runs them
 * one after the other, as CUDA's runtime may: functions of different streams must not wait for each
 * other. The thread is a context. It is made with the first function and idle in between. */
#ifndef NCS_SIM_HOST_H
#define NCS_SIM_HOST_H

#include <stdbool.h>

struct context;
struct gpu;
struct op;

/* Before a host function is enqueued: makes the device's thread. False: no memory for it. */
bool sim_host_prepare(struct gpu *gpu);
/* Lets the host thread call the operation's function; the operation ends when the
 * function returns. */
void sim_host_begin(struct op *op);
/* The operation failed before its function was called. */
void sim_host_failed(struct op *op);
/* The context that runs the operation's function now; NULL = none yet. */
const struct context *sim_host_runner(const struct op *op);
void sim_host_free(struct gpu *gpu);

#endif
