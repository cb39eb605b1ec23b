/* The names that PyTorch gives calls and types. */
#ifndef NCS_TRACE_FLIGHT_WORDS_H
#define NCS_TRACE_FLIGHT_WORDS_H

#include "trace/record.h"

enum flight_word {
    FLIGHT_CALL,    /* a collective */
    FLIGHT_P2P,
    FLIGHT_CLOSES,  /* ends a batch */
    FLIGHT_OTHER,   /* of no account: it communicates nothing that is waited for in a call */
    FLIGHT_UNKNOWN,
};

/* The kind that a name such as "nccl:_reduce_oop" stands for; *fn of a call. */
enum flight_word ncs_flight_word(const char *name, enum ncs_fn *fn);
/* ncclDataType_t, -1 = none; a complex number is `factor` of them. */
int ncs_flight_dtype(const char *name, int *factor);
/* Whether a file of a stack is neither PyTorch's nor Python's own. */
bool ncs_flight_is_users(const char *file);

#endif
