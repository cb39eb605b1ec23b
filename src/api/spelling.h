/* What a word of C, Python or torch is called here: for hints about names that are not there. */
#ifndef NCS_API_SPELLING_H
#define NCS_API_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Equal but for case and '_', which the languages use in their own ways. */
bool ncs_same_letters(const char *a, const char *b);

/* Without the module before it, and without its library's prefix: torch.float32, ncclSum. */
const char *ncs_bare_name(const char *word);

/* The name among `names` (count of them, or until NULL when count is 0) that the word stands for
 * elsewhere; NULL = none. */
const char *ncs_translated_name(const char *word, const char *const *names, size_t count);

/* The same, or else the nearest name; NULL = none is meant. */
const char *ncs_meant_name(const char *word, const char *const *names, size_t count);

#endif
