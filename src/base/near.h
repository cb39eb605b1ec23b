/* The near name: "did you mean all_reduce?" for options, keys, fields and commands. */
#ifndef NCS_BASE_NEAR_H
#define NCS_BASE_NEAR_H

#include <stddef.h>

#include "base/error.h"

/* The name among `names` (count of them, or until NULL when count is 0) that is nearest to `word`
 * by edit distance (swapped neighbours count as one edit, case and '_' are free), or NULL when none
 * is near enough to be meant. */
const char *ncs_nearest(const char *word, const char *const *names, size_t count);

/* The tail of a complaint about `word`: ": did you mean 'NEAR'?" between the given quotes, or
 * `otherwise` when no name is near. It is put into `hint`, which is returned. */
#define NCS_NEAR_ROOM 128
const char *ncs_near_hint(char hint[NCS_NEAR_ROOM], char quote, const char *word,
                          const char *const *names, size_t count, const char *otherwise);

/* The same as the hint of an error; false, as ncs_fail is. */
bool ncs_fail_near(struct ncs_error *err, const char *word, const char *const *names, size_t count);

#endif
