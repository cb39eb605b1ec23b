/* The processes of the job and their threads, and what these do. */
#ifndef NCS_SHIM_JOB_H
#define NCS_SHIM_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "shim/many/server.h"

/* The number of the calling thread. */
pid_t job_thread_number(void);
/* The calling thread of this process serves others: it does nothing by itself. */
void job_note_own(void);

/* For the thread that serves connections: processes are never removed. */
void job_add_process(struct server_process *p);
size_t job_processes(void);
struct server_process *job_process(size_t i);
/* The process with this number that is not gone; NULL = none. */
struct server_process *job_find(pid_t pid);

void job_add(struct stand_in *s);
/* Frees it and its wire. */
void job_remove(struct stand_in *s);
/* The process is gone: its stand-ins that wait for a request end; those that are in a call never return from it. */
void job_close_wires(struct server_process *p);

/* ---- what its threads do ---- */

/* A thread of this process that serves others. */
bool job_owns(pid_t thread);
/* True if the process belongs to the job, and is not gone. */
bool job_has_process(pid_t process);
/* Calls `look` for each process that is not gone, until it returns false. Returns whether all returned true. */
bool job_each_process(bool (*look)(pid_t process, void *arg), void *arg);

enum job_thread {
    JOB_UNKNOWN, /* it has made no call */
    JOB_RESTS,   /* it runs functions of the program, and has none now */
    JOB_OUTSIDE, /* in no call */
    JOB_CALLS,   /* a call is on its way to the machine or back */
    JOB_SERVED,  /* in a call; *own gets the thread that makes it */
};
enum job_thread job_thread(pid_t process, pid_t thread, pid_t *own);
/* As doing_name: for the thread of the program whose calls this one makes, or for this one. */
const char *job_doing(pid_t own);

/* True if each thread of the job waits, in a call or not, or runs in MPI, as far as that shows. */
bool job_is_stalled(void);
/* Appends "; rank 1 (process 4711) is in no call and runs, perhaps in MPI": what the ranks do that are in no call. */
void job_list_outside(struct ncs_str *out);

/* ---- doing.c: what a thread of another process does outside of the machine's calls, by /proc ---- */

/* "waits for a message (poll)", "is stopped", "runs, perhaps in MPI"; "" = it computes, as far as that shows. */
const char *doing_name(pid_t process, pid_t thread);

/* ---- strangers.c: the processes below `exec` that are no part of the job, or not yet ---- */

/* How a process outside of the job may wait so that it will not join by itself. */
enum stranger {
    STRANGER_LAUNCHES, /* for anything: it has not loaded the libraries, or processes of the job come from it */
    STRANGER_MAY_JOIN, /* for another process only: it has loaded them, and may be a rank that is late */
};
/* Calls `look` for each of them, until it returns false. Returns whether all returned true. */
bool strangers_each(bool (*look)(pid_t process, enum stranger kind));

#endif
