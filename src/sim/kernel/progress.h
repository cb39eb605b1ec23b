/* Progress of a program from outside (sim/README.md, rules 5 and 7). Progress is a call that
 * changes the machine, a wait that ends, a thread that starts or ends. A query that answers "not
 * ready" or "no error" is no progress, nor is any other call that changes nothing. So a thread that
 * polls hides no hang. */
#ifndef NCS_SIM_PROGRESS_H
#define NCS_SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct ncs_call;

/* The vain polls of one context. */
struct polls {
    uint64_t progress; /* the progress since which they count */
    uint64_t count;
    int64_t first, last;   /* real ns */
    int64_t busy, worked;  /* processor time in ns: at the first poll, and since */
    int64_t noted;         /* real ns of that reading */
    bool pending;          /* some poll asked for a future event, not only for errors */
    struct ncs_call *call; /* the last one; pinned */
};

void sim_progress_made(void);
/* Counts a finished call as progress if it changed the machine. */
void sim_progress_ends_call(void);
/* The running context has polled in vain. */
void sim_progress_polled(struct context *c, bool pending);
/* The context has polled in vain, and there was no progress since. */
bool sim_progress_is_polling(const struct context *c);
/* It polls at a steady pace, has for most of `patience`, and does no work in between. */
bool sim_progress_keeps_polling(const struct context *c, int64_t patience);
void sim_progress_forget(struct context *c); /* its polls */

/* Checks if the program is stuck. A thread that can only wait or poll calls it now and then. */
void sim_progress_look(void);
/* For how long there was neither progress nor a call other than queries, in real ns. 0 at the first time. */
int64_t sim_progress_silence(void);

#endif
