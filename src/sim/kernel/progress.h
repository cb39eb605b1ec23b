/* Whether a program from outside gets on (sim/README.md, rules 5 and 7). Progress is a call that leaves the
 * machine other than it was, a wait that is over, a thread that comes or goes. A query that answers
 * "not ready", or that there is no error, is none, nor is what else a thread looks up between two
 * such: so a thread that polls hides no hang. */
#ifndef NCS_SIM_PROGRESS_H
#define NCS_SIM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct ncs_call;

/* Polls of one context that brought nothing. */
struct polls {
    uint64_t progress;     /* the progress since which they count */
    uint64_t count;
    int64_t first, last;   /* real ns */
    int64_t busy, worked;  /* of its processor, in ns: at the first, and since */
    int64_t noted;         /* when that was, in real ns */
    bool pending;          /* one asked for what is still to come, not for errors alone */
    struct ncs_call *call; /* the last one; pinned */
};

int64_t sim_real_now(void);

void sim_progress_made(void);
/* A call ends: it was progress if it has changed anything. */
void sim_progress_ends_call(void);
/* A poll of the running context's was in vain. */
void sim_progress_polled(struct context *c, bool pending);
/* It has polled in vain and done nothing else since the last progress. */
bool sim_progress_is_polling(const struct context *c);
/* It does so at its own pace, has for most of that time, and does no work of its own between. */
bool sim_progress_keeps_polling(const struct context *c, int64_t patience);
void sim_progress_forget(struct context *c); /* its polls */

/* A thread looks up: who has nothing left to do but to look calls it now and then. */
void sim_progress_look(void);

#endif
