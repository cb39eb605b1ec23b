/* Makes recorded calls through a journal. Private to recording_*.c. */
#ifndef NCS_TRACE_RECORDING_PLAY_H
#define NCS_TRACE_RECORDING_PLAY_H

#include "trace/recording.h"

/* A thread of a process while its calls are made again. */
struct played_thread {
    struct ncs_local local;
    struct ncs_place place;         /* of the call about to be made */
    struct ncs_call *call;          /* in flight */
    const struct ncs_call *last;    /* its last call on a communicator */
    const struct ncs_call *counted; /* its last collective, send or receive */
};

struct recorded_play {
    struct recording *r;
    struct ncs_journal *journal;
    struct played_thread **thread;   /* by file and thread */
    struct ncs_map made;             /* handle of a communicator -> the call that made it */
    struct ncs_map over;             /* id of a call that is known to be over -> the call */
    const struct recorded_call *now; /* whose results the journal may ask for */
    struct alignment *alignment;     /* the common start of the ranks; NULL = no recording has lost a call */
    bool measures;                   /* this play is only to find the common start */
    size_t members, known_comms;     /* ranks of all communicators so far */
    size_t damaged, strangers;       /* calls left out: with impossible arguments; on unknown communicators */
};

/* Memory that lives as long as the trace, all zero: a call in flight keeps its pointers. */
void *ncs_recorded_block(struct recorded_play *p, size_t bytes);
/* A pointer of a process as one that no other process has. Handles with a meaning of their own stay. */
const void *ncs_recorded_pointer(int file, uint64_t word);
void ncs_recorded_set_arguments(struct recorded_play *p, const struct recorded_call *c, struct ncs_call *call);
/* Writes what the call has returned through its pointers. */
void ncs_recorded_set_results(const struct recorded_call *c, struct ncs_call *call);
/* False: NCCL cannot have accepted these arguments, so the entry is damaged. */
bool ncs_recorded_is_sound(const struct ncs_journal *j, const struct recorded_call *c);

/* Where the ranks' calls are compared from, after calls have been overwritten: per communicator and sequence, the first call
 * that all of its ranks still have. A first play measures, a second one leaves out what comes before. */
struct alignment {
    struct ncs_map start; /* sequence -> its first position that counts */
    struct ncs_map held;  /* sequence of a rank -> 1: its recording has a call of it */
};

/* In the first play: notes the position of a call. `call` has begun. */
void ncs_alignment_note(struct alignment *a, const struct ncs_journal *j, const struct recorded_file *f,
                        const struct recorded_call *c, const struct ncs_call *call);
/* At the end of the first play: sequences of which a recording has lost every call. */
void ncs_alignment_close(struct alignment *a, const struct ncs_journal *j, const struct recording *r);
/* In the second play, before the call begins: false = it is left out. Gives the call the number and the position that it
 * had. */
bool ncs_alignment_apply(const struct alignment *a, const struct ncs_journal *j, const struct recorded_call *c);
/* At the end of the second play: ranks that have made no call since the start keep their counts. */
void ncs_alignment_finish(const struct ncs_journal *j, const struct recording *r);
void ncs_alignment_free(struct alignment *a);

/* Once all calls are made: tells which rank of the run each rank of a communicator is, if a damaged recording does not show
 * it. Where that cannot be told, the calls on the communicator count as over. */
void ncs_recorded_find_members(struct recorded_play *p);

/* The state of the ranks at the end of their recordings. */
void ncs_recorded_contexts(struct recorded_play *p, struct ncs_snapshot *s);
/* Makes each rank that is in no call wait for its calls in flight. A rank that waits on the host for work that is none of
 * NCCL's has only come so far. */
void ncs_recorded_park(struct recorded_play *p, struct ncs_snapshot *s);

#endif
