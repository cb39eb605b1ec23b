/* The scheduler: who runs next, and when time moves. */
#ifndef NCS_SIM_SCHED_H
#define NCS_SIM_SCHED_H

/* Sleeps of one context, while nothing changes, after which it counts as stuck (sim/README.md, rule 5). */
#define SLEEPS_IN_VAIN 1000000

#include <stdint.h>

struct context;

void sim_context_ready(struct context *c); /* makes it READY, behind all others */

/* Finds who runs next and moves time when nobody can: a context to continue, or the runner with
 * world.stop set. Runs on the stack of whoever gives the token up. */
struct context *sim_schedule(void);

/* Does all that is due, without looking for anybody to run: devices go ahead of the clock, which is
 * moved to `now` at least; timers wait for it. */
void sim_schedule_due(int64_t now);

/* Gives the token up; returns when this context is chosen again. */
void sim_switch_away(struct context *c);

#endif
