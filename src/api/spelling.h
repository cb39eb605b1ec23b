/* Translates words of C, Python and torch into this project's names, for hints about unknown names. */
#ifndef NCS_API_SPELLING_H
#define NCS_API_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* Equal but for case and '_', which languages use differently. */
bool ncs_same_letters(const char *a, const char *b);

/* Strips the module and the library's prefix: torch.float32, ncclSum. */
const char *ncs_bare_name(const char *word);

/* The name among `names` (count of them, or until NULL when count is 0) that means the same as
 * the word of another language; NULL = none. */
const char *ncs_translated_name(const char *word, const char *const *names, size_t count);

/* As ncs_translated_name, or else the nearest name; NULL = no name is near. */
const char *ncs_meant_name(const char *word, const char *const *names, size_t count);

#endif
