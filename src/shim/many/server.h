/* The side of the machine: a process of its own, in which a thread stands in for each thread of the program. */
#ifndef NCS_SHIM_SERVER_H
#define NCS_SHIM_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"
#include "shim/many/wire.h"

/* Where an out-parameter of a call that is not over goes: NCCL fills some handles later. */
struct late {
    void *cell;        /* here */
    void *there;       /* in the process */
    const void *before; /* what the cell held at the call */
    struct late *next;
};

/* A process of the job. */
struct server_process {
    pid_t pid;
    int pidfd;
    int number;             /* in the machine, from 1 */
    const int *device;      /* the machine's numbers of the devices that it sees; NULL = all */
    int devices;
    bool gone;
    atomic_bool exits;      /* it has said that it ends by itself */
    pthread_mutex_t lock;   /* guards what follows */
    struct late *late, *sent;
    int *site;              /* by site of the process: the machine's own */
    size_t sites;
    struct wire *runner;    /* runs functions of the program; NULL = none so far */
    pid_t runner_thread;    /* of the process */
    pthread_cond_t has_runner;
    pthread_mutex_t runs;   /* held while one of its functions runs */
};

/* One thread of the program, and the thread that makes its calls here. */
struct stand_in {
    struct server_process *process;
    struct wire *wire;
    int socket;
    pid_t thread;           /* of the program */
    pid_t own;              /* here */
    int rank;               /* -1 = unknown so far */
    struct stand_in *next;
};

/* Carries out the request that the wire holds, and fills in the reply. False: the thread of the program ends. */
bool serve_call(struct stand_in *s);

/* Runs a function of the process there, and waits for its end. */
void server_run_there(struct server_process *p, enum ncs_fn kind, void (*function)(void), const void *stream, int status,
                      const void *data);

/* Reads and writes memory of the process. False: it cannot be touched. */
bool server_read(const struct server_process *p, void *here, const void *there, size_t bytes);
bool server_write(const struct server_process *p, void *there, const void *here, size_t bytes);

/* ---- what the threads of the job do (shim/threads.c) ---- */

/* True from the start of the machine's process until a process of the program connects; and from then on. */
bool server_is_asleep(void);
bool server_is_open(void);
/* A thread of this process that serves others: it does nothing by itself. */
bool server_owns(pid_t thread);
/* Calls `look` for each process that is not gone, until it returns false. Returns whether all returned true. */
bool server_each_process(bool (*look)(pid_t process, void *arg), void *arg);

enum server_thread {
    SERVER_UNKNOWN, /* it has made no call */
    SERVER_RESTS,   /* it runs functions of the program, and has none now */
    SERVER_OUTSIDE, /* in no call */
    SERVER_CALLS,   /* a call is on its way to the machine or back */
    SERVER_SERVED,  /* in a call; *own gets the thread that makes it */
};
enum server_thread server_thread(pid_t process, pid_t thread, pid_t *own);

/* True if a process may still join that could end a wait for a rank that nobody has. */
bool server_may_grow(void);
/* True if each thread of the job waits, in a call or not, or runs in MPI, as far as that shows. */
bool server_is_stalled(void);
/* Appends "; rank 1 (process 4711) is in no call and runs, perhaps in MPI": what the ranks do that are in no call. */
void server_list_outside(struct ncs_str *out);

#endif
