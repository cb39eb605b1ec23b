/* Calls that failed without the program's notice: counted by thread, function, code and place. */
#ifndef NCS_EXEC_FAILED_H
#define NCS_EXEC_FAILED_H

#include "api/journal.h"
#include "run/run.h"

/* Call this for each call that has returned. `told`: another report has the failure. */
void ncs_failed_look(const struct ncs_journal *journal, const struct ncs_call *call, bool told);

/* The calling thread asks what a code means (ncclGetErrorString), or for the last message (ncclGetLastError). */
void ncs_failed_asked(enum ncs_fn fn, const union ncs_arg *arg);

/* Sets the result's list. badly: the program hangs, or ends with a status other than 0, so that the last failure of a thread has not
 * gone unnoticed. */
void ncs_failed_fill(struct ncs_result *result, bool badly);

#endif
