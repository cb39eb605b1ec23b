/* Nearest names: "did you mean all_reduce?" for options, keys, fields and commands. */
#ifndef NCS_BASE_NEAR_H
#define NCS_BASE_NEAR_H

#include <stddef.h>

#include "base/error.h"

/* The name among `names` (count of them, or until NULL when count is 0) that is nearest to `word` by edit
 * distance; NULL if no name is near. Swapped neighbours count as one edit, case and '_' as none. */
const char *ncs_nearest(const char *word, const char *const *names, size_t count);

/* Writes the end of a message about `word` into `hint` and returns it: ": did you mean 'NEAR'?" in the
 * given quotes, or `otherwise` if no name is near. */
#define NCS_NEAR_ROOM 128
const char *ncs_near_hint(char hint[NCS_NEAR_ROOM], char quote, const char *word, const char *const *names, size_t count,
                          const char *otherwise);

/* Adds the nearest name as the hint of an error; returns false, as ncs_fail does. */
bool ncs_fail_near(struct ncs_error *err, const char *word, const char *const *names, size_t count);

#endif
