/* The near name: "did you mean all_reduce?" for options, keys, fields and commands. */
#ifndef NCS_BASE_NEAR_H
#define NCS_BASE_NEAR_H

#include <stddef.h>

/* The name among `names` (count of them, or until NULL when count is 0) that is nearest to `word`
 * by edit distance (swapped neighbours count as one edit, case and '_' are free), or NULL when none
 * is near enough to be meant. */
const char *ncs_nearest(const char *word, const char *const *names, size_t count);

#endif
