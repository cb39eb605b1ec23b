/* The agenda: future events on the virtual clock, in order. */
#ifndef NCS_SIM_AGENDA_H
#define NCS_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Events of one instant happen in this order of kinds. */
enum event_kind {
    EVENT_OP,       /* a device operation ends: struct op */
    EVENT_MEETING,  /* a meeting's data moves: struct meeting */
    EVENT_RMA,      /* a put, a signal or a wait ends: struct part */
    EVENT_DEADLINE, /* a context's wait expires: struct context, valid only if `serial` matches */
    EVENT_JOB,      /* a job wants a step: struct job; cancelled by its end */
};

struct event_entry {
    int64_t time;
    uint64_t order; /* of scheduling */
    enum event_kind kind;
    void *object;
    uint64_t serial; /* an OP: its own; a DEADLINE: its wait's */
    size_t *place;   /* holds the place of the object's entry, from 1; 0 = none */
    bool yields;     /* an OP that lets the meetings of its instant go first */
};

/* `place` must be 0; it belongs to the object, which has one entry at a time. place NULL: the entry
 * cannot be withdrawn. */
void sim_agenda_add(int64_t time, enum event_kind kind, void *object, uint64_t serial, size_t *place);
/* The next entry; NULL = none. Drops stale deadlines on the way. */
const struct event_entry *sim_agenda_peek(void);
/* Takes one of the entries due at the earliest time. */
struct event_entry sim_agenda_take(void);
/* Puts an entry back that has been taken, in its old place. */
void sim_agenda_put_back(struct event_entry entry);
/* Adds an event to the trace of the run. */
void sim_agenda_trace(int64_t time, enum event_kind kind);
/* Withdraws the entry at that place; does nothing if it is 0. */
void sim_agenda_forget(const size_t *place);

#endif
