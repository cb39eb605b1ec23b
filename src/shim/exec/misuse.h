/* Notes uses of NCCL and CUDA that their documentation does not allow, call by call, and reports them at
 * the program's end. */
#ifndef NCS_EXEC_MISUSE_H
#define NCS_EXEC_MISUSE_H

#include "api/journal.h"
#include "base/str.h"

/* Call this for each call that has returned. Returns true if its use is noted. */
bool ncs_misuse_look(const struct ncs_journal *journal, const struct ncs_call *call);

/* Appends a line for each kind: "ncclscript: freed twice: cudaFree (2, at train+0x1a2)". Returns true if
 * the real libraries may crash at one of them. */
bool ncs_misuse_report(struct ncs_str *out);

#endif
