/* What the report of a stall has told already: the report of a hang need not tell it again. */
#ifndef NCS_SHIM_TOLD_H
#define NCS_SHIM_TOLD_H

#include "base/str.h"

/* Keeps the report of a stall. In the copy of the process that makes it. */
void ncs_exec_told_keep(const struct ncs_str *report);

/* Shortens the report to what the kept one does not say, if the two differ in their first lines and notes only. */
void ncs_exec_told_shorten(struct ncs_str *report);

#endif
