/* Capture of streams: what is put into a capturing stream becomes a node of a graph instead of running. What CUDA
 * forbids meanwhile is in the runtime API guide 13.0, "Stream Management" and error codes 900 to 908. */
#ifndef NCS_SIM_CAPTURE_H
#define NCS_SIM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclscript/cuda_abi.h"
#include "sim/cuda/op.h"

struct context;
struct event_record;
struct graph;
struct stream;

struct capture {
    uint64_t id;              /* from 1 */
    const struct context *by; /* whose call began it */
    const struct process *process;
    enum cudaStreamCaptureMode mode;
    bool broken;         /* invalidated */
    struct graph *graph; /* referenced */
    struct capture *previous, *next;
};

struct capture *sim_capture_begin(struct context *c, struct stream *s, enum cudaStreamCaptureMode mode);
/* Ends it on all its streams; gives the graph, with a reference. An error: no graph. */
int sim_capture_end(struct context *c, struct stream *s, struct graph **graph);
void sim_capture_break(struct capture *k);
/* The stream is destroyed. */
void sim_capture_leave(struct stream *s);

/* A new operation for capturing streams, all of one capture, instead of sim_op_new's. */
struct op *sim_capture_op(enum op_kind kind, struct gpu *gpu, struct stream *const *streams, size_t count, int64_t cost);

/* An event's record in a capturing stream, and a wait for an event where the stream or the record is captured. They
 * return CUDA's error. */
void sim_capture_record(struct event_record *r, struct stream *s);
int sim_capture_wait(struct stream *s, const struct event_record *r);
/* The error of a query or a wait of the host for the event: 907 if it was recorded in a capture. */
int sim_capture_refuses_event(const struct event_record *r);
void sim_capture_forget_record(struct event_record *r);

/* The error with which nothing can be put into the stream now: its capture is broken (901), or it is the legacy stream
 * while a blocking stream of its device is captured (906, which breaks that capture). 0 = none. */
int sim_capture_refuses(struct stream *s);
/* The error of a call that makes the host wait for the stream, or asks about it. It breaks the captures concerned. */
int sim_capture_refuses_wait(struct context *c, struct stream *s);
/* The same for the device. */
int sim_capture_refuses_device(struct context *c, const struct gpu *gpu);
/* The error of a call that may wait for devices in some way (cudaMalloc), by the modes of the captures. */
int sim_capture_refuses_unsafe(struct context *c);
/* What a function that cannot be captured returns on a capturing stream, whose capture it breaks. */
int sim_capture_unsupported(struct stream *s, int error);

/* True if the legacy stream may not be used: a blocking stream of its device is captured. */
bool sim_capture_bars_legacy(const struct stream *s);

void sim_captures_free(void); /* at a reset */

/* A function that puts something into a stream has found the stream. */
#define CAPTURE_CHECK(c, s)                      \
    do {                                         \
        int refused_ = sim_capture_refuses(s);   \
        if (refused_)                            \
            return sim_cuda_return(c, refused_); \
    } while (0)
/* A function that may wait for the device. */
#define CAPTURE_UNSAFE(c)                             \
    do {                                              \
        int refused_ = sim_capture_refuses_unsafe(c); \
        if (refused_)                                 \
            return sim_cuda_return(c, refused_);      \
    } while (0)

#endif
