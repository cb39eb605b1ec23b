/* The virtual machine: hosts, processes and GPUs, the queues of the scheduler, the clock. There is one
 * world at a time, because NCCL's functions take no context argument. The token protects it, so it needs
 * no locks. */
#ifndef NCS_SIM_WORLD_H
#define NCS_SIM_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/machine.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sorted.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/context.h"

/* The host parks while a stream holds more unfinished operations than this (sim/README.md, rule 4). */
#define STREAM_DEPTH 1024

#define CUDA_VERSION_REPORTED 13000 /* 1000 * major + 10 * minor */
#define CUDA_LIMITS 7

struct capture;
struct op;
struct host;
struct settings;
struct job;
struct pool;
struct registered;
struct event_entry;

struct queue {
    struct context *first, *last;
};

/* The settings of NCCL_DEBUG and NCCL_DEBUG_SUBSYS: enum log_level, and bits of enum log_subsys. */
struct log_state {
    int level;
    unsigned mask;
};

/* One GPU as one process sees it. */
struct gpu {
    struct process *process;
    int device; /* on the process's host */
    struct stream *legacy;
    struct op *last_launch; /* where launches keep an order; referenced */
    struct stream **stream; /* live ones, for device-wide waits and the legacy rule */
    size_t streams, streams_room;
    int fault; /* cudaError_t that killed the context; 0 = alive */
    int kernel_slots_held;
    unsigned resets;           /* by cudaDeviceReset */
    struct host *host;         /* runs host functions; NULL = none so far */
    bool *peer;                /* by device: its memory is in reach; NULL = no device's is */
    struct pool *pool;         /* source of stream-ordered memory; NULL = the default pool */
    struct pool *default_pool; /* NULL: not used yet */
    unsigned flags;            /* of cudaSetDeviceFlags */
    size_t limit[CUDA_LIMITS];
    bool limited[CUDA_LIMITS]; /* set by the program: else the default */
};

struct process {
    int number;
    int host;
    int devices;                   /* of its host */
    struct settings *settings;     /* its own (settings/own.h); NULL = those of all */
    bool dead;                     /* killed by a planned fault, or by a signal */
    pid_t pid;                     /* whose memory its pageable pointers mean; 0 = this process's */
    int first_device;              /* current in its new threads */
    struct registered *registered; /* memory of another process that it has pinned */
    struct gpu *gpu;
    size_t live;             /* contexts that have not ended and are not idle; not of a program from outside */
    struct comm_rank *comms; /* its handles, newest first */
    uint64_t joined;         /* serial of the newest communicator that it has a rank of */
    int64_t stamped;         /* time of the meeting that stamped it last; see sim_meeting_stamp */
    uint64_t launched;       /* serial of its youngest launch in meetings due at that time */
    char last_error[1024];   /* ncclGetLastError's buffer */
    uint64_t env_said;       /* variables that the log has mentioned, one bit each */
    bool version_said;       /* the log has mentioned the version */
};

#define WORLD_FOUND 256

struct world {
    bool open;
    struct ncs_machine_options options;
    int devices_most;             /* of a host */
    bool own_settings;            /* some process has settings of its own */
    const struct process *acting; /* whose settings count while a job steps; NULL = the running context's */
    struct ncs_observer observer;
    struct ncs_plant plant;
    int planted; /* meetings with data so far */

    struct process **process;
    size_t processes, processes_room;

    /* scheduler */
    struct context runner;
    struct context *running;
    struct context *finished; /* ended last; its stack is given back by the next that ends */
    struct context **context;
    size_t contexts, contexts_room, live;
    struct queue ready, polling;
    struct context **woken;
    size_t wokens, wokens_room;
    uint64_t parkings;
    atomic_bool interrupted; /* set by signal handlers and by a watch on another thread */
    bool closing;            /* contexts are being abandoned */
    size_t foreign_waits;    /* threads from outside that wait in a call */
    enum ncs_stop stop;
    uint64_t steps;
    bool holds; /* time passes for `allowed` events and no more */
    uint64_t allowed;

    /* time */
    int64_t now;
    uint64_t epoch;
    int64_t epoch_time;
    struct event_entry *agenda;
    size_t agenda_count, agenda_room;
    uint64_t agenda_serial;
    size_t device_events;  /* entries of the agenda that move data or end an operation */
    size_t meeting_events; /* those of meetings among them */
    uint64_t meetings_due; /* of these, put there so far */
    int64_t stamped;       /* the instant whose entries were ordered already; see begin_instant */
    struct choices choices;
    uint64_t trace;

    /* device graph */
    struct op *op_first, *op_last; /* unfinished, in order of creation */
    struct op *queued_first, *queued_last;
    uint64_t op_serial;
    struct op **kernel_slot_line; /* launches that wait for a kernel_slot, first come first */
    size_t kernel_slot_waits, kernel_slot_room;

    /* jobs */
    struct job *job_first, *job_last; /* running, in order of creation */
    struct job *dirty_first, *dirty_last;

    /* objects by handle */
    struct ncs_map streams, events, pools, comms, graphs, graph_execs;
    struct capture *capture_first, *capture_last; /* those that have not ended, in order of their beginning */
    uint64_t capture_serial;
    uint64_t stream_serial;
    struct ncs_sorted memory;              /* allocations, by base */
    struct allocation *found[WORLD_FOUND]; /* the latest that were looked for, by address (sim_memory_find); NULL = none */
    uint64_t memory_serial;                /* of the latest allocation */
    uint64_t event_serial;                 /* of the latest record of an event */
    struct ncs_map freed;                  /* struct freed of watched allocations, by serial */
    size_t unwritten;                      /* allocations that are not written as a whole (data/unwritten.h) */
    size_t lazy_allocations;               /* allocations that take memory only when written */
    uint64_t *memory_used;                 /* by host * devices_most + device */
    size_t memory_used_count;

    /* NCCL */
    struct rendezvous *rendezvous_first, *rendezvous_last; /* in order of creation */
    struct ncs_map rendezvous_by_key;                      /* the youngest by key */
    uint64_t unique_ids, comm_serial;
    bool went_ahead;                                  /* a send completed before its receive arrived */
    uint64_t buffered;                                /* most bytes of a pair that ran ahead */
    bool let_off;                                     /* a destroy or abort did not wait where the documented policy does */
    uint64_t comm_handles, stream_handles, addresses; /* as the log names them */
    struct log_state log;
    struct comm *comm_first, *comm_last;
    struct comm *ended_first, *ended_last; /* communicators that all ranks have ended */
    size_t tombstones;                     /* ranks of these */

    uint64_t live_objects, live_bytes; /* zero again after a reset */
};

extern struct world sim_world;

/* An observable change: whoever polls will look again. */
void sim_world_changed(void);
/* now + ns, or the largest time if that overflows. */
int64_t sim_world_later(int64_t ns);
void sim_world_trace(uint64_t word);

/* The process with that number, made at first use. */
struct process *sim_world_process(int number);
struct gpu *sim_process_gpu(struct process *p, int device);

/* The device's place on the PCI bus in one number, as NCCL prints it. */
unsigned sim_gpu_bus_id(const struct gpu *gpu);
int sim_gpu_capability(const struct gpu *gpu); /* major * 10 + minor */

/* Counted allocations of the world's objects. */
void *sim_new(size_t bytes);
void sim_free(void *p, size_t bytes);
/* Frees memory kept for reuse; no object may be live. */
void sim_world_trim(void);

#endif
