/* A command that a launcher has started in many processes: the process that the launcher numbers 0 leads and carries the command
 * out; the others serve it, and end with its exit status. */
#ifndef NCS_CLI_JOB_H
#define NCS_CLI_JOB_H

#include <stdbool.h>

#include "driver/driver.h"

struct ncs_job_options {
    const char *command;                    /* for messages: "run" */
    const char *rendezvous;                 /* --rendezvous; NULL = as the launcher says */
    const struct ncs_driver_choice *driver; /* of which each process makes the calls of its ranks */
    int ranks; /* --ranks; 0 = as many as there are processes, or GPUs where each host has one process */
};

/* Without a launcher, or with one process, nothing happens: *ranks = options->ranks. In the leader it returns when all processes are
 * there: *ranks = those of the job. In another process, and after an error, it returns false when the job is over: the
 * process ends with *status. */
bool ncs_job_begin(const struct ncs_job_options *options, int *ranks, int *status);
/* True in the leader of a job of many processes. */
bool ncs_job_leads(void);
/* The process is about to end with this status: the others are told. Returns the status. No-op without a job; any thread. */
int ncs_job_end(int status);
/* The same for a process that cannot wait: in a signal handler, or without memory. */
int ncs_job_drop(int status);

#endif
