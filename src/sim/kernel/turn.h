/* With a seed, the seed decides which thread from outside goes first when several are about to make a call. A thread
 * then waits at the door until the threads that call often have come to the door too, or wait in a call. So threads that
 * run at about the same time go in the same order whenever the seed is the same, as far as they make the same calls. */
#ifndef NCS_SIM_TURN_H
#define NCS_SIM_TURN_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* Of a context; guarded by the door's own lock. */
struct turn {
    int64_t came, left; /* real ns: when it last came to the door, and left a call; 0 = never */
    uint64_t calls, priority;
    bool at_door, waits;
    bool registered;
    struct context *next;
};

/* Before the first call. Without it the functions below do nothing. */
void sim_turns_begin(uint64_t seed);

/* The calling thread waits for its turn to take the token. Call without the token. */
void sim_turn_take(struct context *c);
void sim_turn_left(struct context *c);
/* It waits in a call, or has stopped: nobody waits for it at the door. */
void sim_turn_waits(struct context *c, bool waits);

#endif
