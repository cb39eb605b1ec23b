/* Shared by the parts of the diagnosis: the graph of waits, the reasons of absence, the divergences
 * of calls, the rules and the words. Private to this room. */
#ifndef NCS_DIAGNOSE_ANALYSIS_H
#define NCS_DIAGNOSE_ANALYSIS_H

#include "base/map.h"
#include "base/str.h"
#include "diagnose/finding.h"
#include "diagnose/index.h"

/* ---- sequences of collectives (rules/common/alignment.c) ---- */

enum ncs_divergence_how {
    NCS_DIVERGENCE_NONE,
    NCS_DIVERGENCE_DIFFER,  /* the same position, another call */
    NCS_DIVERGENCE_SWAPPED, /* two calls exchanged */
    NCS_DIVERGENCE_SKIPPED, /* the minority left out calls that the others made */
    NCS_DIVERGENCE_EXTRA,   /* the minority made calls that the others did not */
    NCS_DIVERGENCE_FEWER,   /* the same calls, but fewer of them */
};

/* Positions of calls that one side lacks, ascending (gaps.c). */
struct ncs_gaps {
    uint32_t *at;
    size_t count;
};

struct ncs_call_divergence {
    enum ncs_divergence_how how;
    uint32_t at;        /* position among the collectives, from 0 */
    uint32_t number;    /* of the call there, as the others count */
    uint32_t other;     /* SWAPPED: number of the call it is exchanged with */
    uint32_t shift;     /* SKIPPED, EXTRA, FEWER: how many calls */
    struct ncs_why why; /* the minority is blamed */
    bool by_label;      /* the signatures are equal, the labels are not */
    bool by_line;       /* signatures and labels are equal, the lines of the script are not */
    bool tied;          /* neither side is the majority */
    int *minority;      /* ranks of the communicator, ascending; if tied, all */
    size_t minority_size;
    int model;            /* a rank of the others, to compare with */
    int skipped_line;     /* FEWER: the line that was left out, as the others' lines show; 0 */
    struct ncs_gaps gaps; /* SKIPPED, EXTRA: the calls in the sequence that has them, if they are in several places, `shift`
                           * of them. The analysis owns the list. Without a list the calls are in a row from `at` on. */
};

/* The position of the divergence's i-th call in the sequence that has it. */
static inline uint32_t ncs_divergence_position(const struct ncs_call_divergence *p, uint32_t i)
{
    return i < p->gaps.count ? p->gaps.at[i] : p->at + i;
}

struct ncs_unmatched_calls; /* rules/common/unmatched.c */

struct ncs_ranks_of_comm {    /* what is known of a communicator */
    struct ncs_sequence *seq; /* one for each member in the journal */
    struct ncs_call_divergence divergence;
    struct ncs_call_divergence later;   /* the next divergence after a call that differs */
    struct ncs_call_divergence by_line; /* FEWER: where calls were left out or made in excess, by the lines of the script */
    const struct ncs_call **rare;       /* the calls that make, change and end it; by id */
    size_t rares, rare_room;
    struct ncs_calls may_overlap;          /* collectives whose two buffers may overlap */
    bool labelled;                         /* a send or receive of it has a label */
    bool numbered_alike;                   /* all its known ranks have the same number in the run */
    struct ncs_unmatched_calls *unmatched; /* NULL = not computed yet */
};

/* ---- who waits for whom (graph/graph.c, graph/absence.c) ---- */

enum ncs_reason { /* why a rank is absent from a meeting; up to LAST_FINAL it will never come */
                  NCS_ABSENT_KILLED,
                  NCS_ABSENT_ERROR,   /* its thread ended with an error */
                  NCS_ABSENT_GAVE_UP, /* another of its calls failed, and it made no more calls */
                  NCS_ABSENT_FAILED,  /* its call returned an error */
                  NCS_ABSENT_DROPPED, /* its group was dropped because of another call's error */
                  NCS_ABSENT_EMPTY,   /* its call had count 0 */
                  NCS_ABSENT_GROUP,   /* its call sits in an open group */
                  NCS_ABSENT_ABORTED,
                  NCS_ABSENT_DESTROYED,
                  NCS_ABSENT_FINISHED,
                  NCS_ABSENT_LAST_FINAL = NCS_ABSENT_FINISHED,
                  NCS_ABSENT_QUEUED,    /* its call is on a stream behind a blocked operation: see op */
                  NCS_ABSENT_CONTACT,   /* its call is made but blocked in its host: see context */
                  NCS_ABSENT_ELSEWHERE, /* never called; its threads wait elsewhere: see context */
};

struct ncs_absent {
    int rank;      /* of the run; -1 = cannot be told */
    int comm_rank; /* -1 = of no communicator */
    bool guessed;  /* `rank` may as well be another one */
    enum ncs_reason reason;
    const struct ncs_call *call; /* the rank's call that the reason is about; NULL = none */
    int context;                 /* -1 = none */
    int op;                      /* -1 = none */
};

enum ncs_unmet_kind {
    NCS_UNMET_COLLECTIVE,
    NCS_UNMET_PAIR,
    NCS_UNMET_SIGNAL, /* a wait for signals of one peer */
    NCS_UNMET_SETUP,  /* the first one-sided call of a communicator, which all ranks must come to */
    NCS_UNMET_STUCK,  /* all are there and disagree */
    NCS_UNMET_INIT,
    NCS_UNMET_GATE,
};

/* A meeting that does not come about. */
struct ncs_unmet {
    enum ncs_unmet_kind kind;
    const struct ncs_call *call;     /* one of those that are there; NULL for gates */
    const struct ncs_call **present; /* all of them, by rank of the communicator */
    size_t presents, present_room;
    struct ncs_absent *absent;
    size_t absents, absent_room;
    const struct ncs_call *composed; /* of an all-to-all, gather or scatter: one of those there */
    bool contact;                    /* blocks the host: first contact */
    int meeting, job, gate;          /* where it comes from; -1 = not from there */
    int comm, src, dst;              /* src, dst: a pair's or a signal's ranks of the
                                      * communicator */
    uint64_t wanted, came;           /* of a signal: asked for, and there */
};

struct ncs_edge {
    int from, to;
    int next_out, next_in;
};

struct ncs_parties;

/* A group that a thread has started. */
struct ncs_group_start {
    const struct ncs_call *call;
    size_t round; /* how many the thread has started at this place before */
    size_t calls; /* that it has made in it, or up to the next start */
    bool ended;   /* before another is started */
};

struct ncs_analysis {
    const struct ncs_parties *parties; /* then ranks of the run are numbers of parties; NULL = of processes (party.h) */
    const struct ncs_journal *journal;
    const struct ncs_snapshot *snap; /* an empty one if there is none */
    const struct ncs_notice *notice;
    size_t notices;
    int ranks;                    /* of the run, as far as it was seen */
    size_t job_ranks;             /* of these; a process as such, which comes behind its devices, is none */
    bool hung;                    /* the snapshot was taken of a hang */
    bool *open;                   /* by rank: see ncs_may_go_on */
    int *first_context;           /* by rank: ncs_first_context */
    int *next_context;            /* by context: the next one of its rank, -1 = none */
    struct ncs_index index;       /* of all records that the journal holds */
    const struct ncs_call **rare; /* calls that make, change and end communicators; by id */
    size_t rares, rare_room;

    struct ncs_ranks_of_comm *comm;  /* by number of the communicator */
    struct ncs_map part;             /* call -> part of the snapshot, index + 1 */
    struct ncs_map spoilt;           /* group of a thread -> its first failed call */
    const struct ncs_call **failure; /* by rank of the run: see ncs_gave_up */
    const struct ncs_call **prior;   /* calls that failed and copies, by id: see ncs_format_beforehand */
    size_t priors, prior_room;

    struct ncs_group_start *group_start; /* in order of their calls */
    size_t group_starts, group_start_room;

    struct ncs_unmet *unmet;
    size_t unmets, unmet_room;
    struct ncs_map unmet_at; /* meeting -> index + 1 */

    /* Nodes of the graph, in this order: contexts, operations, jobs, unmet waits. */
    int *out, *in;      /* first edge, by node; -1 = none */
    int *met, met_from; /* by node: met_from + 1 if node met_from has an edge to it already */
    size_t nodes, node_room;
    struct ncs_edge *edge;
    size_t edges, edge_room;

    bool journal_silent; /* the journal alone shows no cause: other readings of the hang
                                      * skip this step */
    struct ncs_diagnosis *result;
};

/* The first context of a rank of the run, -1 = none; continue with q->next_context. */
static inline int ncs_first_context(const struct ncs_analysis *q, int rank)
{
    return rank >= 0 && rank < q->ranks ? q->first_context[rank] : -1;
}

void ncs_read(struct ncs_analysis *q);
void ncs_read_free(struct ncs_analysis *q);
/* A rank's calls that make, change and end a communicator. */
struct ncs_calls ncs_rare_of(const struct ncs_analysis *q, int comm, int comm_rank);
void ncs_group_starts_read(struct ncs_analysis *q); /* a part of ncs_read */
/* A key for the origin of the communicator, equal for children of one split, and for communicators that ranks make at one place
 * of the program. */
uint64_t ncs_class_of_comm(const struct ncs_analysis *q, int comm);

/* The most calls that one rank may have left out, or made in excess, in one place. Longer gaps would fit by chance
 * where calls look alike. */
enum { NCS_GAP_MOST = 8 };

struct ncs_keys { /* what calls are compared by, in order */
    const uint64_t *key;
    size_t count;
};

/* Finds the calls of `many` that `few` lacks, while all else is equal in the same order. ended: `few` gets no more calls,
 * so it lacks the last ones of `many`, too. False = there is no such list, or several lists of different calls. The
 * caller frees the list. */
bool ncs_gaps_find(struct ncs_keys few, struct ncs_keys many, bool ended, struct ncs_gaps *out);
bool ncs_gaps_same(const struct ncs_gaps *a, const struct ncs_gaps *b);

void ncs_align(struct ncs_analysis *q);
void ncs_find_by_lines(struct ncs_analysis *q);

/* The two sides of a divergence in the number of calls, or at another call: the ranks that made
 * fewer calls, and those that made more. */
struct ncs_sides {
    int *minority, *other; /* ranks of the communicator */
    size_t minority_size, others;
    bool extra;     /* the minority made more */
    uint32_t shift; /* so many */
    uint32_t last;  /* no later than at this position */
    bool spread;    /* they are in several places */
};

struct ncs_fact ncs_fact_comm(const struct ncs_analysis *q, int comm); /* "comm": its name */
/* Appends the text of a fact, and frees the fact. */
void ncs_add_fact(struct ncs_str *s, struct ncs_fact fact);
/* The ranks of calls that are in the order of ranks. */
struct ncs_fact ncs_fact_makers(const char *name, struct ncs_call *const *call, size_t calls);
/* "rank 2 made no call on world; ranks 0, 1, 3 made one": the minority and the ranks that are like the model. */
struct ncs_sentence *ncs_say_counts(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p);
struct ncs_fact ncs_fact_minority(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p); /* "who" */
/* True if the run was recorded without this rank: it left no file, or one that cannot be read. What it did is unknown,
 * also where others' calls tell that it must have made some. */
bool ncs_is_unrecorded(const struct ncs_analysis *q, int rank);
/* True if a rank of the run may still make calls: it lives, and its script is not over. Also true
 * if this is not known, or without contexts. */
bool ncs_may_go_on(const struct ncs_analysis *q, int rank);
const struct ncs_call *ncs_sequence_at(const struct ncs_sequence *s, uint32_t position);
uint32_t ncs_sequence_end(const struct ncs_sequence *s); /* base + held */
/* The position of a collective in its rank's sequence; UINT32_MAX = it is not there. */
uint32_t ncs_position(const struct ncs_analysis *q, const struct ncs_call *call);
/* True for a call that takes part in nothing: it failed, its group was dropped, or it had nothing
 * to move. Sets *cause to the call to blame. */
bool ncs_ineffective(const struct ncs_analysis *q, const struct ncs_call *call, enum ncs_reason *reason,
                     const struct ncs_call **cause);

void ncs_graph(struct ncs_analysis *q);
/* The machine's notice of a mismatch that involves the call; NULL = none. */
const struct ncs_notice *ncs_mismatch_notice(const struct ncs_analysis *q, const struct ncs_call *call);
static inline int ncs_op_node(const struct ncs_analysis *q, int op)
{
    return (int)q->snap->contexts + op;
}
static inline int ncs_job_node(const struct ncs_analysis *q, int job)
{
    return (int)(q->snap->contexts + q->snap->ops) + job;
}
static inline int ncs_unmet_node(const struct ncs_analysis *q, size_t unmet)
{
    return (int)(q->snap->contexts + q->snap->ops + q->snap->jobs + unmet);
}
/* The index of the unmet wait behind a node; -1 = another kind of node. */
int ncs_node_unmet(const struct ncs_analysis *q, int node);
void ncs_connect(struct ncs_analysis *q, int from, int to);
void ncs_connect_poll(struct ncs_analysis *q, int context); /* nothing, if it does not poll */
void ncs_connect_unknown(struct ncs_analysis *q, size_t unmet);
void ncs_find_by_id(const struct ncs_analysis *q, struct ncs_unmet *n); /* the ranks that an init lacks */
/* By rank: it has the id of the communicator that is made, read from the store or given to an init in vain, and is not there.
 * sets: whoever put it into the store has it, too. The caller frees it. */
bool *ncs_holders_of_id(const struct ncs_analysis *q, const struct ncs_unmet *n, bool sets);
/* Rank of the run that a node belongs to; -1 for unmet waits. */
int ncs_node_rank(const struct ncs_analysis *q, int node);
/* Marks the contexts that wait for one of these unmet waits (nodes), directly or through others.
 * `direct`: only without another unmet wait in between. The array has a flag per node; the caller
 * frees it. */
bool *ncs_waiters(const struct ncs_analysis *q, const int *unmet, size_t unmets, bool direct);
bool *ncs_direct_waiters(const struct ncs_analysis *q, const struct ncs_unmet *unmet);
/* The unmet waits for which a context waits directly; their number in *unmets. The caller
 * frees the array. */
int *ncs_unmet_of(const struct ncs_analysis *q, int context, size_t *unmets);
/* By rank: true if the cycle around the unmet wait would not exist if this rank alone did not wait.
 * The caller frees the array. */
bool *ncs_cycle_breakers(const struct ncs_analysis *q, size_t unmet);
/* True if the cycle remains even if these waits were met. */
bool ncs_cycle_without(const struct ncs_analysis *q, size_t unmet, const int *gone, size_t gones);
/* A cycle through the unmet wait, as nodes; NULL = none. `gates_only`: only through host waits. The
 * caller frees it. */
int *ncs_cycle_of(const struct ncs_analysis *q, size_t unmet, bool gates_only, size_t *length);

bool ncs_at_same_place(const struct ncs_call *a, const struct ncs_call *b); /* in the program, and the same function */
/* True if another rank has destroyed a communicator at the same place of the program: then the destroy is part of the
 * program, and need not be too early. */
bool ncs_ends_like_others(const struct ncs_analysis *q, const struct ncs_call *destroy);
/* Fills in why rank `comm_rank` is not at the meeting. */
void ncs_why_absent(struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a);
/* Fills in why a rank of the run is absent, if its rank in a communicator is not known: it ended, or waits elsewhere. */
void ncs_why_rank_absent(const struct ncs_analysis *q, struct ncs_absent *a);
/* True if the rank did make the collective, but the call was lost. */
bool ncs_has_made(const struct ncs_analysis *q, const struct ncs_unmet *unmet, const struct ncs_absent *a);
int ncs_run_rank(const struct ncs_analysis *q, int comm, int comm_rank); /* -1 = cannot be told */
/* All-to-all, gather, scatter: all ranks call, but pairs of ranks meet. */
bool ncs_is_composed(const struct ncs_call *call);
bool ncs_is_send(const struct ncs_call *call);
static inline bool ncs_is_revoke(const struct ncs_call *call)
{
    return call && call->fn == NCS_FN_ncclCommRevoke;
}
bool ncs_is_init(const struct ncs_call *call);
bool ncs_is_key(const struct ncs_analysis *q, const struct ncs_unmet *unmet);     /* of the store */
bool ncs_is_barrier(const struct ncs_analysis *q, const struct ncs_unmet *unmet); /* of processes */
/* True if the context polls in vain. A livelock is detected when the last poll
 * has just returned. */
static inline bool ncs_polls(const struct ncs_analysis *q, const struct ncs_snap_context *c)
{
    return c->state == NCS_CONTEXT_POLLING || (c->state == NCS_CONTEXT_READY && q->snap->stop == NCS_STOP_LIVELOCK);
}
/* True for a meeting without a call number: a split, a shrink, a suspension. */
bool ncs_is_meeting(const struct ncs_unmet *unmet);
/* True for ranks of one host that end a communicator and wait for others to end it, too. */
bool ncs_is_teardown(const struct ncs_analysis *q, const struct ncs_unmet *unmet);
/* The destroy in which the rank waits for ranks of its host; NULL = it does not. It makes no other call on the
 * communicator any more. */
const struct ncs_call *ncs_tears_down(const struct ncs_analysis *q, int comm, int comm_rank);
/* The first call with which the rank has ended the communicator, or waits to end it: a finalize, a destroy or an abort; NULL =
 * none. */
const struct ncs_call *ncs_end_of(const struct ncs_analysis *q, int comm, int comm_rank);
bool ncs_failed(const struct ncs_call *call);             /* returned an error of NCCL */
const char *ncs_result_name(const struct ncs_call *call); /* its name */
/* The key of the group in which a call was made; the group may contain calls of other
 * ranks of its process. */
uint64_t ncs_group_key(const struct ncs_analysis *q, const struct ncs_call *call);

/* ---- the choice of the reported reading (explanation/decide.c) ---- */

/* True if the cause comes from a comparison of calls, or from the waits (explanation/readings.c).
 * NULL: false. */
bool ncs_finding_is_by_waiting(const struct ncs_finding *f);
/* True if f has to change a smaller part of the calls. */
bool ncs_finding_is_likelier(const struct ncs_journal *j, const struct ncs_finding *f, const struct ncs_finding *than);

/* ---- ranks that leave after an error (evidence/error_exit.c) ---- */

/* True if the call itself returned an error of NCCL or CUDA that is not a normal answer. */
bool ncs_call_failed(const struct ncs_call *call);
void ncs_see_failure(struct ncs_analysis *q, const struct ncs_call *call); /* of all, by id */
/* The call of NCCL or CUDA that failed on the missed rank, and after which the rank communicated no
 * more, on any communicator. NULL: no such call, or it failed on the present ranks, too. */
const struct ncs_call *ncs_gave_up(const struct ncs_analysis *q, const struct ncs_unmet *unmet, int rank);

/* ---- events before culprits diverged (evidence/stretch.c, evidence/beforehand.c,
 * evidence/values_read.c) ---- */

/* A stretch of a rank's thread: from its last call like the others' to its first
 * call that differs. */
struct ncs_stretch {
    int rank, thread;
    uint64_t from, to;              /* ids of these calls; 0, UINT64_MAX = there is none */
    const struct ncs_call *last;    /* the former; NULL = none */
    const struct ncs_call *missing; /* another rank's, that it left out; NULL = not known */
};

struct ncs_stretch ncs_stretch_of(const struct ncs_analysis *q, const struct ncs_finding *f, const struct ncs_culprit *who);
/* True if this thread did it within the stretch: in that span of calls, and, by line numbers, not
 * behind the missing call. */
bool ncs_in_stretch(const struct ncs_stretch *s, int rank, int thread, uint64_t id, struct ncs_place place);
void ncs_see_beforehand(struct ncs_analysis *q, const struct ncs_call *call); /* of all, by id */
/* Adds earlier events to each finding about a call that was left out, added or changed. */
void ncs_format_beforehand(const struct ncs_analysis *q);
/* A sentence about the last value that was read in the stretch and that not all ranks have; *read =
 * the copy that read it. NULL = no such value. The caller frees the text. */
char *ncs_format_read(const struct ncs_analysis *q, const struct ncs_finding *f, const struct ncs_stretch *stretch,
                      const struct ncs_call **read);

/* ---- unmatched calls (rules/common/unmatched.c) ---- */

/* A send or receive that names the wrong peer, and the call that it should match. */
struct ncs_misnaming {
    const struct ncs_call *wrong, *wants;
    bool turned; /* it should be a receive instead of a send, or the reverse */
};

struct ncs_misnamed {
    struct ncs_misnaming *of; /* the caller's */
    size_t count;
};

void ncs_unmatched_free(struct ncs_analysis *q);
/* Finds the one call in a cycle around the unmet wait that would undo the cycle with another peer.
 * Only calls in groups that both send and receive are considered; later calls are unmatched because
 * of it. */
bool ncs_explain_first(const struct ncs_analysis *q, size_t unmet, struct ncs_misnamed *out);
/* True if wrong peer names explain the unmatched calls around this rank of the communicator. *out
 * gets all calls that this explains. */
bool ncs_explain_unmatched(const struct ncs_analysis *q, int comm, int rank, struct ncs_misnamed *out);

/* ---- memory (evidence/memory.c) ---- */

/* "; its send buffer, of which it reads 8192 bytes, is memory of 4096 bytes allocated at line 2 and freed at line 7": of the
 * buffers that `why` names; NULL = none. Sets *freed if one of them was freed. */
struct ncs_sentence *ncs_say_memory(const struct ncs_analysis *q, const struct ncs_call *call, const char *why, bool *freed);
/* True if both ranges lie completely in one allocation of the caller. */
bool ncs_in_one_memory(const struct ncs_analysis *q, const struct ncs_call *call, const void *a, size_t bytes_a, const void *b,
                       size_t bytes_b);

/* ---- cycles whose cause lies elsewhere (graph/cycle_cause.c); *why = by which comparison, if there is one ---- */

const struct ncs_unmet *ncs_left_out(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why);
/* The destroy of a cycle that waits for the device to free memory, and so for a call on another communicator, *kernel. */
const struct ncs_snap_job *ncs_frees_beside(const struct ncs_analysis *q, const int *path, size_t length,
                                            const struct ncs_call **kernel, struct ncs_why *why);
/* The end of the one communicator of a cycle for which ranks wait, while all else in the cycle is waits of hosts. */
const struct ncs_unmet *ncs_missed_teardown(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why);
const struct ncs_unmet *ncs_unset_key(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why);
/* The one meeting of a cycle to which a call was never made, while all other calls are made and
 * wait only for their groups. */
const struct ncs_unmet *ncs_missing_link(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why);
/* The absent rank by which the unmet wait leads to the next node of a path; NULL = it does not. */
const struct ncs_absent *ncs_link(const struct ncs_unmet *n, const struct ncs_analysis *q, int next);
/* True if the rank's thread is in the other context, where it acts as another rank. */
static inline bool ncs_is_held_by(const struct ncs_analysis *q, const struct ncs_absent *a, int context)
{
    return a->context >= 0 && q->snap->context[a->context].held_by == (size_t)context + 1;
}
/* The call in which a rank waits, if it is grouped with others. */
const struct ncs_call *ncs_grouped_wait(const struct ncs_analysis *q, int rank);

/* For a cycle between a meeting of hosts and another call on its communicator: the one that most
 * ranks have reached. */
const struct ncs_unmet *ncs_missed_meeting(const struct ncs_analysis *q, const int *path, size_t length, struct ncs_why *why);

/* Another meeting of hosts, such as a shrink, at which at least as many ranks stand, and which
 * misses only ranks that stand at this one. The ranks that it excludes may then have ended. */
const struct ncs_unmet *ncs_meeting_instead(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_why *why);

/* The kind of rule or candidate that is tried as the i-th (diagnose/README.md, rule 2). */
size_t ncs_nth_kind(size_t i, size_t kinds);

void ncs_rules(struct ncs_analysis *q);

/* ---- words (words/names.c) ---- */

const char *ncs_comm_name(const struct ncs_analysis *q, int comm); /* "?" when there is none */
/* The call in which a thread of control is, as the script writes it: "stream:sync". */
const char *ncs_context_function(const struct ncs_analysis *q, int context);
struct ncs_place ncs_context_place(const struct ncs_analysis *q, int context);
/* The line at which a rank waits on the host: of its first thread that does, else of
 * its first live one. */
int ncs_gate_line(const struct ncs_analysis *q, int rank);
char *ncs_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *ncs_describe(const struct ncs_call *call);
/* The function as the script writes it: "comm:split". */
const char *ncs_function_name(const struct ncs_call *call);
/* " at line 12", " at line 12 (grad)", or nothing. */
void ncs_format_place(struct ncs_str *s, const struct ncs_call *call);
/* Adds "failed with ncclInvalidArgument: Broadcast : invalid root 2". */
void ncs_format_result(const struct ncs_call *call, struct ncs_str *s);
/* "rank 2", "ranks 0, 1". */
void ncs_format_ranks(struct ncs_str *s, const int *ranks, size_t count);

/* That the rank's wait is in the group of its call; NULL = it is not. */
struct ncs_sentence *ncs_say_own_group(const struct ncs_analysis *q, const struct ncs_absent *a);

/* Adds "; rank 2 spawned no thread at line 16, rank 0 spawned 1" for a rank that is missed where
 * other processes spawned threads. False = another rank; adds nothing (graph/spawns.c). */
bool ncs_format_spawns(const struct ncs_analysis *q, const struct ncs_unmet *n, int rank, struct ncs_str *s);

/* ---- filling findings (rules/common/fill.c) ---- */

struct ncs_draft { /* a finding and the room of its lists */
    struct ncs_finding f;
    size_t culprit_room, blocked_room, bystander_room, cycle_room, row_room, repair_room;
    uint64_t order;                  /* id of the earliest call concerned: earlier causes first */
    const struct ncs_hazard *hazard; /* the hazard that it reports; NULL = none */
    const struct ncs_call *advised;  /* the fix says to make a call like this one; NULL = its edits say so, or it does not */
    bool by_title;                   /* as its rule's */
    bool noticed;                    /* the machine itself noticed it */
    bool remark;                     /* not an error: it works, but is seldom what was meant */
};

void ncs_add_culprit(struct ncs_draft *d, int rank, uint32_t call, int line);
/* "stopped", by a planned fault; "ended", as the process of a context, which may be NULL. */
const char *ncs_stop_verb(const struct ncs_analysis *q, const struct ncs_snap_context *c);
/* Adds as an alternative that these ranks are to blame by that rule; `why` becomes its own. The finding is likely then. */
void ncs_add_reading(struct ncs_draft *d, const char *rule, const int *rank, size_t count, char *why);
struct ncs_fact ncs_fact_culprits(const char *name, const struct ncs_draft *d);
void ncs_add_row(struct ncs_draft *d, int rank, int line, struct ncs_sentence *said); /* takes the sentence */
void ncs_add_step(struct ncs_draft *d, const struct ncs_cycle_step *step);            /* copies the texts */
void ncs_add_blocked_rank(struct ncs_draft *d, int rank);
void ncs_add_bystander(struct ncs_draft *d, int rank);
/* Adds blocked ranks and bystanders from the waiters of a node. Add culprits and steps before. */
void ncs_add_blocked(const struct ncs_analysis *q, struct ncs_draft *d, int node);
void ncs_add_blocked_by(const struct ncs_analysis *q, struct ncs_draft *d, const int *unmet, size_t unmets); /* nodes */
/* Adds a row for every rank of the unmet wait: its call, or why it is absent. */
void ncs_add_unmet_rows(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_unmet *unmet);
/* Adds the blocked ranks of a finding about the same mistake, with rows for
 * those that have none. */
void ncs_add_merged(struct ncs_draft *d, struct ncs_draft *same);
/* Adds rows for the blocked ranks that have none yet. Call it last. */
void ncs_add_behind_rows(const struct ncs_analysis *q, struct ncs_draft *d);
void ncs_set_title(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *call);
/* Makes the call the finding's: its number, its title, its place in the order of findings. */
void ncs_set_call(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *call);

#endif
