/* Shared by the files that read NCCL's log. */
#ifndef NCS_TRACE_LOG_H
#define NCS_TRACE_LOG_H

#include "base/hash.h"
#include "base/mem.h"
#include "trace/log_gaps.h"
#include "trace/log_line.h"
#include "trace/reader.h"

struct log_bound { /* a communicator's handle in a process */
    int comm, comm_rank;
    size_t entity;
    bool complete, traced;
    bool joined, ended; /* by the lines that were built so far */
    bool loose;         /* told by its calls alone */
    uint64_t start;     /* of a loose one: the first operation that all ranks have */
};

struct log_entity { /* a rank of the run: a device in a process */
    uint64_t process;
    int rank; /* of the run; -1 = not known so far */
    const char *file;
    char name[64]; /* "node0:4711 [2]" */
    /* The last call, to recognise calls of one group if no line marks the group. */
    int comm;
    uint64_t op_count, thread;
    bool any;
};

enum { LOG_RECENT = 64 };

struct log_recent { /* a call of the record */
    int rank;
    size_t call;
};

struct log_suspect { /* a call that may have been dropped with its group */
    int rank;
    size_t call;
    unsigned distance; /* in calls of its thread, from the one that NCCL refused */
    bool certain;
};

struct log_alike { /* communicators that a line may mean */
    int one, other;
    bool shrunk;
};

struct log_thread {
    int depth;
    uint64_t group;
    bool spoilt; /* NCCL has refused a call of its group, which goes on */
    bool warned; /* NCCL has warned of something else in its group */
    bool nests;  /* its group has had another one in it */
    int behind;  /* calls that may belong to a group with a refused one */
    struct log_recent *group_call;
    size_t group_calls, group_room;
    struct log_recent *recent;
    size_t recents, recent_room, newest; /* the last LOG_RECENT calls, a ring */
    size_t *entity;
    size_t entities, room; /* ranks with calls in the log */
};

struct log_loose { /* a handle in a process, by the lines of its calls alone */
    uint64_t process, handle;
    size_t entity;
    int nranks;     /* 0 = not said */
    uint64_t first; /* number of its first operation */
    int comm;       /* once it is told; -1 = not */
    size_t bound;   /* its index + 1 */
};

struct log {
    struct record *record;
    struct ncs_error *err;
    struct trace_file *kept;
    size_t kepts, kept_room;
    size_t first_comm; /* of the record; those before it are other readers' */
    struct log_bound *bound;
    size_t bounds, bound_room;
    struct ncs_map bound_of;   /* process and handle -> bound + 1 */
    struct ncs_map bound_at;   /* line that first showed it -> bound + 1 */
    struct ncs_map unnumbered; /* how many parts of a color a rank has made of an unknown parent */
    struct log_parts *parts;
    size_t part_lists, part_room; /* by parent, color and size */
    struct ncs_map parts_of, part_member, part_turn;
    struct log_alike *alike;
    size_t alikes, alike_room;
    struct log_suspect *suspect;
    size_t suspects, suspect_room;
    struct ncs_map given_up;      /* rank and communicator -> how many of its calls it does not wait for */
    struct ncs_map has_inits;     /* processes with lines of INIT: lines of CALL repeat them */
    bool any_init, any_made;      /* there may be lines of INIT; of CALL about communicators */
    bool groupless, shows_groups; /* calls in lines of COLL; lines of groups */
    bool nests;                   /* a group that ended had another one in it */
    int first_refusal;
    const char *refusal_file;
    struct ncs_map comm_of; /* key of a communicator -> comm + 1 */
    struct log_entity *entity;
    size_t entities, entity_room;
    struct ncs_map entity_of; /* process and device -> entity + 1 */
    struct log_thread *thread;
    size_t threads, thread_room;
    struct ncs_map thread_of;
    struct ncs_map has_calls; /* processes with calls in lines of CALL: lines of COLL repeat them */
    uint64_t groups;
    struct log_gaps gaps;
    struct log_loose *loose;
    size_t looses, loose_room; /* handles that no line of INIT names */
    struct ncs_map loose_of;   /* process and handle -> loose + 1 */
    struct ncs_map process;    /* known from whole lines -> 1 */
    struct ncs_map member;     /* communicator and entity, of lines without an id -> 1 */
    struct ncs_map numbered;   /* process and handle of which a call has a number above 0 -> 1 */
    struct ncs_map left_out;   /* processes of earlier starts, + 1 -> 1 */
    struct ncs_map torn;       /* processes of which a line is cut off -> 1 */
    int *anonymous;
    size_t anonymouses, anonymous_room; /* communicators of lines without an id */
    size_t loose_comms;                 /* communicators that only calls tell */
    size_t loose_pairs;                 /* sends and receives on handles that only calls tell */
    size_t torn_lines;
    int first_torn;
    const char *torn_file;
    size_t unbound, odd, warnings;
    int first_odd, first_warning;
    const char *odd_file, *warning_file;
    struct ncs_str warning; /* the first one */
    bool building;          /* the second time through: calls are made */
    bool warnings_only;     /* another source has the calls */
    bool splits;            /* of RCCL: communicators are split */
    bool any_call;          /* there may be lines of calls */
};

static inline uint64_t ncs_log_key(uint64_t a, uint64_t b)
{
    return ncs_hash(ncs_hash(1, a), b);
}

static inline uint64_t ncs_log_key_of_line(const struct log_line *line)
{
    return ncs_log_key(ncs_map_key(line->file), (uint64_t)line->number);
}

size_t ncs_log_entity(struct log *l, const struct log_line *line, int device);
struct log_bound *ncs_log_bound(struct log *l, uint64_t process, uint64_t handle); /* NULL = unknown */
/* Takes a line of INIT. */
bool ncs_log_bind(struct log *l, const struct log_line *line, const struct log_init *i);
/* Finds or adds the communicator of a line of CALL about a split, or of INIT about a shrink; -1 and err. */
int ncs_log_part(struct log *l, const struct log_init *i, const struct log_bound *parent, bool *fresh);
void ncs_log_doubt_parts(struct log *l);
void ncs_log_free_parts(struct log *l);

/* Takes a call that was added to the record, the last one of its rank. */
void ncs_log_remember(struct log *l, struct log_thread *t, int rank, size_t call);
/* Takes a refusal. groups: lines of this process show groups. */
void ncs_log_refused(struct log *l, struct log_thread *t, bool groups);
/* Takes the begin of a group while another one is open in which NCCL has warned: that one may have failed. */
void ncs_log_failed_group(struct log *l, struct log_thread *t);
/* Removes calls whose group was dropped: those that are known to be, and those that no other call can meet. */
void ncs_log_drop_refused(struct log *l);

/* The rank does not wait in its calls on the communicator so far. */
void ncs_log_give_up(struct log *l, int rank, int comm);
void ncs_log_revoked(struct log *l, const struct log_line *line);
void ncs_log_mark_given_up(struct log *l);

/* Says what else the record can mean, as the log does not show everything. */
void ncs_log_doubt_unseen(struct log *l);

/* Once all lines are seen: numbers the ranks of the run. */
bool ncs_log_number_ranks(struct log *l);

/* Finds the processes whose lines do not count, as the job was started again. */
void ncs_log_find_starts(struct log *l);

/* Takes a call on a handle that no line of INIT has named so far. */
void ncs_log_see_loose(struct log *l, const struct log_line *line, const struct log_call *call);
/* Tells which of those handles are of one communicator, and binds them. */
bool ncs_log_bind_loose(struct log *l);
void ncs_log_note_loose(const struct log *l);

/* The reader of logs, also for what is translated into one. */
enum trace_taken ncs_log_take(void *state, struct trace_file *file);
bool ncs_log_finish(void *state);
void ncs_log_end(void *state);

#endif
