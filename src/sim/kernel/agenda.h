/* What is due on the virtual clock, in the order in which it will happen. */
#ifndef NCS_SIM_AGENDA_H
#define NCS_SIM_AGENDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of what is due at one instant, kinds go in this order. */
enum event_kind {
    EVENT_OP,       /* a device operation ends: struct op */
    EVENT_SLOT,     /* a slot's data moves: struct slot */
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
    bool yields;     /* an OP that lets the slots of its instant go first */
};

void agenda_add(int64_t time, enum event_kind kind, void *object, uint64_t serial);
/* The entry that is due next; NULL = none. Stale deadlines are dropped on the way. */
const struct event_entry *agenda_peek(void);
/* Takes one of the entries due at the earliest time. */
struct event_entry agenda_take(void);
/* Withdraws the entry of an object; nothing when it has none. An operation, a slot, a part and a job
 * have one at a time, and know where it is. */
void agenda_forget(enum event_kind kind, void *object);

#endif
