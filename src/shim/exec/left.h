/* The objects that a program has created and not freed when it ends. */
#ifndef NCS_EXEC_LEFT_H
#define NCS_EXEC_LEFT_H

#include "api/journal.h"
#include "base/str.h"

/* Appends "2 communicators (comm0: ranks 0, 1), 1 reduction operator, 4 KiB of device memory in 1 piece";
 * appends nothing if nothing is left. */
void ncs_exec_left(const struct ncs_journal *journal, struct ncs_str *out);

#endif
