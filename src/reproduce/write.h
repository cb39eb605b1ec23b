/* Writes the scenario that is made of a job. */
#ifndef NCS_REPRODUCE_WRITE_H
#define NCS_REPRODUCE_WRITE_H

#include "reproduce/emit.h"
#include "reproduce/ending.h"

struct ncs_reproduced_writing {
    const char *file;   /* YAML if its name ends so */
    const char *origin; /* what it is made of: "dumps (Flight Recorder dumps)" */
    const struct ncs_workload *workload;
    const struct ncs_run_options *options; /* of the run; NULL = they are not known */
    bool in_comments;                      /* places stand in comments, not in labels */
    bool lists_losses; /* a comment has what is not written; ncs_reproducer_check removes it if the run ends as the record */
};
/* Comments of a scenario that a program has written, without the two signs in front. */
#define NCS_REPRODUCED_LOSSES "Not written: "
#define NCS_REPRODUCED_UNDECLARED "No outcome is declared: the record ends with "
#define NCS_REPRODUCED_DIFFERS "Its run "      /* passes, where the record hangs */
#define NCS_REPRODUCED_LATE "Note: the first " /* calls are missing */
#define NCS_REPRODUCED_ABOUT "a recorded job that "

/* Appends the scenario. It declares `outcome`. `recorded`: how the job ended, if that is something else; NULL = it is the same. */
void ncs_reproduced_text(const struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome,
                         const struct ncs_reproduced *recorded, struct ncs_str *out);

/* Sets the way number `way`, from 0, in which the job `whole` may be written, the likeliest first: in both orders, with and without events
 * and what hosts do besides calls, with the places as labels or in comments. `fewer` has what it needs, and is empty at first. False if the
 * job has no such way. */
enum { NCS_REPRODUCED_WAYS = 16 };
bool ncs_reproduced_way(struct ncs_reproduced_writing *w, const struct ncs_workload *whole, int way, struct ncs_workload *fewer);

/* Writes the scenario to its file, which it replaces. False, with err, if the file cannot be written. */
bool ncs_reproduced_write(const struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome, struct ncs_error *err);
/* Appends the scenario in all ways, with a zero byte behind each. */
void ncs_reproduced_add_ways(struct ncs_reproduced_writing *w, const struct ncs_reproduced *outcome, struct ncs_str *out);

/* The settings of a scenario of so many ranks that is made of a run with these options; NULL = they are not known. */
void ncs_reproducer_settings(const struct ncs_run_options *options, int ranks, const struct ncs_reproduced *outcome,
                             struct ncs_workload_text *text);
bool ncs_reproducer_is_yaml(const char *file); /* by its name */

#endif
