/* Findings: the results of the diagnosis, as data. Room report renders them as text and JSON. */
#ifndef NCS_DIAGNOSE_FINDING_H
#define NCS_DIAGNOSE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/machine.h"
#include "api/snapshot.h"
#include "diagnose/decision.h"
#include "words/words.h"

enum ncs_level { NCS_LEVEL_ERROR, NCS_LEVEL_NOTE };
/* Printed as "certain" "luck" "undefined" "likely"; when, is said in diagnose/README.md, rules 20 and 21. */
enum ncs_certainty { NCS_CERTAIN, NCS_POLICY_DEPENDENT, NCS_UNDEFINED, NCS_LIKELY };

/* A rank of a communicator as a process drives it. If a process drives several ranks of one
 * communicator, a device each, each of them is a party. Wherever a diagnosis names a rank of the
 * run, it then gives the number of a party: its rank in the communicator that has all parties, else
 * its place in the order of process and device. */
struct ncs_party {
    int rank;            /* of the run: its process; -1 = of one that never joined */
    int device;          /* -1 = a process as such */
    int thread;          /* that drives it; -1 = none is known, or several */
    int comm, comm_rank; /* the widest communicator that it is in: its number, and its rank there; -1 = none */
};

struct ncs_culprit {
    int rank;      /* of the run, or a party */
    uint32_t call; /* on the finding's communicator; 0 = none */
    int line;      /* 0 = unknown */
    int comm_rank; /* a party: on the finding's communicator, else its widest */
};

/* The kind of thing through which a rank waits for another one. */
enum ncs_via {
    NCS_VIA_COLLECTIVE, /* a call of the communicator that all its ranks make */
    NCS_VIA_PAIR,       /* send and receive */
    NCS_VIA_SIGNAL,     /* put or signal, and its wait */
    NCS_VIA_STREAM,     /* order in a stream, or of a device */
    NCS_VIA_EVENT,
    NCS_VIA_HOST, /* order in a host thread, a join, a barrier */
    NCS_VIA_INIT, /* making, changing or ending a communicator */
    NCS_VIA_STORE,
};

struct ncs_cycle_step { /* its rank waits for the next step's rank; the last one for the first */
    int rank;
    char *comm;
    uint32_t call;
    int line;
    int waits_for;
    enum ncs_via via;    /* of its wait */
    enum ncs_via behind; /* STREAM, EVENT, HOST: how the awaited work follows it */
};

enum ncs_edit_kind {
    NCS_EDIT_INSERT,   /* a call like the model's, before `call` (the number after the
                        * last = at the end) */
    NCS_EDIT_DELETE,   /* `call` */
    NCS_EDIT_SWAP,     /* `call` and `other`, which comes later, change places */
    NCS_EDIT_GROUP,    /* groups `call` to `other`; `call` 0: an open group ends there */
    NCS_EDIT_ARGUMENT, /* `argument` of `call` becomes `value` */
    NCS_EDIT_SYNC,     /* its stream is synchronised after `call` */
};

/* A change of one rank's calls. All edits of a finding together are the smallest change that
 * removes it. */
struct ncs_edit {
    enum ncs_edit_kind kind;
    int rank;             /* of the run, whose call it is: its process */
    int comm, comm_rank;  /* number of the communicator, and its rank there */
    uint32_t call, other; /* numbers of counted calls of that rank on it; 0 = none */
    int other_comm;       /* SWAP, GROUP: number of the communicator of `other`, on which it has
                           * other_comm_rank; -1 = the same */
    int other_comm_rank;
    bool further; /* GROUP of messages: `other` is not made yet, so what follows it is not known: the group goes on with
                           * the messages right behind it */
    int line;     /* of the call; of an INSERT of the model; 0 = unknown */
    int model;    /* INSERT: rank of the run whose call `model_call` on it is copied; -1 = none */
    int model_comm_rank;
    uint32_t model_call;
    bool answer;            /* INSERT: the model's counterpart, a receive for a send */
    struct ncs_place place; /* INSERT, ARGUMENT comm: where the others make it; file NULL = at the model's */
    const char *argument;   /* INSERT: "peer" where it is not the model's. ARGUMENT: "count" "datatype" "op" "root" "peer"
                           * "comm"; static text */
    int64_t value;          /* of "comm" the number, and that of other_comm */
    bool of_host;           /* no call, but a step of a host (api/journal.h): `rank` alone says whose, and */
    enum ncs_host_kind host;
    int host_thread; /* of which thread of its process */
    uint64_t nth;    /* which of that thread's; of an INSERT the one before which it comes; 0 = none */
    uint64_t before; /* INSERT: id of the call that follows it. 0: at the thread's end;
                           * or, for a call of NCCL, where `call` says, in the order of the
                           * edits if in_order */
    bool in_order;
    char *key;          /* INSERT, ARGUMENT: its key then; of a barrier its ranks */
    bool of_party;      /* its process drives several ranks of a communicator: */
    int device, thread; /* this one's; -1 = not known */
    char *on;           /* name of the communicator */
    char *text;         /* "rank 2: insert AllReduce float32 x 1024 sum before its call 3 (line 17)" */
};

struct ncs_finding_row { /* one line of the table in the text: "rank 2  never made call 3 ... line 17" */
    int rank;
    struct ncs_sentence *said;
    int line;
    bool behind;   /* waits only because of the others; these rows come last */
    int comm_rank; /* as a culprit's */
};

/* Events that culprits met after their last call like the others' and before the first that
 * differs: an error, the end of the communicator, a value that not all ranks have. Such an event
 * may be why they went another way. */
struct ncs_prior {
    int *rank;
    size_t ranks; /* of the run, ascending */
    int line;     /* 0 = unknown */
    char *text;   /* a sentence: "on rank 2 cudaMalloc at line 7 failed with cudaErrorMemoryAllocation" */
};

struct ncs_finding {
    const char *rule; /* id: "skipped-call", "count-mismatch" ...; also the topic to explain */
    enum ncs_level level;
    enum ncs_certainty certainty;
    char *comm;                     /* name; NULL = of no communicator */
    uint32_t call;                  /* first number at which the ranks part; 0 = none */
    char *title;                    /* "communicator world, call 3: AllReduce float32 x 1024 sum" */
    struct ncs_sentence *why, *fix; /* NULL = there is none */
    struct ncs_sentence *evidence;  /* how the culprit was identified; NULL = by the waits */
    bool by_place;                  /* evidence among equal calls, or a place of its own, shows that it was the culprit */
    bool launched; /* it is about calls in graphs: no change of a single call repairs it, so it stands no trial */
    bool either;   /* as many ranks did the other thing, and nothing shows which of them are wrong */
    struct ncs_prior *prior;
    size_t priors; /* in the order in which they happened */
    struct ncs_finding *other;
    size_t others;             /* what else the cause could be: rule, comm, culprits, why */
    char *otherwise;           /* the first of them and its condition, one sentence; NULL =
                        * nothing fits as well */
    size_t candidate;          /* the number of the candidate that it puts into words; 0 = the rules alone made it */
    enum ncs_decision decided; /* the comparison that made it win (decisions.def) */
    enum ncs_decision kept;    /* by which it stayed the cause against an explanation that passed its trial */
    struct ncs_str weighed;    /* with ncs_decisions_kept: what was compared, a line each */
    char *tried;               /* outcome of its repair on a run of its own, one sentence;
                        * NULL = not tried */
    struct ncs_edit *repair;
    size_t repairs; /* none: no change of calls alone repairs it */
    struct ncs_culprit *culprit;
    size_t culprits;
    int *blocked;
    size_t blockeds; /* every rank of the run that cannot go on */
    int *bystander;
    size_t bystanders; /* those of them that wait only because of others */
    struct ncs_cycle_step *cycle;
    size_t cycles;
    struct ncs_finding_row *row;
    size_t rows;
};

struct ncs_wait_line { /* who waits in which call for whom */
    int rank, thread;
    char *in; /* "cudaStreamSynchronize", "ncclCommInitRank", "store:get" */
    struct ncs_place place;
    char *comm;    /* NULL = none */
    uint32_t call; /* the operation that it waits for; 0 = none */
    char *op;      /* "AllReduce float32 x 1024 sum"; NULL */
    int *peer;
    size_t peers;     /* ranks of the run that it waits for */
    bool waiting;     /* false: at work, or nobody knows for what */
    enum ncs_via via; /* by what it waits for them */
    char *what;       /* name of a store key, a barrier, a join: "store key `go`"; NULL */
    int comm_rank;    /* as a culprit's */
};

/* An event that the machine noticed during the run (api/machine.h, observer). */
enum ncs_notice_kind {
    NCS_NOTICE_MISMATCH,
    NCS_NOTICE_CRASH,
    NCS_NOTICE_FAULT,
    NCS_NOTICE_HAZARD,
    NCS_NOTICE_ERROR,     /* the call failed, and the error ended its thread */
    NCS_NOTICE_DOUBT,     /* without a call: a result was wrong, or an expectation failed */
    NCS_NOTICE_FOREIGN,   /* a buffer of another device, which goes well */
    NCS_NOTICE_LOST,      /* of no call: a fault stopped every rank */
    NCS_NOTICE_UNUSED,    /* of no call: the one that a fault waited for never came */
    NCS_NOTICE_LEFT,      /* of no call: nobody will free something */
    NCS_NOTICE_STALE,     /* pairs of calls: memory is freed while what the second call made refers to it */
    NCS_NOTICE_INEXACT,   /* the result is NCCL's, but differs from plain arithmetic */
    NCS_NOTICE_RETYPED,   /* reductions at one place, one of each rank, of a buffer that has another type */
    NCS_NOTICE_UNWRITTEN, /* memory that nothing has written is used; its calls: see ncs_notice_unwritten */
    NCS_NOTICE_SETTING,   /* of no call: a variable of the environment that processes do not share */
};

struct ncs_notice_fault { /* a statement that plans a fault, and its rank */
    const char *what;     /* "fault.kill"; static text */
    int rank;
    struct ncs_place place;
    int comm;      /* UNUSED: number of the communicator; -1 = none */
    uint32_t call; /* UNUSED: what it waited for there; 0 = no number */
};

struct ncs_notice_inexact {
    uint64_t element;                                    /* from 1 */
    int ranks;                                           /* of the communicator */
    bool integer, average, overflow, partial, saturates; /* as of ncs_inexact */
    const char *in, *got, *sum, *exact;                  /* the keeper's */
};

struct ncs_notice_extent {
    uint64_t first, last; /* elements, from 1 */
    bool more;            /* there are others apart from these */
};

/* The notice's calls are those that use the memory, by rank; then those that allocated it, by rank; then the one that
 * carried it, if any. Of each kind they are at one place. */
struct ncs_notice_unwritten {
    enum ncs_unwritten_use use;
    size_t readers, owners;
    struct ncs_notice_extent *extent; /* of each reader: see ncs_unwritten */
    size_t element;                   /* bytes of one; 1 = the type is not known */
};

struct ncs_notice_setting {
    const char *name;   /* "NCCL_ALGO" */
    const char **value; /* by process; NULL = not set */
    int processes;
};

struct ncs_hazard; /* diagnose/hazard/hazard.h */
struct ncs_left;   /* diagnose/ledger/ledger.h */

struct ncs_notice {
    enum ncs_notice_kind kind;
    struct ncs_call **call;
    size_t calls; /* pinned by who keeps the notice */
    char *why;    /* of CRASH, FAULT, FOREIGN and UNUSED */
    struct ncs_notice_fault *fault;
    size_t faults;                         /* of LOST, by rank; of UNUSED one */
    struct ncs_notice_inexact inexact;     /* of INEXACT */
    struct ncs_notice_unwritten unwritten; /* of UNWRITTEN */
    struct ncs_notice_setting setting;     /* of SETTING; its list is owned, its texts are the keeper's */
    const struct ncs_hazard *hazard;       /* of HAZARD; the keeper's */
    const struct ncs_left *left;           /* of LEFT; the keeper's */
    bool felt;                             /* of HAZARD: the run is wrong because of it */
};

/* An alternative cause of a hang, in full, from ranks that did otherwise than ranks like them (diagnose/README.md, rule 19). */
struct ncs_alternative {
    struct ncs_finding *finding;
    size_t findings; /* the cause first */
    size_t tier;     /* equal tiers cost the same; the lowest is the cheapest */
    bool known;      /* the diagnosis blames the same ranks for the same mistake */
    bool fits;       /* it may replace the diagnosis */
    bool sure;       /* the steps of ranks at the same places support it, nothing contradicts it */
    bool placed;     /* some rank has come to where its calls are made, and no rank may be in another's communicator */
    bool likelier;   /* likelier than the diagnosis and all other alternatives, by the calls alone */
    struct ncs_why likelier_by;
    bool shifted; /* the odd rank of a mismatch is a call behind or ahead: it and the diagnosis exclude each other */
    bool as_good; /* places support it; no alternative is better supported, but one is as well */
};

struct ncs_diagnosis {
    struct ncs_finding *finding;
    size_t findings; /* the cause first */
    struct ncs_alternative *alternative;
    size_t alternatives; /* the likeliest first */
    bool in_step;        /* calls that disagree are the same call of all ranks: none is a call behind or ahead of the others */
    bool of_two;         /* there are only two courses, so either may be the wrong one */
    struct ncs_wait_line *wait;
    size_t waits; /* by rank and thread */
    struct ncs_party *party;
    size_t parties;         /* by number; none: every rank of the run is one */
    struct ncs_str weighed; /* with ncs_decisions_kept: the candidates and alternatives, a line each */
    bool explained;         /* each context that waits has an edge to a rank (sim/README.md, invariant 9) */
};

/* The diagnosis, a pure function. snapshot may be NULL (a run that ended, or real hardware
 * without a machine). For a run that did not hang, findings are mismatches, crashes,
 * faults and left-overs. */
void ncs_diagnose(const struct ncs_journal *journal, const struct ncs_snapshot *snapshot, const struct ncs_notice *notices,
                  size_t count, struct ncs_diagnosis *out);
void ncs_diagnosis_free(struct ncs_diagnosis *d); /* the contents */
/* True if no finding and no wait names a rank that a job of so many ranks lacks. For assertions. */
bool ncs_diagnosis_fits(const struct ncs_diagnosis *d, int ranks);
/* The diagnosis's number of a rank of a communicator. */
int ncs_number_of(const struct ncs_diagnosis *d, const struct ncs_member *member);
/* True if the thread of the process drives that rank; or if it drives none, and the rank is the process's first. */
bool ncs_is_thread_of(const struct ncs_diagnosis *d, int rank, int process, int thread);
/* The first rank for which ncs_is_thread_of holds; the process's number if there is none. */
int ncs_number_of_thread(const struct ncs_diagnosis *d, int process, int thread);
/* The process of a rank that the diagnosis speaks of. */
static inline int ncs_process_of(const struct ncs_diagnosis *d, int rank)
{
    return rank >= 0 && (size_t)rank < d->parties ? d->party[rank].rank : rank;
}
/* True if the cause was found by comparing calls of several ranks: their order, kinds or peers. */
bool ncs_finding_is_read(const struct ncs_finding *f);
/* Exchanges the diagnosis and an alternative; !surely: by that comparison the diagnosis is named beside it. */
void ncs_diagnosis_prefer(struct ncs_diagnosis *d, size_t alternative, bool surely, struct ncs_why why);
/* Adds the alternative to the cause, if it blames other ranks, but no more of them, and the cause
 * is not a single changed argument. The cause is then likely. */
void ncs_diagnosis_add_other(struct ncs_diagnosis *d, const struct ncs_journal *journal, size_t alternative);
/* Names the other half of the ranks as well, if exactly half of them made calls that the other half did not. */
void ncs_diagnosis_turn_round(struct ncs_diagnosis *d, const struct ncs_journal *journal);
/* For a run that cannot be repeated: the alternative that is likelier by the calls alone becomes
 * the diagnosis, as likely; the previous diagnosis becomes an alternative. A diagnosis that only a trial could prove becomes
 * likely, and the alternatives that fit equally well are named. */
void ncs_diagnosis_decide(struct ncs_diagnosis *d, const struct ncs_journal *journal);
/* A certain cause in graphs, which stand no trial, becomes likely unless the calls show it, too; the alternatives that fit
 * equally well are named then. */
void ncs_diagnosis_doubt_launched(struct ncs_diagnosis *d, const struct ncs_journal *journal);
/* The job might still have gone on, so no finding is certain. */
void ncs_diagnosis_soften(struct ncs_diagnosis *d);
/* For a hang without a likelier alternative: names the alternatives that fit equally well, with no
 * more wrong ranks, beside the diagnosis, which is likely then. */
void ncs_diagnosis_doubt(struct ncs_diagnosis *d, const struct ncs_journal *journal);
/* True if the finding is a mismatch of calls at one place, and a call that is missing before, or one too many,
 * explains it as well. */
bool ncs_diagnosis_may_be_shifted(const struct ncs_diagnosis *d, const struct ncs_journal *journal, const struct ncs_finding *f);
/* Says that of a mismatch, which is likely then. */
void ncs_finding_doubt_step(struct ncs_finding *f);
/* For an incomplete record: makes the finding of the cause likely; `doubt` says what else the cause
 * could be. */
void ncs_finding_doubt(struct ncs_finding *f, const char *doubt);
/* True if the rank is a culprit of the finding. */
static inline bool ncs_finding_blames(const struct ncs_finding *f, int rank)
{
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank == rank)
            return true;
    return false;
}
/* True if f blames all ranks that the other finding blames. */
bool ncs_finding_names_all(const struct ncs_finding *f, const struct ncs_finding *other);
/* The first finding of a cause that blocks ranks; NULL = none. */
struct ncs_finding *ncs_first_cause(struct ncs_finding *finding, size_t findings);
struct ncs_edit ncs_edit_copy(const struct ncs_edit *edit);
/* True if both change the same calls in the same way and order. */
bool ncs_edits_same(const struct ncs_edit *a, size_t edits, const struct ncs_edit *b, size_t others);
void ncs_edit_free(struct ncs_edit *edit);               /* the contents */
const char *ncs_edit_kind_name(enum ncs_edit_kind kind); /* "insert" "delete" ... */

/* The rules by id, NULL at the end: for outcome's `why` and `finding`, and for suggestions. */
extern const char *const ncs_rule_ids[];

#endif
