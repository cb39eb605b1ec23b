/* Courses: the steps of each thread of control, in its own order, as far as they concern other
 * threads. Ranks are compared by their courses (explanation/divergence.c), and changes are
 * rehearsed on them (rehearsal/rehearsal.c). Private to this room. */
#ifndef NCS_DIAGNOSE_COURSE_COURSE_H
#define NCS_DIAGNOSE_COURSE_COURSE_H

#include "diagnose/analysis.h"

enum ncs_step_kind {
    NCS_STEP_CALL,      /* a counted call: collective, send, receive, put, signal, or their wait */
    NCS_STEP_GROUP_END, /* of an outermost group */
    NCS_STEP_WAIT,      /* of the host, for a stream, an event or a device */
    NCS_STEP_RECORD,    /* of an event */
    NCS_STEP_AFTER,     /* a stream waits for an event */
    NCS_STEP_OTHER,     /* takes part in a comparison only: a split, a destroy ... */
    NCS_STEP_BARRIER,   /* these are no calls of NCCL or CUDA: see host */
    NCS_STEP_SET,
    NCS_STEP_GET,
    NCS_STEP_SPAWN,
};

struct ncs_step {
    const struct ncs_call *call;      /* for a host step, a stand-in record of its rank,
                                  * thread and place */
    const struct ncs_host_step *host; /* NULL = a call */
    /* Equal for steps where ranks do alike: the function, the place in the program, the label and
     * the origin of the communicator. Children of one split are alike; the ranks' own arguments do
     * not count. */
    uint64_t site;
    uint64_t role;  /* for a call with one peer: function and distance; 0 = other calls */
    uint64_t alike; /* equal for calls that can meet; 0 = a send, receive or one-sided call, which has its own partner */
    union {
        const void *stream; /* of a call */
        const char *key;    /* a host step of a change: the key it sets or awaits; NULL = host's */
    };
    int comm, comm_rank; /* -1 for a host step */
    enum ncs_step_kind kind;
    bool has_event; /* its call has an event as argument */
    bool lone;      /* few ranks set or await such a key, so lacking it is no difference */
    bool unmatched; /* sets a key that nobody awaits, while a wait has no setter */
};

struct ncs_course {
    int rank, thread;      /* of the run */
    int context;           /* of the snapshot; -1 = none: it has ended */
    size_t holder;         /* index + 1 of the other rank's course in which its
                            * thread waits; 0 = none */
    int depth;             /* of its open groups */
    bool stands;           /* in its last step */
    bool over;             /* it makes no further call whatever the others do */
    bool still;            /* recorded run: it waits for nothing, yet the record has no more of its calls */
    const char *missed;    /* key that it waits for and nobody sets; NULL = none */
    struct ncs_step *step; /* in order */
    size_t steps, room;
    uint64_t sites; /* hash of the sites of its steps, in order */
};

struct ncs_courses {
    struct ncs_course *of; /* by rank and thread */
    size_t count, room;
    uint64_t *class_of;   /* by communicator: see site */
    size_t *class_number; /* by communicator: its class as a number below `classes` */
    size_t classes;
    bool any_role, any_key;    /* some step has a role; sets a key, or waits for one */
    struct ncs_call *stand_in; /* for the steps of hosts */
};

/* False if the journal has dropped records: the courses would begin at arbitrary places. */
bool ncs_courses_read(const struct ncs_analysis *q, struct ncs_courses *out);
void ncs_courses_free(struct ncs_courses *c);
/* The first course of a rank or of a later one. */
size_t ncs_courses_from(const struct ncs_courses *all, int rank);
/* The role that a rank has by a send or receive. */
uint64_t ncs_role_of(const struct ncs_courses *all, enum ncs_fn fn, int comm, int comm_rank, int peer);
/* The only peer that a send, receive, put, signal or wait for a signal names; -1 =
 * none, or several. */
int ncs_step_peer(const struct ncs_call *call);
/* Sets site and role of a call as if it were made on that communicator. */
void ncs_step_mark(const struct ncs_courses *all, const struct ncs_call *call, int comm, struct ncs_step *step);

/* ---- keys of the store (course/keys.c) ---- */

/* Sets the members that depend on keys: missed of courses, lone and unmatched of steps. A part of
 * ncs_courses_read. */
void ncs_courses_find_keys(struct ncs_courses *all);
/* The key for which the course waits; NULL = none. */
const char *ncs_awaited_key(const struct ncs_course *c);
uint64_t ncs_key_hash(const char *key);
/* Equal for keys that differ only in their numbers, such as "rank0-ready" and "rank12-ready". */
uint64_t ncs_key_class(const char *key);

/* True for steps that change only together with calls: records of events, waits of streams for
 * them, ends of groups. */
static inline bool ncs_comes_with_calls(const struct ncs_step *s)
{
    return s->kind == NCS_STEP_GROUP_END || s->kind == NCS_STEP_RECORD || s->kind == NCS_STEP_AFTER;
}

/* ---- changes ---- */

enum ncs_change_kind {
    NCS_CHANGE_PUT_IN,    /* before the step, a call like the model's on (comm, comm_rank) */
    NCS_CHANGE_LEAVE_OUT, /* the step */
    NCS_CHANGE_COMM,      /* the step's call is made on another communicator */
    NCS_CHANGE_PEER,      /* the step's call names another peer */
    NCS_CHANGE_KEY,       /* the step sets another key */
};

struct ncs_change {
    enum ncs_change_kind kind;
    size_t course, step;              /* step = course.steps: at its end */
    const struct ncs_call *model;     /* PUT_IN: the call to copy; LEAVE_OUT ...: the step's call */
    bool answer;                      /* PUT_IN: the model's counterpart, a receive for a send */
    const struct ncs_step *like;      /* PUT_IN: another course's step at its place in the program; NULL = there is none */
    int ahead, behind;                /* PUT_IN: this many steps right before and behind `like` come
                                   * along: see ncs_comes_with_calls */
    int comm, comm_rank;              /* where the call is made then */
    int peer;                         /* PEER, and PUT_IN of a send or receive; -1 = none */
    const struct ncs_call *wants;     /* PEER: the call of that peer that this one matches then */
    const struct ncs_host_step *host; /* the model's, or the step's; NULL = a call. A change of a
                                       * host step has no communicator */
    const char *key;                  /* of a host step: the key that is set then */
};

enum ncs_fn ncs_change_fn(const struct ncs_change *c); /* of the call that is put in */

/* ---- the trial in thought (rehearsal/rehearsal.c) ---- */

struct ncs_rehearsed {
    size_t blocked;  /* courses that still wait, and launches that are not done */
    size_t supposed; /* meetings that only hypothetical calls can complete */
    bool *waits;     /* by course. The caller's */
};

/* The cast for any number of rehearsals. The caller frees it; the courses stay. */
struct ncs_cast *ncs_cast_new(const struct ncs_analysis *q, const struct ncs_courses *courses);
void ncs_cast_free(struct ncs_cast *cast); /* NULL is a no-op */

/* Plays all courses again with the changes (sorted by course and step), to find the threads that
 * still wait. If a thread goes on beyond its known course, its later calls are assumed to be those
 * that others wait for. Without changes the result must equal the present waits; if not, the run
 * has something that rehearsals do not model. */
void ncs_rehearse(const struct ncs_cast *cast, const struct ncs_change *change, size_t changes, struct ncs_rehearsed *out);

#endif
