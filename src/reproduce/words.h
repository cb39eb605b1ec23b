/* Sets of ranks and values by rank, as expressions of Lua that each rank evaluates for itself. */
#ifndef NCS_REPRODUCE_WORDS_H
#define NCS_REPRODUCE_WORDS_H

#include <stdbool.h>

#include "base/str.h"

/* Appends a condition that holds on exactly the ranks of the set: "rank ~= 2". Nothing for all ranks. */
void ncs_workload_add_condition(struct ncs_str *out, const bool *has, int ranks);

/* The value that each rank of the set has. `own`, `size`: the rank in its communicator and the communicator's size, for values
 * that are neighbours of it; NULL = the values are no ranks. `rank`, `nranks`: names of the two for Lua. */
struct ncs_workload_values {
    const long *value;
    const bool *has;
    int ranks;
    const int *own, *size;
    const char *rank, *nranks;
};
/* Appends "3", "(rank + 1) % nranks", "rank == 2 and 8 or 16", or a table by rank. */
void ncs_workload_add_values(struct ncs_str *out, const struct ncs_workload_values *v);

/* Appends the expression that gives each rank its text (NULL = none): "rank == 2 and b or a". The text of most ranks comes last.
 * No text is false in Lua. Several texts become a table by rank. */
void ncs_workload_add_texts(struct ncs_str *out, const char *const *text, int ranks);

#endif
