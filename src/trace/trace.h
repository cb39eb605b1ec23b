/* A run that was recorded elsewhere, as the input of the diagnosis: a journal and the state of its ranks.
 * Read from dumps, logs, stacks and pasted lines: readers.def lists the kinds. */
#ifndef NCS_TRACE_TRACE_H
#define NCS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/error.h"

/* Calls that met although their arguments differ. */
struct ncs_trace_clash {
    struct ncs_call **call; /* pinned by the trace */
    size_t calls;
};

/* Why blaming a rank may be wrong: its record is incomplete. */
struct ncs_trace_doubt {
    char *text;    /* one sentence; NULL = nothing */
    bool anywhere; /* calls may be missing between others; otherwise only at the end */
};

/* The source line of a place, which has not changed since: it can be quoted. */
struct ncs_trace_source {
    char *shown, *path; /* the file as reports name it; NULL = the place has none */
    int line;
};

struct ncs_trace {
    char *kind; /* of the files: "Flight Recorder dumps, NCCL log" */
    int ranks;
    char nccl[32];     /* version; empty = unknown */
    size_t calls;      /* recorded collectives, sends and receives */
    size_t unfinished; /* calls known to be unfinished */
    bool ended;        /* every rank left a file, and the files show that all of its calls are over */
    bool one_process;  /* all ranks are known to be of one process */
    const char *next;  /* which files would say more: an advice to the reader */
    struct ncs_journal *journal;
    struct ncs_snapshot snapshot;
    struct ncs_trace_clash *clash;
    size_t clashes, clash_room;
    char *doubt; /* weakens all findings, one sentence; NULL = nothing */
    struct ncs_trace_doubt *doubt_of;
    size_t doubts; /* by rank of the run; ranks beyond have none */
    char **note;
    size_t notes, note_room; /* facts about the record for its reader */
    bool late;               /* the oldest calls have been overwritten: the journal begins after them */
    /* The journal's lines from NCS_TRACE_LINES on are indices into this array. */
    char **place;
    size_t places, place_room; /* "train.py:42" */
    struct ncs_trace_source *source;
    size_t sources; /* by place; places beyond have none */
    bool *shows;
    size_t showing; /* by place: it is a line of the record itself, not of a program; places beyond are none */
    void **block;
    size_t blocks, block_room; /* memory that the journal's calls point to */
};

#define NCS_TRACE_LINES 1000000000

/* Reads files, and the files in folders, of any kinds, recognised by their content. False and err with
 * the place in the file. A trace without a call is valid. */
bool ncs_trace_read(struct ncs_trace *trace, const char *const *paths, size_t count, struct ncs_error *err);
/* Reads one file in memory; errors use `name` for it. */
bool ncs_trace_read_bytes(struct ncs_trace *trace, const char *name, const void *bytes, size_t count, struct ncs_error *err);
void ncs_trace_free(struct ncs_trace *trace); /* the contents */

/* The name of a place by its line; NULL = the line is none. */
const char *ncs_trace_place(const struct ncs_trace *trace, long line);
/* True if the place is a line of the record, such as a log, that shows a call. */
bool ncs_trace_shows(const struct ncs_trace *trace, long line);
/* Its source; NULL = none is known. */
const struct ncs_trace_source *ncs_trace_source(const struct ncs_trace *trace, long line);
/* place: an index. Copies the texts; `shown` is safe for reports. */
void ncs_trace_set_source(struct ncs_trace *trace, size_t place, const char *shown, const char *path, int line);

#endif
