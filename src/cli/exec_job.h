/* The process with the machine, beside a program of many processes. */
#ifndef NCS_CLI_EXEC_JOB_H
#define NCS_CLI_EXEC_JOB_H

#include <stdbool.h>
#include <sys/types.h>

struct ncs_exec_job {
    char name[160]; /* of the socket on which it listens, @, and of the host (base/channel.h) */
    int listener;
    int alive;      /* closed when the program has ended */
    pid_t machine;  /* 0 = none */
};

/* Makes the socket. False with errno. */
bool ncs_exec_job_open(struct ncs_exec_job *job);
/* Starts the process, which does nothing until a process of the program connects. `prepare` sets its environment. */
bool ncs_exec_job_start(struct ncs_exec_job *job, const char *folder, void (*prepare)(void *), void *arg);

/* Waits for the end of the program. If the machine has ended the job before, ends all of its processes. *how gets the status of
 * waitpid. */
void ncs_exec_job_wait(struct ncs_exec_job *job, pid_t program, int *how);

#endif
