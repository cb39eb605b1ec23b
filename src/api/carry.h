/* How the arguments of a call travel to another process that makes it: memory beside the arguments has to go along. */
#ifndef NCS_API_CARRY_H
#define NCS_API_CARRY_H

#include <stddef.h>

#include "api/journal.h"

enum ncs_carry {
    NCS_CARRY_NOT, /* a number, a handle, or memory of the process that makes the call */
    NCS_CARRY_IN,  /* read before the call */
    NCS_CARRY_OUT, /* written after it */
    NCS_CARRY_INOUT,
    NCS_CARRY_LATE,  /* a handle that may be written after the call */
    NCS_CARRY_NEVER, /* has no meaning in another process */
    NCS_CARRY_TEXT,  /* a text, or NULL */
    NCS_CARRY_CONFIG /* an ncclConfig_t, which says its size itself, and points to texts; or NULL */
};

struct ncs_carried {
    enum ncs_carry how;
    size_t bytes; /* of what the argument points to; 0 of texts and configurations */
};

#define NCS_CARRY_TEXT_MOST ((size_t)4096) /* bytes of a text, and of the room for one */

/* Of argument `at`, whose number of bytes the others may tell. Copies of memory (cudaMemcpy ...) count as memory of the process
 * that makes the call. */
struct ncs_carried ncs_carry(enum ncs_fn fn, const union ncs_arg *arg, int at);

#endif
