/* The side of the machine: a process of its own, in which a thread stands in for each thread of the program. */
#ifndef NCS_SHIM_SERVER_H
#define NCS_SHIM_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "shim/many/wire.h"

/* A process of the job. */
struct server_process {
    pid_t pid;
    int pidfd;
    int number;        /* in the machine, from 1 */
    char *variables;   /* NCCL's, as in struct wire_hello */
    const int *device; /* the machine's numbers of the devices that it sees; NULL = all */
    int devices;
    bool gone;
    atomic_bool exits;   /* it has said that it ends by itself, */
    int status;          /* with this status */
    atomic_bool strange; /* a request of its was refused */
    int *rank;           /* those that its threads have, in the order in which they came; changes with the token */
    size_t ranks, ranks_room;
    char *death;          /* what ended it, if it has not come to its end by itself */
    bool called;          /* a thread of it was in a call then */
    pthread_mutex_t lock; /* guards what follows */
    struct ncs_carry_lates lates;
    int *site; /* by site of the process: the machine's own */
    size_t sites;
    struct wire *runner; /* runs functions of the program; NULL = none so far */
    pid_t runner_thread; /* of the process */
    pthread_cond_t has_runner;
    pthread_mutex_t runs; /* held while one of its functions runs */
};

/* One thread of the program, and the thread that makes its calls here. */
struct stand_in {
    struct server_process *process;
    struct wire *wire;
    int socket;
    pid_t thread; /* of the program */
    pid_t own;    /* here */
    int rank;     /* -1 = unknown so far */
    struct ncs_str request;
    struct stand_in *next;
};

/* Carries out the request that the wire holds, and fills in the reply. False: the thread of the program ends. */
bool serve_call(struct stand_in *s);

/* Runs a function of the process there, and waits for its end. */
void server_run_there(struct server_process *p, const struct wire_run *run);

/* Ends the machine with NCS_MEM_EXIT after a line on standard error: without one of its processes a job would hang, or seem to,
 * so there is no verdict of it. */
_Noreturn void server_end_short(const char *why, int error);

/* True from the start of the machine's process until a process of the program connects; and from then on. */
bool server_is_asleep(void);
bool server_is_open(void);
/* exec has passed on a signal that ends the program, a short time ago. */
bool server_is_ending(void);
/* A thread of the program connects, and waits for the answer: it will go on. */
bool server_is_greeting(void);

/* ---- death.c: how a process ended ---- */

/* Appends what ended the process behind the descriptor: "signal 11 (Segmentation fault)", "its exit with status 1". Returns
 * false if the process has ended by itself, with status 0 as far as that is known. pid: its number, which may be another's by
 * now. exits: it has said that it ends by itself. */
bool death_of(int pidfd, int pid, bool exits, struct ncs_str *out);

/* ---- stall.c: a job that stands still, but where some process may yet act: it is no hang that is certain ---- */

/* Prints once who waits for whom, if nothing has changed for so many nanoseconds. The program goes on. Called by one thread,
 * which makes no calls of the program. */
void stall_look(int64_t limit);
/* A file that keeps the report, beside standard error; -1 = there was none. */
int stall_report(void);

/* ---- stand_in.c: the threads that stand in for those of the program ---- */

/* Starts a thread that makes the calls of one of the program, and copies `given`. False: there can be no more threads. */
bool stand_in_start(const struct stand_in *given);

/* ---- variables.c: NCCL's variables of the processes; a list is as in struct wire_hello ---- */

/* Sets the variables of this process to those of the first process. */
void variables_adopt(const char *list);
char *variables_copy(const char *list);
const char *variables_next(const char *at);
/* The value of the variable, of whose name only so many bytes count; NULL = it is not set. */
const char *variables_find(const char *list, const char *name, size_t bytes);

#endif
