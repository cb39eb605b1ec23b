/* The process with the machine, beside a program of many processes. */
#ifndef NCS_CLI_EXEC_JOB_H
#define NCS_CLI_EXEC_JOB_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct ncs_exec_job {
    char name[160]; /* of the socket on which it listens, @, and of the host (base/channel.h) */
    int listener;
    int alive;     /* a pipe to the machine, closed when the program has ended; -1 = none */
    pid_t machine; /* 0 = none */
    int signal;    /* that has ended the machine; 0 = none */
    int status;    /* with which the machine has exited */
};

/* Makes the socket. False with errno. */
bool ncs_exec_job_open(struct ncs_exec_job *job);
/* Starts the process, which does nothing until a process of the program connects. `prepare` sets its environment. */
bool ncs_exec_job_start(struct ncs_exec_job *job, const char *folder, void (*prepare)(void *), void *arg);

/* Tells the machine that the program is about to be ended, so that what its processes wait for meanwhile is no hang. For signal
 * handlers, too. */
void ncs_exec_job_tell_end(int alive);

/* Waits for the end of the program, and of the job. If the machine has ended the job before, ends all of its processes. *program
 * becomes 0 when the process with that number has ended; *how gets the status of waitpid. *stopped: a signal has come that ends
 * the program, so its processes end with it. */
void ncs_exec_job_wait(struct ncs_exec_job *job, volatile sig_atomic_t *program, const volatile sig_atomic_t *stopped, int *how);

#endif
