/* What a thread of a program and its stand-in in the process with the machine share: memory for one call at a time. A job of
 * many processes has one machine, in a process of its own that `exec` starts; the processes of the program send their calls
 * there. */
#ifndef NCS_SHIM_WIRE_H
#define NCS_SHIM_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/carry.h"

#define WIRE_VERSION 3
#define WIRE_TEXT 512 /* bytes of the longest text that NCCL or CUDA returns, and more */
#define WIRE_PATH 4096
#define WIRE_BODY \
    ((size_t)9    \
     << 20) /* bytes of a request or an answer: as many ids as ncs_carry allows. Memory that is not used costs nothing */

/* Whose turn it is. The client moves IDLE to REQUEST and REPLY to IDLE, the machine REQUEST to SERVED and SERVED to REPLY. */
enum wire_state { WIRE_IDLE, WIRE_REQUEST, WIRE_SERVED, WIRE_REPLY, WIRE_CLOSED };

/* Kinds of requests. */
enum wire_kind {
    WIRE_CALL,   /* body: struct ncs_carry_request, items; answered with struct ncs_carry_answer, items */
    WIRE_RUN,    /* by the machine, body: struct wire_run */
    WIRE_REFUSE, /* set CUDA's last error to `number` (sim_outside_refuse), which the answer replaces */
    WIRE_LEAVES, /* the thread ends */
    WIRE_EXITS,  /* the process ends by itself, with the status `number` */
    WIRE_LACKS,  /* the process has no memory left: nothing can be reported of the job */
    WIRE_KERNEL, /* counts a launch of an unknown kernel, whose name is the body */
};

/* A function of the program that a stream runs, by its number. */
struct wire_run {
    uint64_t function, stream;
    int32_t status;
    bool again; /* a graph keeps it */
};

/* A place in the program, described once; later calls give its number alone. */
struct wire_site {
    int number; /* in the process, from 1; 0 = unknown */
    bool described;
    int line;               /* of a named place; 0 = none */
    uint64_t address;       /* else: of the call, as the symbols of its module have it */
    char module[WIRE_PATH]; /* "" = a named place */
    char file[WIRE_PATH];
    char function[WIRE_TEXT];
};

struct wire {
    atomic_int state;
    atomic_bool greeted;   /* the machine has sent its welcome, and will send nothing more on the connection */
    atomic_bool sleeps[2]; /* by side: it waits, and has to be woken */
    int kind;
    int64_t number;
    bool in_function;    /* the thread runs a host function of a stream */
    int rank;            /* that the thread has said of itself; -1 = none */
    int64_t ran;         /* its processor time at a query, ns */
    atomic_size_t bytes; /* of the body */
    struct wire_site site;
    _Alignas(16) unsigned char body[WIRE_BODY];
};

/* The first message on a connection, with the descriptor of the memory for `struct wire`. */
struct wire_hello {
    int version;
    size_t bytes; /* of struct wire */
    pid_t thread;
    bool runs_functions;           /* it waits for functions of the program to run: it makes no calls */
    char program[WIRE_PATH];       /* what reports call it */
    char variables[4 * WIRE_PATH]; /* NCCL's, as "NCCL_DEBUG=INFO", each with a NUL; an empty one ends them */
    bool lists_devices;            /* CUDA_VISIBLE_DEVICES is set, to: */
    char devices[WIRE_PATH];
};

/* The answer, with the descriptor of the arena (sim/data/arena.h). */
struct wire_welcome {
    bool joined; /* else `why` says why not */
    bool skips_kernels;
    char why[WIRE_TEXT];
};

/* Waits until the state is not this any more. The program's side also looks whether the machine is there, and waits for a second
 * at most. */
enum wire_side { WIRE_PROGRAM, WIRE_MACHINE };
void wire_wait(struct wire *w, enum wire_side side, enum wire_state state);
void wire_set(struct wire *w, enum wire_state state);
/* Wakes whoever waits, after a change of the state. */
void wire_wake(struct wire *w);

/* Sends or receives a message of so many bytes with one descriptor. False, with errno, if it does not come whole. */
bool wire_send(int socket, const void *message, size_t bytes, int file);
bool wire_receive(int socket, void *message, size_t bytes, int *file);

#endif
