/* User-mode threads of control: a stack and a saved stack pointer. A switch takes some twenty
 * instructions. The address and thread sanitizers are informed of each switch. A fiber stays on its
 * OS thread. */
#ifndef NCS_SIM_FIBER_H
#define NCS_SIM_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct fiber {
    void *sp;    /* while switched away */
    char *stack; /* lowest usable byte; NULL = the OS thread's own stack */
    size_t bytes;
    void (*entry)(void *arg);
    void *arg;
    void *fake_stack; /* address sanitizer's */
    void *tsan;       /* thread sanitizer's */
};

/* Makes f stand for the calling OS thread. */
void sim_fiber_adopt(struct fiber *f);

/* Makes a fiber that will run entry(arg) when first switched to; entry must not return but end with
 * sim_fiber_leave. False when the host has no address space left. */
bool sim_fiber_make(struct fiber *f, void (*entry)(void *arg), void *arg);

/* Saves the running fiber in `from` and continues `to`. */
void sim_fiber_switch(struct fiber *from, struct fiber *to);

/* Continues `to` and never returns: any thread of control may then free `from`. */
void sim_fiber_leave(struct fiber *from, struct fiber *to) __attribute__((noreturn));

/* Frees the stack without unwinding it. */
void sim_fiber_drop(struct fiber *f);

/* Unmaps the stacks that are kept for reuse. */
void sim_fiber_trim(void);

#endif
