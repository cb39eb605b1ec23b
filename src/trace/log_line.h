/* Parses one line of NCCL's log. */
#ifndef NCS_TRACE_LOG_LINE_H
#define NCS_TRACE_LOG_LINE_H

#include "trace/record.h"

enum { LOG_LINE_MOST = 4096 };

struct log_line {
    const char *file;
    int number;
    uint64_t process, thread; /* host and pid; tid: hashes */
    const char *origin;       /* "host:pid" and its length, in the text that was split */
    size_t origin_bytes;
    int device;       /* "[2]"; -1 = not said */
    uint64_t torn;    /* a line of this process is cut off by this one; 0 = none */
    bool traced;      /* of NCCL_DEBUG=TRACE */
    const char *text; /* after "NCCL INFO " */
};

/* A communicator while it is made, or complete. */
struct log_init {
    uint64_t handle, id;                  /* id: of the communicator; 0 = it is made by a split */
    uint64_t parent, child;               /* parent: handle; child: number of earlier splits of it, 0 = unknown */
    bool counted;                         /* the line has `child` */
    int color, key, rank, nranks, device; /* device: -1 = unknown */
    bool shrinks;                         /* made by ncclCommShrink, as far as the line says */
    bool complete;
    bool anonymous; /* a line of RCCL or of old versions: it has neither id nor parent */
};

struct log_call {
    enum ncs_fn fn;
    uint64_t handle, count, send, recv, stream, op_count;
    int dtype, op, root;
    int nranks;   /* of the communicator; 0 = not said */
    bool counted; /* the line has op_count */
};

enum log_kind {
    LOG_LINE_OTHER,
    LOG_LINE_ODD, /* begins like one of these, but cannot be parsed */
    LOG_LINE_INIT,
    LOG_LINE_CALL,
    LOG_LINE_ENDS,    /* ends a communicator; the call is that function */
    LOG_LINE_REVOKES, /* a communicator: the call has its handle */
    LOG_LINE_OPENS,
    LOG_LINE_CLOSES, /* a group */
};

/* The text of a warning by NCCL; NULL = the line is no warning. */
const char *ncs_log_warning(const char *text);
/* Splits a warning; false = the line is none, or does not name its process. */
bool ncs_log_split_warning(const char *text, struct log_line *line);
/* True if NCCL warns that it refuses a call. It checks a call before it logs it (NCCL 2.30.7, src/enqueue.cc,
 * ncclEnqueueCheck): the call has no other line. */
bool ncs_log_refuses(const char *warning);
/* Splits a line of NCCL's about calls; false for any other line. */
bool ncs_log_split(const char *text, struct log_line *line);
enum log_kind ncs_log_parse(const struct log_line *line, struct log_init *init, struct log_call *call);
/* The version in the log, if there is one. */
struct trace_file;
void ncs_log_version(const struct trace_file *file, char *version, size_t room);

#endif
