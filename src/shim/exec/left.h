/* The objects that a program has created and not freed when it ends. */
#ifndef NCS_EXEC_LEFT_H
#define NCS_EXEC_LEFT_H

#include "api/journal.h"
#include "base/str.h"
#include "run/run.h"

/* Appends "2 communicators (comm0: ranks 0, 1), 1 allocation of device memory (4096 B)", and a second line with the
 * places that made them; appends nothing if nothing is left. Also fills result->left. */
void ncs_exec_left(const struct ncs_journal *journal, struct ncs_result *result, struct ncs_str *out);

#endif
