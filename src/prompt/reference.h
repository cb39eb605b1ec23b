/* Reads the annotations that editors use (lua/library): parameters and results of Lua functions. */
#ifndef NCS_PROMPT_REFERENCE_H
#define NCS_PROMPT_REFERENCE_H

#include <stdbool.h>

#include "base/str.h"

/* Appends the description of a function ("comm:all_reduce", "expect.equal", "spawn"), a class or a library
 * ("buffer", "cuda"); false: nothing is known. */
bool ncs_reference(const char *name, struct ncs_str *out);

/* The options that a function takes, including those of parent classes. */
void ncs_reference_options(const char *name, void (*on_word)(void *arg, const char *word), void *arg);

/* The quoted words that options and arguments take: names of data types, operators, kinds of memory. */
void ncs_reference_words(void (*on_word)(void *arg, const char *word), void *arg);

#endif
