/* The part of a scenario's text that an error message is about. */
#ifndef NCS_SCRIPT_SUBJECT_H
#define NCS_SCRIPT_SUBJECT_H

#include <stdbool.h>

#include "base/source.h"

/* Looks for the subject of a message in the statement that contains the byte `from`, from that byte on: first a
 * text that the message quotes, then the word that its first clause begins with ("count must be 0 or more"), then
 * any of its words. bytes 0 = not found; `at` is then the first byte from `from` on that is not blank. */
struct ncs_span ncs_subject_find(const struct ncs_source *s, size_t from, bool yaml, const char *message);

#endif
