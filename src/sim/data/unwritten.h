/* Memory of a device that nothing has written since it was allocated.
 *
 * To move such bytes is harmless: a copy or a collective makes its target unwritten too, and the target remembers where
 * the bytes were allocated and which call brought them (their origin). They are used when they leave the device, when
 * arithmetic combines them with bytes that were written, or as the scalar of an operator. Then the observer is informed
 * once: from there on the bytes count as written.
 *
 * Watched is MEMORY_DEVICE, and only while the observer asks for it. What cannot be known counts as written. */
#ifndef NCS_SIM_UNWRITTEN_H
#define NCS_SIM_UNWRITTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "api/machine.h"
#include "sim/data/spans.h"
#include "sim/kernel/world.h"

struct allocation;
struct process;

/* Where unwritten bytes come from. */
struct origin {
    unsigned references;
    struct ncs_call *call; /* the allocation's; of carried bytes the call that carried them; pinned */
    size_t bases, room;    /* of carried bytes: their allocations, one for each rank that gave some; else 0 */
    struct origin *base[]; /* referenced */
};

void sim_origin_ref(struct origin *o);
void sim_origin_unref(struct origin *o);

/* New memory, and memory that is about to be freed. */
void sim_unwritten_begin(struct allocation *a);
void sim_unwritten_end(struct allocation *a);

/* False: all memory is written, so there is nothing to keep up to date. */
static inline bool sim_unwritten_any(void)
{
    return sim_world.unwritten > 0;
}

void sim_unwritten_write(const void *p, size_t bytes); /* they are written */
/* Everything that a kernel of the process can reach may be written. */
void sim_unwritten_reach(const struct process *process);

/* The unwritten bytes among [p, p + bytes), counted from `at` on. */
void sim_unwritten_find(const void *p, size_t bytes, size_t at, struct spans *out);
/* [p, p + bytes) got the bytes [from, from + bytes) of what `is` is about. The origins stay as they are. */
void sim_unwritten_put(void *p, size_t bytes, const struct spans *is, size_t from);

/* The same bytes, carried by the call: bytes that were carried already keep their origin. */
void sim_unwritten_carry(struct spans *s, struct ncs_call *call);
/* A copy on the device. */
void sim_unwritten_copy(void *dst, const void *src, size_t bytes, struct ncs_call *call);

/* A program from outside can write to a device in ways that the machine does not see, such as a library of MPI that
 * takes device memory. There, new memory is zero: what is not zero counts as written from now on. */
void sim_unwritten_check(const void *p, size_t bytes);

/* One operand of arithmetic. */
struct operand {
    const void *p;
    struct ncs_call *call;
};
/* The operands, of so many bytes each, are combined element by element: fills the unwritten bytes of the result. Where only
 * some operands are unwritten, these are used. Call sim_unwritten_check for each before the result is stored. */
void sim_unwritten_combine(const struct operand *operand, size_t operands, size_t bytes, size_t element, struct spans *result);
/* The call reads the bytes as a value. `element`: bytes of one of them. */
void sim_unwritten_use(enum ncs_unwritten_use use, const void *p, size_t bytes, size_t element, struct ncs_call *call);

#endif
