/* The scheduler: who runs next, and when time moves. */
#ifndef NCS_SIM_SCHED_H
#define NCS_SIM_SCHED_H

/* A context that has slept this often in one epoch counts as stuck (sim/README.md, rule 5). */
#define SLEEPS_IN_VAIN 1000000

#include <stdint.h>

struct context;

void sim_context_ready(struct context *c); /* makes it READY, behind all others */

/* Chooses the context that runs next, and moves time if none can run. Returns a context, or the
 * runner with world.stop set. Runs on the stack of the context that gives up the token. */
struct context *sim_schedule(void);

/* For a program from outside: does all device work, even before its time, and the timers up to
 * `now`, to which the clock moves. Chooses no context to run. */
void sim_schedule_due(int64_t now);

/* Gives the token up; returns when this context is chosen again. */
void sim_switch_away(struct context *c);

#endif
