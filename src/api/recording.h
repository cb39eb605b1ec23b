/* The file that the recorder of a live job keeps for its process: calls of NCCL and of the CUDA runtime with their
 * arguments, in memory that survives the process. The recorder (shim/record) writes it, trace/recording*.c reads it.
 *
 * The file is a head and a few areas of entries of equal size. Its numbers have the byte order of the machine. A call is
 * one entry of 128 bytes, written when the call begins and completed when it returns: an entry without a duration is a
 * call that has not returned. Two rings hold calls. `RING` has most and overwrites the oldest. `LASTING` has the calls that
 * make and end communicators, which are rare and without which no other call can be understood. */
#ifndef NCS_API_RECORDING_H
#define NCS_API_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

#define NCS_RECORDING_MAGIC "NCSREC1\n"
#define NCS_RECORDING_ENDING ".ncclrec"

/* The variables of the environment that the recorder reads. */
#define NCS_RECORDING_FOLDER "NCCLSCRIPT_RECORD"        /* a folder: record there */
#define NCS_RECORDING_CALLS "NCCLSCRIPT_RECORD_CALLS"   /* entries of the ring */
#define NCS_RECORDING_PYTHON "NCCLSCRIPT_RECORD_PYTHON" /* 0: frames of Python are not read */

enum {
    NCS_RECORDING_VERSION = 2,
    NCS_RECORDING_ORDER = 0x01020304, /* tells the byte order */
    NCS_RECORDING_ARGS = 11,
    NCS_RECORDING_LEAST = 64, /* calls of a ring, a power of two */
    NCS_RECORDING_USUAL = 32768,
    NCS_RECORDING_MOST = 1 << 24,
    NCS_RECORDING_THREADS_MOST = 2048,
    NCS_RECORDING_COMMS_MOST = 4096,
    NCS_RECORDING_CHILD = 8,   /* arg[8..9] of a call that makes a communicator out of another: its rank, its ranks */
    NCS_RECORDING_DEVICE = 10, /* arg[10] of a call that makes a communicator: the caller's device; -1 = unknown */
};

enum ncs_recording_kind {
    NCS_RECORDING_CALL,
    NCS_RECORDING_MORE, /* arg[] are `ordinal` further words of the thread's call of the same `begin`, from word 11 x number on */
};

struct ncs_recording_call {
    uint64_t seq;    /* its number in its ring, from 1, written last; 0 = empty, or torn */
    uint64_t begin;  /* in ticks (struct ncs_recording_pulse); grows with each call of a thread */
    float ticks;     /* duration; 0 = it has not returned */
    uint16_t fn;     /* index in the area FUNCTIONS */
    uint16_t thread; /* index in the area THREADS */
    uint16_t site;   /* index in the area SITES + 1; 0 = unknown */
    int16_t rc;
    uint32_t number;                  /* of a counted call: its number on its communicator, as in struct ncs_call */
    uint32_t ordinal;                 /* and its position in its sequence; 0 = in none, or unknown */
    uint8_t kind;                     /* enum ncs_recording_kind */
    uint8_t depth;                    /* open groups of the thread when it began */
    uint8_t list;                     /* 1 + the argument whose list follows in entries of kind MORE; 0 = none */
    uint8_t device;                   /* of a call of CUDA's on a default stream: 1 + the thread's device; 0 = unknown */
    uint64_t arg[NCS_RECORDING_ARGS]; /* as union ncs_arg. In place of a pointer to an id: its hash; to an object that NCCL
                                       * makes: the object; to a scalar on the host: its first 8 bytes */
};

struct ncs_recording_thread {
    uint32_t tid;
    uint32_t state; /* 0 = unused, 1 = it runs, 2 = it has ended */
    uint64_t polls; /* queries that changed nothing: they are in no ring */
    uint64_t spare[2];
    struct ncs_recording_call now; /* a copy of its latest call, queries included */
};

struct ncs_recording_comm {
    uint64_t handle;
    uint32_t calls, collectives; /* counted calls so far, and how many of them are in the sequence of collectives */
    uint32_t generation;         /* how many communicators have had this handle before */
    uint32_t pad;
};

/* The length of the sequence of sends to a peer, or of receives from it. */
struct ncs_recording_pair {
    uint64_t key; /* ncs_recording_pair_key; 0 = unused */
    uint64_t length;
};

/* comm: index in the area COMMS. */
static inline uint64_t ncs_recording_pair_key(uint32_t comm, uint32_t generation, int peer, bool receives)
{
    return ncs_hash(ncs_hash(comm, generation), 2 * (uint64_t)(uint32_t)peer + receives) | 1;
}

/* A place in compiled code, or a line of Python. */
struct ncs_recording_site {
    uint64_t address,
        offset; /* offset: as the symbols of the module's file have it; of Python: 1 = another thread made the call for it */
    unsigned char build[20]; /* the build id of the module's file; all zero = it has none */
    uint32_t line;           /* of Python, in the file `module`; 0 = compiled code */
    char module[256];        /* the path; empty = unknown */
    char name[88];           /* in the exported function that contains it, "train_step+0x1a2"; empty = in none */
};

struct ncs_recording_function {
    char name[60];
    uint32_t nargs;
};

enum ncs_recording_area {
    NCS_RECORDING_FUNCTIONS,
    NCS_RECORDING_THREADS,
    NCS_RECORDING_COMMS,
    NCS_RECORDING_PAIRS,
    NCS_RECORDING_SITES,
    NCS_RECORDING_LASTING,
    NCS_RECORDING_RING,
    NCS_RECORDING_AREAS,
};

/* One moment on two clocks. The ticks are those of the processor's counter, which costs a third of a call of the clock; two
 * moments tell how long one is. */
struct ncs_recording_pulse {
    uint64_t ticks;
    int64_t real; /* ns of CLOCK_REALTIME */
};

struct ncs_recording_head { /* 4096 bytes */
    char magic[8];
    uint32_t version, order;
    uint64_t bytes; /* of the file */
    struct {
        uint64_t at;             /* offset in the file */
        uint32_t entries, bytes; /* bytes: of an entry */
    } area[NCS_RECORDING_AREAS];
    int32_t pid;
    int32_t rank, nranks;              /* as the launcher says; -1 = it does not */
    int32_t nccl;                      /* version code; 0 = unknown */
    struct ncs_recording_pulse opened; /* when the file was made */
    char rank_by[32];                  /* the variable that gave `rank` */
    char host[64];
    char program[256];
    unsigned char spare[512];
    /* What changes while the process runs. */
    struct ncs_recording_pulse latest[2];
    uint64_t pulses;         /* so far; the latest is at [pulses % 2] */
    uint64_t next[2];        /* calls so far of LASTING and of RING */
    uint32_t threads, sites; /* entries in use; more than there are: the others are left out */
    uint32_t comms_lost;     /* communicators that the area COMMS has no room for */
    uint32_t ended;          /* 1 = the process has come to its end by itself */
    uint32_t threads_lost;   /* threads that the area THREADS has no room for: their calls are missing */
    unsigned char rest[4096 - 8 - 8 - 8 - 16 * NCS_RECORDING_AREAS - 16 - 16 - 32 - 64 - 256 - 512 - 40 - 16 - 20];
};

_Static_assert(sizeof(struct ncs_recording_call) == 128, "two cache lines");
_Static_assert(sizeof(struct ncs_recording_head) == 4096, "a page");
_Static_assert(sizeof(struct ncs_recording_site) == 384, "no padding");

#endif
