/* Host functions in streams. Each (process, device) has one thread of the driver's own that runs
 * them, one after the other in the order in which their streams come to them, as CUDA's runtime
 * may: functions of several streams must not wait for each other. The thread is a context, made
 * with the first function and idle in between. */
#ifndef NCS_SIM_HOST_H
#define NCS_SIM_HOST_H

#include <stdbool.h>

struct context;
struct gpu;
struct op;

/* Before a host function is enqueued: makes the device's thread. False: no memory for it. */
bool sim_host_prepare(struct gpu *gpu);
/* The operation's function is to be called; it ends when that has returned. */
void sim_host_begin(struct op *op);
/* The operation failed before its function was called. */
void sim_host_failed(struct op *op);
/* Who runs the operation's function at the moment; NULL = nobody yet. */
const struct context *sim_host_runner(const struct op *op);
void sim_host_free(struct gpu *gpu);

#endif
