/* Planned faults: corrupted results, slow or cut links, asynchronous errors, processes that die. */
#ifndef NCS_SIM_INJECT_H
#define NCS_SIM_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/machine.h"

struct context;
struct part;
struct meeting;

void sim_inject(const struct ncs_injection *what);
void sim_inject_free(void); /* all of them */
bool sim_inject_any(void);  /* some change what meetings do */

/* The process of the context dies: its other contexts stop, and its launches no longer take part. If the context is a
 * thread of a program that is one process with all devices, its device is lost instead: the launches of that device no longer
 * take part. */
void sim_inject_death(struct context *c);

/* How much slow links add to the time of a matched meeting. Negative: a link is cut, and meeting->stuck
 * says so. */
int64_t sim_inject_delay(struct meeting *meeting);

/* The same for a put or a signal; nothing is marked. */
int64_t sim_inject_delay_one_sided(const struct part *p);

/* A part arrives at its meeting. If its rank has lost a peer, the rank is informed now. */
void sim_inject_arrival(const struct part *p);

/* Corrupts the data of a part after they have moved: `bytes` bytes at `to`, in its own memory, or
 * for a put in a peer's window. */
void sim_inject_spoil(const struct part *p, void *to, uint64_t bytes);

#endif
