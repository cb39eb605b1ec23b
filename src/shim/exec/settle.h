/* Threads of a program at the moment of a report: which wait, which have ended, which are in the program's own code. */
#ifndef NCS_SHIM_SETTLE_H
#define NCS_SHIM_SETTLE_H

#include "api/snapshot.h"
#include "base/str.h"
#include "diagnose/finding.h"

/* The state of a rank's thread that is in no call: "is stopped", "runs (computes or spins)". */
const char *ncs_settle_doing(int rank, int thread);
/* Decides for each thread that is in no call whether it has ended or waits in the program's own code. */
void ncs_settle_contexts(struct ncs_snapshot *s);
/* Gives threads that poll between two calls the place of their query: they may have made another call since. One that is no rank's
 * own gets the rank that it polls for. */
void ncs_settle_polls(const struct ncs_journal *journal, struct ncs_snapshot *s);
/* Gives the lines of threads that poll for another rank's work that rank. If nobody knows the rank, the line is dropped. */
void ncs_settle_lines(const struct ncs_journal *journal, const struct ncs_snapshot *s, struct ncs_diagnosis *d);
/* Appends the threads that poll, equal ones together: "cudaEventQuery at watch+0xae (3 other threads, for ranks 0, 2, 3)".
 * `unknown`: only those without a line, because nobody knows the rank for which they poll. */
void ncs_settle_list_pollers(const struct ncs_journal *journal, const struct ncs_snapshot *s, bool unknown, struct ncs_str *out);
/* Appends why a hang is only likely: the threads that could still end it, and the time that nothing has changed. */
void ncs_settle_add_pollers(const struct ncs_journal *journal, const struct ncs_snapshot *s, int64_t patience,
                            struct ncs_str *note);

#endif
