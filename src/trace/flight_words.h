/* The names that PyTorch gives calls and types. */
#ifndef NCS_TRACE_FLIGHT_WORDS_H
#define NCS_TRACE_FLIGHT_WORDS_H

#include "trace/record.h"

enum flight_word {
    FLIGHT_CALL, /* a collective */
    FLIGHT_P2P,
    FLIGHT_CLOSES, /* ends a batch */
    FLIGHT_OTHER,  /* ignored: communicates nothing that a call waits for */
    FLIGHT_UNKNOWN,
};

/* The kind of a name such as "nccl:_reduce_oop"; for a call, *fn is its function. */
enum flight_word ncs_flight_word(const char *name, enum ncs_fn *fn);
/* ncclDataType_t, -1 = none; a complex number is `factor` elements of that type. */
int ncs_flight_dtype(const char *name, int *factor);
/* True if a file in a stack belongs neither to PyTorch nor to Python. */
bool ncs_flight_is_users(const char *file);

#endif
