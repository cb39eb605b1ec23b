/* The annotations that editors read (lua/library), read by the prompt: what functions of Lua take and say. */
#ifndef NCS_PROMPT_REFERENCE_H
#define NCS_PROMPT_REFERENCE_H

#include <stdbool.h>

#include "base/str.h"

/* Appends what is known of a function ("comm:all_reduce", "expect.equal", "spawn") or of a class or library
 * ("buffer", "cuda"); false: nothing. */
bool ncs_reference(const char *name, struct ncs_str *out);

/* The options that a function takes, those of the classes that its own stands on too. */
void ncs_reference_options(const char *name, void (*on_word)(void *arg, const char *word), void *arg);

/* The words that stand for a data type, an operator, a memory: all that options and arguments have in quotes. */
void ncs_reference_words(void (*on_word)(void *arg, const char *word), void *arg);

#endif
