/* Faults that a scenario asks for: spoilt results, links that are slow or cut, asynchronous errors, and
 * processes that die. */
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

/* The process of a context dies: its other contexts stop, and its launches take no part any more. */
void sim_inject_death(struct context *c);

/* What links add to the time of a meeting that has matched; < 0: one is cut, and meeting->stuck says so. */
int64_t sim_inject_delay(struct meeting *meeting);

/* The same for a put or a signal; nothing is marked. */
int64_t sim_inject_delay_one_sided(const struct part *p);

/* A part has come to its meeting: who has lost a peer is told now. */
void sim_inject_arrival(const struct part *p);

/* After the data of a part has moved: `bytes` bytes at `to`, its own memory or of a put a peer's window. */
void sim_inject_spoil(const struct part *p, void *to, uint64_t bytes);

#endif
