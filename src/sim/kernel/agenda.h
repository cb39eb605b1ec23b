/* The agenda: what will happen on the virtual clock, in order. */
#ifndef NCS_SIM_AGENDA_H
#define NCS_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of what is due at one instant, kinds go in this order. */
enum event_kind {
    EVENT_OP,       /* a device operation ends: struct op */
    EVENT_MEETING,     /* a meeting's data moves: struct meeting */
    EVENT_RMA,      /* a put, a signal or a wait ends: struct part */
    EVENT_DEADLINE, /* a context's wait expires: struct context, stale unless `serial` still holds */
    EVENT_JOB,      /* a job wants a step: struct job; cancelled by its end */
};

struct event_entry {
    int64_t time;
    uint64_t order;  /* of scheduling */
    enum event_kind kind;
    void *object;
    uint64_t serial; /* of an OP: its own; of a DEADLINE: the wait that it belongs to */
    size_t *place;   /* where the object keeps the place of its entry, from 1; 0 = it has none */
    bool yields;     /* an OP that lets the meetings of its instant go first */
};

/* `place` is 0 and belongs to the object, which has one entry at a time; NULL: it cannot be withdrawn. */
void sim_agenda_add(int64_t time, enum event_kind kind, void *object, uint64_t serial, size_t *place);
/* The entry that is due next; NULL = none. Stale deadlines are dropped on the way. */
const struct event_entry *sim_agenda_peek(void);
/* Takes one of the entries due at the earliest time. */
struct event_entry sim_agenda_take(void);
/* Withdraws the entry at that place; nothing when it is 0. */
void sim_agenda_forget(const size_t *place);

#endif
