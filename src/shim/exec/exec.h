/* The parts of the library that reports to a program: what exec.c asks of the others. With the token. */
#ifndef NCS_EXEC_EXEC_H
#define NCS_EXEC_EXEC_H

#include <stddef.h>

#include "base/channel.h"
#include "diagnose/finding.h"
#include "report/report.h"
#include "run/notices.h"
#include "run/timeline/timeline.h"
#include "shim/shim.h"

/* ---- failed.c: calls that failed without the program's notice ---- */

/* Call this for each call that has returned. `told`: another report has the failure. */
void ncs_failed_look(const struct ncs_journal *journal, const struct ncs_call *call, bool told);
/* The calling thread asks what a code means (ncclGetErrorString), or for the last message (ncclGetLastError). */
void ncs_failed_asked(enum ncs_fn fn, const union ncs_arg *arg);
/* Sets the result's list. badly: the program hangs, or ends with a status other than 0, so that the last failure of a thread has not
 * gone unnoticed. */
void ncs_failed_fill(struct ncs_result *result, bool badly);

/* ---- misuse.c: uses of NCCL and CUDA that their documentation does not allow ---- */

/* Call this for each call that has returned. Returns true if its use is noted. */
bool ncs_misuse_look(const struct ncs_journal *journal, const struct ncs_call *call);
/* Appends a line for each kind: "ncclscript: freed twice: cudaFree (2, at train+0x1a2)". Returns true if
 * the real libraries may crash at one of them. */
bool ncs_misuse_report(struct ncs_str *out);

/* ---- fault.c: faults that exec's options ask for ---- */

/* Reads the list (run/fault_text.h) and watches the journal's calls. Warns about a list that is not valid. */
void ncs_exec_faults_open(const char *text, const struct ncs_machine *machine, struct ncs_journal *journal);
/* If faults stopped every thread that has a rank, adds that to the notices and returns true. */
bool ncs_exec_faults_lost(struct ncs_notices *notices);
/* Appends a line for each thread without a rank that a fault stopped: findings cannot name it. */
void ncs_exec_faults_unnamed(struct ncs_str *out);
/* True if a fault stopped some thread. */
bool ncs_exec_faults_stopped(void);
/* Appends a line for each fault that waited for a call that never came. */
void ncs_exec_faults_unused(const struct ncs_journal *journal, struct ncs_str *out);

/* ---- call_list.c: the places of one rank's calls, for `exec --sweep`, which lets a call at each of them fail in turn ---- */

/* Counts a call that has returned, if it is one of the rank, or of a thread that has no rank (yet). */
void ncs_call_list_add(const struct ncs_journal *journal, const struct ncs_call *call, int rank);
/* Reports each place, in the order of their first calls. A call whose place is not known is left out. */
void ncs_call_list_write(ncs_channel_tell *tell);

/* ---- settle.c: which threads wait at the moment of a report, have ended, or are in the program's own code ---- */

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

/* ---- deaths.c: processes of a job of many that something else than their own end has ended ---- */

enum ncs_exec_death {
    NCS_DEATH_NONE,
    NCS_DEATH_SOME,    /* others came to their end */
    NCS_DEATH_OWN,     /* all died, some while they waited in a call, and one for a reason of its own: a crash, a status */
    NCS_DEATH_CUT_OFF, /* all died, some while they waited in a call, by signals that launchers and users send */
};
/* Appends a line for each of them. A launcher that loses a process ends the others, which are left out then. */
enum ncs_exec_death ncs_exec_deaths(const struct ncs_journal *journal, struct ncs_str *notes);

/* ---- left.c: the objects that a program has created and not freed when it ends ---- */

/* Appends "2 communicators (comm0: ranks 0, 1), 1 allocation of device memory (4096 B)", and a second line with the
 * places that made them; appends nothing if nothing is left. Also fills result->left. */
void ncs_exec_left(const struct ncs_journal *journal, struct ncs_result *result, struct ncs_str *out);

/* ---- unlike.c: variables of NCCL that the processes of a job do not share ---- */

/* Adds a notice for each that NCCL needs alike on all ranks. */
void ncs_exec_unlike(struct ncs_notices *notices);

/* ---- processes.c: the processes of a job of many, for its report ---- */

/* Returns them by rank, those without a rank last; NULL = the program is no job of many. The caller frees the list. */
struct ncs_report_process *ncs_exec_processes(size_t *count);

/* ---- timeline.c: for --html and --trace; it is kept only if one of them is asked for ---- */

/* Watches the calls of the journal, if the settings want a drawing. NULL = they do not. */
struct ncs_timeline *ncs_exec_timeline_open(const struct ncs_shim_settings *settings, const struct ncs_machine *machine,
                                            struct ncs_journal *journal);
/* Ends the timeline, and gives it to the result. */
void ncs_exec_timeline_fill(struct ncs_result *result);
/* Replaces the file. False, after a warning, if it cannot be written. */
bool ncs_exec_file_write(const char *file, const struct ncs_str *text);
/* Writes the drawings. False, after a warning, if one of them could not be written. */
bool ncs_exec_timeline_write(const struct ncs_report_run *run);

/* ---- reproduce.c: the calls of a program as a scenario that ends as the program does: --record ---- */

/* Writes the file when the run is over, and reports with `tell` that it did. A warning if it cannot be written, or
 * the run has no call that a scenario can make: then false. */
bool ncs_exec_reproduce(const struct ncs_result *result, const char *file, const char *program, ncs_channel_tell *tell);

/* ---- told.c: what the report of a stall has told already, and that of a hang need not tell again ---- */

/* Keeps the report of a stall. In the copy of the process that makes it. */
void ncs_exec_told_keep(const struct ncs_str *report);
/* Shortens the report to what the kept one does not say, if the two differ in their first lines and notes only. */
void ncs_exec_told_shorten(struct ncs_str *report);

/* ---- checks.c: are results right, does anything order uses of memory, do the ranks agree ---- */

/* Begins to observe the machine. Borrows the journal. */
void ncs_checks_open(const struct ncs_shim_settings *settings, const struct ncs_driver *driver, struct ncs_journal *journal);
/* A call has returned. */
void ncs_checks_call(struct ncs_call *call);
/* From now on results may be wrong, because a fault spoils them. */
void ncs_checks_distrust(void);
/* All that was noticed so far, for the diagnosis. Add further notices to it before. */
struct ncs_notices *ncs_checks_notices(void);
/* The things that the program has made and not freed (diagnose/ledger/ledger.h). */
struct ncs_ledger *ncs_checks_ledger(void);
/* Fills in the counts and the wrong results; they stay the checks'. */
void ncs_checks_fill(struct ncs_result *r);

/* ---- rank.c: which rank of the program makes a call ---- */

/* Call it on the calling thread. -1: a thread that has joined no communicator, in a call that names none. */
int ncs_exec_rank_of(const struct ncs_journal *journal, const struct ncs_call *call);
/* Whose work a query asks for: the rank that owns its communicator, or the stream that it names or in which its event
 * was recorded last. -1 = unknown. */
int ncs_exec_rank_asked(const struct ncs_journal *journal, const struct ncs_call *query);

#endif
