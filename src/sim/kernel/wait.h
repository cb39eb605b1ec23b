/* Waiting: the objects of waits, and the only two ways in which a call does not return at once. */
#ifndef NCS_SIM_WAIT_H
#define NCS_SIM_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/snapshot.h"

struct context;
struct job;

/* Something that happens once or again: an operation's end, a job's end, a gate's wake. */
struct waitable {
    struct waiter *first, *last;
};

/* A context or a job on a waitable's list. Unlinked when the waitable fires. */
struct waiter {
    struct waitable *on; /* NULL = not linked */
    struct waiter *previous, *next;
    struct context *context; /* one of these two */
    struct job *job;
};

void sim_waiter_link(struct waiter *w, struct waitable *on);
void sim_waiter_unlink(struct waiter *w); /* a no-op when it is not linked */

/* Notifies everybody on the list: a context loses a condition, a job will take a step. */
void sim_waitable_fire(struct waitable *on);

struct condition {
    struct waiter link;
    enum ncs_wait_kind kind;
    void *object; /* struct op, struct job or struct ncs_gate; referenced during the wait */
};

/* Why a context waits; kept for the snapshot. */
struct wait {
    struct condition *condition;
    size_t count, room;
    size_t unmet;
    bool linked;      /* the conditions are on their lists */
    int64_t deadline; /* virtual ns; -1 = none */
    uint64_t serial;  /* order of parking */
    bool expired;
    int rc;           /* code of the awaited job */
    const char *what; /* of a gate */
    char *key;
    int owner, owner_thread;
};

enum wait_result { WAIT_MET, WAIT_EXPIRED, WAIT_CANCELLED };

/* Adds a condition to the next sim_wait. An object that is done already need not be added. */
void sim_wait_for(struct context *c, enum ncs_wait_kind kind, void *object, struct waitable *on);

/* Parks the running context until all conditions are met or the deadline has passed. The caller's frame
 * may be dropped meanwhile, so it must own nothing. */
enum wait_result sim_wait(struct context *c, int64_t deadline);

/* Forgets the collected conditions. */
void sim_wait_forget(struct context *c);
/* Forgets the wait of an abandoned context. */
void sim_wait_drop(struct context *c);

/* Calls test. If it says no, lets others run until the epoch changes or nothing else can run, and calls
 * test once more. */
bool sim_poll(struct context *c, bool (*test)(void *arg), void *arg);

#endif
