/* What a program does that NCCL and CUDA do not promise to bear: noted call by call, told at its end. */
#ifndef NCS_EXEC_MISUSE_H
#define NCS_EXEC_MISUSE_H

#include "api/journal.h"
#include "base/str.h"

/* Told of each call when it has returned. */
void ncs_misuse_look(const struct ncs_journal *journal, const struct ncs_call *call);

/* Appends a line for each kind: "ncclscript: freed twice: cudaFree (2, at train+0x1a2)". True: the
 * real libraries may crash at one of them. */
bool ncs_misuse_tell(struct ncs_str *out);

/* Buffers registered, and windows, that were not given back so far. */
uint64_t ncs_misuse_registered(void);
uint64_t ncs_misuse_windows(void);

#endif
