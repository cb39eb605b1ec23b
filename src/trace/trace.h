/* A run that was recorded elsewhere, as a journal and the state in which its ranks were left: what the
 * diagnosis takes. Read from what PyTorch's Flight Recorder dumps for each rank, or from NCCL's log. */
#ifndef NCS_TRACE_TRACE_H
#define NCS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/error.h"

/* Calls that met although they are not the same. */
struct ncs_trace_clash {
    struct ncs_call **call; /* pinned by who keeps it */
    size_t calls;
};

/* What weakens it if a rank is blamed: its record is not whole. */
struct ncs_trace_doubt {
    char *text;    /* one sentence; NULL = nothing */
    bool anywhere; /* calls may be missing between others; otherwise at the end only */
};

struct ncs_trace {
    const char *kind;        /* "Flight Recorder dumps", "NCCL log" */
    int ranks;
    char nccl[32];           /* version; empty = unknown */
    size_t calls;            /* recorded collectives, sends and receives */
    size_t unfinished;       /* those of them that are known not to be over */
    struct ncs_journal *journal;
    struct ncs_snapshot snapshot;
    struct ncs_trace_clash *clash; size_t clashes, clash_room;
    char *doubt;             /* what weakens all that is found, one sentence; NULL = nothing */
    struct ncs_trace_doubt *doubt_of; size_t doubts; /* by rank of the run; of those beyond there is none */
    char **note; size_t notes, note_room; /* what a reader has to know of the record */
    /* In the journal a place is a line from NCS_TRACE_LINES on, which stands for one of these. */
    char **place; size_t places, place_room; /* "train.py:42" */
};

#define NCS_TRACE_LINES 1000000000

/* Reads files, and those of folders; all of one kind, which is told by what is in them. False and err
 * with the place in the file. A trace without a call is one. */
bool ncs_trace_read(struct ncs_trace *trace, const char *const *paths, size_t count,
                    struct ncs_error *err);
/* The same of one file that is in memory; the name is what errors call it. */
bool ncs_trace_read_bytes(struct ncs_trace *trace, const char *name, const void *bytes, size_t count,
                          struct ncs_error *err);
void ncs_trace_free(struct ncs_trace *trace); /* the contents */

/* The name of a place by its line; NULL = it is none. */
const char *ncs_trace_place(const struct ncs_trace *trace, long line);

#endif
