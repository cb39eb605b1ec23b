/* A job as a program: the calls of all ranks, merged into one list of steps in which equal calls of several ranks are one
 * step. Read from a journal, written as a scenario, made smaller step by step. */
#ifndef NCS_REPRODUCE_WORKLOAD_H
#define NCS_REPRODUCE_WORKLOAD_H

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/str.h"
#include "diagnose/finding.h"

/* Communicators of which each rank has at most one, made in one place: all pairs of neighbours, say. */
struct ncs_workload_family {
    char *name;       /* of the variable, unique in the job */
    int *comm;        /* by rank of the job: which of the communicators it is in, from 0; -1 = none */
    int *rank;        /* by rank of the job: its rank in it */
    int *size;        /* by communicator: its ranks */
    char **comm_name; /* by communicator, in reports; NULL = the variable's name */
    int comms;
    bool is_world; /* one communicator of all ranks, in their order */
};

/* The arguments of one call, which equal calls share. */
struct ncs_workload_call {
    enum ncs_fn fn;
    int family; /* -1 = of no communicator */
    uint64_t count;
    int dtype, op;     /* -1 = none */
    int partner;       /* the root or the peer, as a rank of the job; -1 = none */
    int stream;        /* in the order in which the rank first uses them, from 0 */
    unsigned unsaid;   /* as in ncs_call */
    const char *place; /* where the program makes it: "train.py:66"; NULL = unknown. Interned */
};

/* What makes calls of two ranks the same step: equal keys, or where a place is unknown equal keys without the place. */
struct ncs_step_key {
    uint64_t key, without_place; /* equal if the place is unknown */
};

/* TEXT: a statement of Lua that is no plain call. Its text is the `place` of its ncs_workload_call, with these bytes for what
 * the scenario names. */
enum ncs_step_kind { NCS_STEP_CALL, NCS_STEP_GROUP, NCS_STEP_GROUP_END, NCS_STEP_SYNC, NCS_STEP_TEXT, NCS_STEP_LAST };
#define NCS_TEXT_PARTNER "\1" /* the call's partner, as a rank of its communicator */
#define NCS_TEXT_COMM "\2"
#define NCS_TEXT_STREAM "\3"
#define NCS_TEXT_COUNT "\4" /* its count, scaled */
#define NCS_TEXT_EVENT "\5" /* an event, whose number from 0 is the count */

struct ncs_workload_step {
    enum ncs_step_kind kind;
    const struct ncs_workload_call **of; /* by rank; NULL = it does not make this step */
    struct ncs_step_key key;
    const struct ncs_workload_step *whole; /* of which it is the calls of some ranks; NULL = itself */
};

struct ncs_workload {
    int ranks;
    struct ncs_workload_family *family;
    size_t families, family_room;
    struct ncs_workload_step **step;
    size_t steps, step_room;
    struct ncs_map call;  /* the calls, by hash */
    struct ncs_map place; /* the places, by hash */
    char **note;
    size_t notes, note_room;    /* what the scenario cannot show, one sentence each */
    struct ncs_workload *other; /* the same calls in another order, as likely; NULL = there is none */
    bool late;                  /* the record has lost its first calls; a note says so */
    bool apart; /* no end of a communicator waits for other ranks: they are of one process. The scenario, whose ranks are
                               * processes, has a host for each of them */
    char **loss;
    size_t losses, loss_room; /* what is not written, as "3 calls of cudaMemcpy": causes of another ending */
};

/* The text of a call's place; NULL = unknown. */
typedef char *ncs_workload_place_fn(void *arg, const struct ncs_call *call);

struct ncs_workload_source {
    const struct ncs_journal *journal;
    int ranks;
    const struct ncs_diagnosis *diagnosis; /* of the journal: it numbers the devices of a process that has several */
    ncs_workload_place_fn *place;          /* gives owned texts (ncs_free) */
    void *arg;                             /* for place */
    const struct ncs_snapshot *snapshot;   /* at the end of the journal, for records whose calls all return; NULL = not needed */
    bool late;                             /* the journal begins after calls that the record has lost */
    bool one_process;                      /* its ranks are of one process */
    const char *const *last;               /* by rank: the statement of Lua by which it ends, as `error("x")`; NULL = none */
};
/* Values of `last` that are no statement at the end: the newest call is on memory that is too small; a fault, as "fault.link { ...
 * }", comes before the newest call. */
#define NCS_LAST_ILLEGAL_ACCESS "illegal-access"
#define NCS_LAST_FAULT "fault.link"

/* Reads the calls of the ranks' main programs. False if the journal has no call that a scenario can make. */
bool ncs_workload_read(struct ncs_workload *job, const struct ncs_workload_source *source);
void ncs_workload_free(struct ncs_workload *job); /* the contents */
/* Appends what is not written of the job, as a list: why the run of its scenario may end otherwise. `of_data`: the job ended by wrong
 * data. */
void ncs_workload_add_losses(const struct ncs_workload *job, bool of_data, struct ncs_str *out);

/* ---- for the files of this room ---- */

struct ncs_workload_step *ncs_workload_new_step(const struct ncs_workload *job, enum ncs_step_kind kind, struct ncs_step_key key);
void ncs_workload_free_step(struct ncs_workload_step *step);
/* The arguments of what is no call on a communicator. */
struct ncs_workload_call ncs_workload_call_alone(enum ncs_fn fn, const char *place);
/* The call of the first rank that makes the step; NULL = none does. */
const struct ncs_workload_call *ncs_workload_any_call(const struct ncs_workload *job, const struct ncs_workload_step *step);
/* The one copy of equal arguments. */
const struct ncs_workload_call *ncs_workload_intern(struct ncs_workload *job, const struct ncs_workload_call *call);
const char *ncs_workload_intern_place(struct ncs_workload *job, const char *text); /* NULL gives NULL */
/* Appends a text of a stranger as one line of valid UTF-8 that Lua and YAML can hold. */
void ncs_workload_add_line(struct ncs_str *out, const char *text);
void ncs_workload_note(struct ncs_workload *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ncs_workload_lose(struct ncs_workload *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A rank's calls before they are merged. */
struct ncs_workload_token {
    enum ncs_step_kind kind;
    const struct ncs_workload_call *call;
    struct ncs_step_key key;
};
struct ncs_workload_tokens {
    struct ncs_workload_token *token;
    size_t count, room;
};

/* Merges the ranks' calls into the job's steps. What a rank does last and no other rank does comes before what only others do last, or
 * behind it (`behind`). True if there is such a choice. */
bool ncs_workload_merge(struct ncs_workload *job, const struct ncs_workload_tokens *of, bool behind);

/* The rank of the job that is rank i of the communicator; -1 = unknown. */
int ncs_workload_member(const struct ncs_workload_source *source, const struct ncs_comm_info *info, int i);
/* Finds the communicators of the journal and the families that they form; *family_of gets the family of each communicator of
 * the journal, -1 = it is not used; the caller frees it. `used`: by communicator, it is used although it has no counted call. */
void ncs_workload_read_comms(struct ncs_workload *job, const struct ncs_workload_source *source, const bool *used,
                             int **family_of);

/* ---- texts of TEXT steps; the caller frees them; NULL = there is none ---- */

/* Appends a text of Lua, or of YAML, in quotes. */
void ncs_workload_add_quoted(struct ncs_str *out, const char *text, bool yaml);
char *ncs_workload_host_text(const struct ncs_host_step *step, int ranks);
/* A put is written as a signal: what it moves is not kept. */
char *ncs_workload_signal_text(const struct ncs_call *call, bool on_stream);
/* `has_ended`: the caller has ended the communicator. NULL also if another run need not refuse the call. */
char *ncs_workload_failed_text(const struct ncs_call *call, int nranks, bool has_ended);
/* The call on memory that is too small for it. */
char *ncs_workload_illegal_text(const struct ncs_workload_call *call);
/* A split, or the registration of a window; a revocation, a suspension, a resumption. */
char *ncs_workload_collective_text(const struct ncs_call *call);
/* `rank`: of the job. The id is a key of the store, "id 1". */
char *ncs_workload_init_text(const struct ncs_call *call, int rank, int ranks);

#endif
