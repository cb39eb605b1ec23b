/* Streams and events: names of operations. */
#ifndef NCS_SIM_STREAM_H
#define NCS_SIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclscript/cuda_abi.h"
#include "sim/cuda/op.h"

struct capture;
struct context;
struct gpu;
struct ncs_call;

struct stream {
    struct gpu *gpu;
    bool blocking; /* takes part in the legacy rule */
    bool legacy;
    bool used; /* had an operation */
    unsigned flags;
    int priority;
    unsigned long long id; /* of cudaStreamGetId */
    struct op *tail;       /* referenced; NULL = nothing unfinished */
    size_t unfinished;
    struct waitable room; /* fires when at most STREAM_DEPTH operations are unfinished */
    unsigned references;
    uint64_t handle;         /* its name in the log */
    struct capture *capture; /* NULL = it is not captured */
    size_t captured_lane;    /* its place among the capture's streams */
    size_t *front;           /* the nodes that the next one follows */
    size_t fronts, front_room;
};

/* What the latest record of an event was. All processes that have the event share it. */
struct event_record {
    struct op *op;     /* NULL = never recorded, or recorded in a capture */
    uint64_t captured; /* id of that capture; 0 = none */
    size_t *front;     /* and the nodes that it stands for */
    size_t fronts;
    uint64_t serial;
    unsigned events; /* that share it */
};

struct event {
    struct gpu *gpu;
    bool timing;
    bool interprocess; /* made here for other processes */
    struct event_record *record;
};

/* A handle as the log names it, the same in every run; 0 = no stream. */
uint64_t sim_stream_name(const void *handle);

struct stream *sim_stream_new(struct gpu *gpu, unsigned flags, int priority);
void sim_stream_ref(struct stream *s);
void sim_stream_unref(struct stream *s);

/* Makes op, just created, the tail of s with the edges that follow from it. */
void sim_stream_append(struct stream *s, struct op *op);
/* op, which was unfinished on s, is done. */
void sim_stream_finished(struct stream *s, struct op *op);

/* The stream of a handle: 0 and 1 are the legacy stream of `device`, 2 is the context's own stream on
 * `device`. NULL if there is none. */
struct stream *sim_stream_find(struct context *c, cudaStream_t handle, int device);

/* The event of a handle; NULL = the context's process has none such. */
struct event *sim_event_find(const struct context *c, cudaEvent_t handle);
/* record: of another process; NULL = its own. */
struct event *sim_event_new(struct gpu *gpu, struct event_record *record);
void sim_event_free(struct event *e);

/* Frees the streams of a device; only at a reset, when nothing runs any more. */
void sim_gpu_free_streams(struct gpu *gpu);

/* As sim_stream_find, but parks the caller until the stream has room for one more operation. NULL
 * also if another thread destroys the stream meanwhile. */
struct stream *sim_stream_with_room(struct context *c, cudaStream_t handle, int device);
/* Parks the caller while the stream is too deep. The caller holds a reference to the stream. */
void sim_stream_wait_room(struct context *c, struct stream *s);

/* Parks the caller until everything on the stream, or on the whole device, is done. */
void sim_stream_wait(struct context *c, struct stream *s);
void sim_gpu_wait(struct context *c, struct gpu *gpu);

/* Polls once if the operation is done. */
bool sim_op_poll(struct context *c, struct op *op);

/* Ends all unfinished operations of a device as failed. */
void sim_gpu_end_ops(struct gpu *gpu, int status);
/* Destroys the streams and events that the process made on the device. */
void sim_gpu_forget_streams(struct gpu *gpu);

/* A kernel or a copy made an illegal access: the device is dead for this process (CUDA error 700),
 * and all its unfinished operations fail. */
void sim_gpu_fault(struct gpu *gpu, struct ncs_call *call, const char *why);

#endif
