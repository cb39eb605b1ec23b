/* Shared by the files of this room: the calls of each rank, from whatever source. */
#ifndef NCS_TRACE_RECORD_H
#define NCS_TRACE_RECORD_H

#include "base/map.h"
#include "base/str.h"
#include "trace/trace.h"

enum {
    NCS_RECORD_RANKS = 65536,   /* most of a run */
    NCS_RECORD_CALLS = 1 << 22, /* most of all ranks */
    NCS_RECORD_COMMS = 1 << 16,
    NCS_RECORD_MEMBERS = 1 << 22, /* ranks of communicators, of all together */
    NCS_RECORD_IMPLIED = 1 << 19, /* calls of ranks that left nothing, of a communicator */
};

enum record_state { RECORD_UNKNOWN, RECORD_SCHEDULED, RECORD_STARTED, RECORD_OVER, RECORD_GONE };

struct record_call {
    enum ncs_fn fn; /* counted, or a call that makes a communicator or an operator */
    int comm, comm_rank;
    uint64_t count;
    int dtype, op, root; /* root: the peer of a send or receive */
    uint64_t send, recv, stream;
    uint64_t group;          /* successive calls with the same number form a group; 0 = none */
    enum record_state state; /* GONE: its rank has given it up */
    unsigned unsaid;         /* as in ncs_call */
    int64_t seq;             /* of a dump: its number there; point-to-point calls have a series of their own */
    bool batched;            /* a send or receive that was made together with others */
    bool pending;            /* it has not returned */
    bool apart;              /* the record does not order it with calls on other communicators */
    int place;               /* its line; 0 = unknown */
};

struct record_rank {
    struct record_call *call;
    size_t calls, room;
    const char *source;                                                      /* its file; NULL = it left no readable one */
    const char *word;                                                        /* the kind of its file; NULL = that of the record */
    bool spoilt;                                                             /* it left an unreadable file */
    bool cut;                                                                /* its file has lost the oldest calls */
    bool window;                                                             /* its file has none but the newest, by its nature */
    enum { GROUP_ENDS, GROUP_UNSEEN, GROUP_MAY_WAIT, GROUP_LEFT_OPEN } open; /* the last group; UNSEEN: no record of any end */
};

struct record_comm {
    char *name; /* NULL = named by the journal */
    int nranks;
    int *rank;        /* of the run, by rank of the communicator; -1 = unknown */
    uint32_t *before; /* by rank of the communicator: calls that the record has lost */
    bool made;        /* made by a recorded call; otherwise it exists from the start */
    char *role;       /* the description of groups of its kind; NULL = none */
    int64_t serial;   /* the order in which ranks made their groups */
    int pair_of;      /* the group of which this is two ranks, for sends between them; -1 = none */
    int split_from;   /* of a log: the communicator that it is a part of; -1 = none, or unknown */
    int parent;       /* as in ncs_comm_info, for groups that are alike */
    uint32_t split;
};

struct record {
    struct ncs_trace *trace;
    struct record_rank *rank;
    int ranks, rank_room;
    struct record_comm *comm;
    size_t comms, comm_room;
    size_t calls, members;
    size_t waiting;          /* calls that are known to wait, and that are not among those of the ranks */
    struct ncs_map places;   /* hash of a name -> its number + 1 */
    const char *source_word; /* "dump", "log": the kind of file that a missing rank lacks */
    bool knows_ends;         /* the states of calls are known */
    bool excused;            /* ranks that left nothing have the calls of the others already */
    bool guessed;            /* ranks that left nothing are taken to have made the calls of the others */
    bool follows;            /* files of more than one kind are there */
    bool numbered;           /* calls have the numbers of their groups: ncs_flight_align */
};

void ncs_record_free(struct record *r);

void ncs_record_note(struct record *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Notes why blaming the rank may be wrong: its record has lost calls, `anywhere` or only at its end. The
 * first text stays. */
void ncs_record_doubt(struct record *r, int rank, bool anywhere, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The line number that represents a place; file and line as in the record. */
int ncs_record_place(struct record *r, const char *file, long line);
/* The same for a line of the record itself: a log's line shows a call, which the program makes elsewhere. */
int ncs_record_line(struct record *r, const char *file, long line);
/* Makes room for ranks up to this one. */
bool ncs_record_has_rank(struct record *r, int64_t rank, struct ncs_error *err);
bool ncs_record_is_member(const struct record_comm *comm, int rank);
int ncs_record_add_comm(struct record *r, int nranks, const char *name, struct ncs_error *err); /* -1 */
struct record_call *ncs_record_add(struct record *r, int rank, struct ncs_error *err);          /* NULL */

/* Keeps calls that met although their arguments differ: NCCL may not have noticed. */
void ncs_trace_look_at_meeting(struct ncs_trace *t, struct ncs_call *const *calls, size_t count);

/* Frees the trace's journal and what was concluded from it. */
void ncs_trace_forget(struct ncs_trace *t);
/* Turns the record into the trace's journal and snapshot. */
void ncs_record_play(struct record *r);

static inline bool ncs_record_is_collective(const struct record_call *c)
{
    return ncs_fn_info[c->fn].counted && !ncs_fn_info[c->fn].pair;
}

/* Finds communicators that are alike: sets their parent and split. */
void ncs_record_find_siblings(struct record *r);
/* Gives the ranks of a communicator that have no record the first `calls` collectives of its member
 * `model`. If that is too much memory, returns false and adds nothing. */
bool ncs_record_imply(struct record *r, int comm, int model, size_t calls);
/* Notes the communicators that ranks left behind when they ended others: an end that waits leaves no line. */
void ncs_record_note_left(struct record *r);
/* Notes the ranks without a record. */
void ncs_record_note_missing(struct record *r);

/* Makes records with numbered calls comparable: the same start, and derived calls for ranks without a record. */
void ncs_flight_align(struct record *r);
/* As ncs_flight_align, for a log. warned: NCCL has warned in it. */
bool ncs_log_align(struct record *r, bool warned, struct ncs_error *err);

#endif
