/* The reading of a journal, for the files of this room: tokens.c, extras.c, events.c, waits.c, cut.c, last.c,
 * onward.c, read.c. */
#ifndef NCS_REPRODUCE_READER_H
#define NCS_REPRODUCE_READER_H

#include "reproduce/workload.h"

/* Events that a rank uses at a time. */
#define NCS_READER_EVENTS 64

struct ncs_reader {
    struct ncs_workload *job;
    const struct ncs_workload_source *source;
    const struct ncs_journal *journal;
    int *family_of;
    struct ncs_workload_tokens *of; /* by rank */
    struct ncs_reader_rank {
        uint64_t group;         /* the open one; 0 = none */
        size_t group_at;        /* its first token */
        const void *stream[64]; /* in the order of their first use */
        int streams;
        int thread;                        /* that makes its calls, + 1; 0 = none so far */
        bool threads;                      /* several do */
        bool blocked;                      /* its newest call has not returned */
        uint64_t caller;                   /* the thread that made its newest call, of what process */
        bool has_ended;                    /* it has ended a communicator */
        bool failed;                       /* its newest step is a call that was refused */
        uint64_t event[NCS_READER_EVENTS]; /* by event of the scenario: id of the last call that waits for it; 0 = it is free */
        int depth;                         /* of groups that its main thread has begun and not ended */
        const struct ncs_call *newest;     /* of NCCL */
    } * rank;
    struct ncs_map text_of;   /* of places by file and line */
    bool shared;              /* one process has several ranks: a call's rank is that of its communicator, */
    struct ncs_map rank_of;   /* and a stream's the rank + 1 whose calls it has */
    struct ncs_map waits;     /* by caller: 1 = its newest call has not returned */
    bool hosts;               /* what hosts do besides calls counts: one of them waits for another */
    bool *stuck;              /* by communicator: a rank stands in its init, or failed there */
    bool *has_id;             /* by communicator: its id is in the store */
    bool *used;               /* by communicator: a rank waits in a call that makes something out of it */
    struct ncs_map waited;    /* such calls: by communicator, function and number */
    struct ncs_map last_wait; /* by id of a call that records an event: id of the last call that waits for this record */
    struct ncs_map recorded;  /* by rank and event: id of the call that has recorded it */
    struct ncs_map event_of;  /* by id of that call: the event of the scenario, + 1 */
    struct ncs_map begins;    /* of a journal that dropped calls, by sequence: the first call held after the newest gap */
    struct ncs_map floors;    /* by communicator + 1: the first collective that all its ranks have */
    struct ncs_map made;      /* how many of them each rank has made */
    size_t puts;
    size_t left_out;
    const char *first_left_out;
    size_t lost[NCS_FN_COUNT]; /* calls that no step stands for */
    size_t refused;            /* calls that failed because of what is not written */
};

/* ---- tokens.c ---- */

const char *ncs_reader_place(struct ncs_reader *r, const struct ncs_call *call);
int ncs_reader_stream(struct ncs_reader_rank *rank, const void *stream);
void ncs_reader_follow(struct ncs_reader *r, const struct ncs_call *call, int rank);
void ncs_reader_add_token(struct ncs_reader *r, int rank, enum ncs_step_kind kind, const struct ncs_workload_call *call);
void ncs_reader_close_group(struct ncs_reader *r, int rank);
void ncs_reader_open_group(struct ncs_reader *r, int rank, uint64_t group, const struct ncs_workload_call *first);
/* Takes over the text. call: NULL = a step of the host. */
void ncs_reader_add_text(struct ncs_reader *r, int rank, const struct ncs_call *call, char *text, int partner);

/* ---- extras.c: what is not a plain call ---- */

void ncs_reader_leave_out(struct ncs_reader *r, const struct ncs_call *call);
void ncs_reader_host(struct ncs_reader *r, const struct ncs_host_step *step);
void ncs_reader_signal(struct ncs_reader *r, const struct ncs_call *call, int rank);
void ncs_reader_failed(struct ncs_reader *r, const struct ncs_call *call, int rank);
void ncs_reader_failed_of_cuda(struct ncs_reader *r, const struct ncs_call *call, int rank);
void ncs_reader_init(struct ncs_reader *r, const struct ncs_call *call, int rank);

/* ---- events.c ---- */

bool ncs_reader_is_of_event(const struct ncs_call *call);
void ncs_reader_event(struct ncs_reader *r, const struct ncs_call *call, int rank);
void ncs_reader_find_event(struct ncs_reader *r, const struct ncs_call *call);

/* ---- waits.c ---- */

int ncs_reader_rank_of_handle(const struct ncs_reader *r, const struct ncs_call *call);
void ncs_reader_find_waits(struct ncs_reader *r);
bool ncs_reader_is_waited_for(struct ncs_reader *r, const struct ncs_call *call);

/* ---- cut.c ---- */

void ncs_reader_find_begins(struct ncs_reader *r);
/* The calls that the call meets were dropped, or it stands before calls of its rank that were. */
bool ncs_reader_is_cut(struct ncs_reader *r, const struct ncs_call *call);

/* ---- last.c ---- */

void ncs_reader_end_rank(struct ncs_reader *r, int rank);

/* ---- onward.c ---- */

void ncs_reader_go_on(struct ncs_reader *r);

/* ---- read.c ---- */

int ncs_reader_rank(struct ncs_reader *r, const struct ncs_call *call); /* that makes the call, of the job; -1 = unknown */

#endif
