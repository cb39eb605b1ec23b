/* Elements whose reduction is known: what each rank contributes and what the result is, by numbers alone. All results are
 * exact in their type, in whatever order the ranks are combined; only an average of floats may be rounded. */
#ifndef NCS_SHIM_VALUES_H
#define NCS_SHIM_VALUES_H

#include <stdint.h>

#include "shim/kernel/types.h"

/* NIL: a copy, which has one contribution. PREMULSUM: a sum in which odd ranks count twice. */
enum value_op { VALUE_NIL, VALUE_SUM, VALUE_PROD, VALUE_MIN, VALUE_MAX, VALUE_PREMULSUM, VALUE_AVG };

struct value_source {
    const struct value_type *type;
    enum value_op op;
    int ranks;
    uint64_t seed;
};

/* The bits of the element that the rank contributes, and of the result. */
uint64_t shim_value_input(const struct value_source *s, uint64_t index, int rank);
uint64_t shim_value_expected(const struct value_source *s, uint64_t index);

#endif
