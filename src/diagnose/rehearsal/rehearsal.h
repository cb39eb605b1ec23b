/* The state of a rehearsal, shared by its files (course/course.h says what rehearsals are for). All
 * courses are played again with some changes, to see which threads would still wait. Hosts stop at
 * first contact and at their waits, launches keep the order of their streams and communicators,
 * calls meet by number. Data, time and arguments that do not affect meetings are left out. Private
 * to these files. */
#ifndef NCS_DIAGNOSE_REHEARSAL_REHEARSAL_H
#define NCS_DIAGNOSE_REHEARSAL_REHEARSAL_H

#include "base/hash.h"
#include "base/map.h"
#include "diagnose/course/course.h"
#include "diagnose/course/hosts.h"
#include "diagnose/party.h"

/* The call that a course ends in waits for these. */
struct ncs_last_wait {
    int *unmet; /* of the inquiry */
    size_t unmets;
};

/* All that is known before any change (rehearsal/cast.c). */
struct ncs_cast {
    const struct ncs_analysis *q;
    const struct ncs_courses *courses;
    int ranks;               /* of the run, as far as there are courses */
    size_t *course, *first;  /* courses by rank, each rank's own in a row from first; one first more at the end */
    size_t *nth;             /* by course: which of its rank's it is */
    uint64_t *kin;           /* by rank: equal where ranks do alike; 0 = like no other */
    struct ncs_last_wait *wait; /* by course */
    struct ncs_map owner;    /* rank of a communicator -> the course that makes its calls, + 1 */
    struct ncs_map seat;     /* communicator and rank of the run -> its rank there + 1 */
    struct ncs_map settable; /* keys that some course has set in the run -> 1 */
};

/* Ranks that play as one: the first of them for all. */
struct ncs_troupe {
    int *rank;
    size_t ranks, room;
};

/* A call, as far as it decides about its meeting. */
struct ncs_deed {
    const struct ncs_call *call; /* as it was made, or the model of one that is put in */
    enum ncs_fn fn;
    int rank, comm, comm_rank, peer, root;
    size_t bytes;
    const void *stream;
    const struct ncs_troupe *by; /* who make it; rank and comm_rank are those of the first */
};

/* A deed that is launched. */
struct ncs_launch_part {
    struct ncs_deed deed;
    size_t launch, meeting; /* meeting + 1; 0 = one-sided, it meets nobody */
    bool reached, met;
};

struct ncs_launch {
    size_t before[2];    /* + 1: of the stream, of the communicator */
    size_t after;        /* who has to wait for it, twice the launch and which of its `before`, + 1; 0 = nobody */
    size_t after_next[2]; /* the next of those who wait for the same, likewise */
    size_t first, parts; /* they stand in a row */
    bool done;
    bool looked_at;      /* all before it is done: each pass looks at it */
};

struct ncs_meeting {
    int comm, src, dst; /* -1: of all ranks */
    size_t *part;       /* all that are launched */
    size_t parts, room;
    size_t ranks, reached; /* who have launched one, and whose has had its turn on its stream */
    bool supposed, met; /* met: all are there and agree; each of them asks for that */
};

/* A course on its way, or those of a troupe. */
struct ncs_player {
    const struct ncs_course *course;
    size_t self;           /* its index */
    const struct ncs_troupe *troupe;
    size_t at, change;     /* the next step, the next change */
    struct ncs_deed *deed; /* of the open group */
    size_t deeds, room;
    size_t entered;        /* how many of them it has entered: they wait for first contact */
    bool ended, free;      /* free: it goes on, nobody knows how */
    bool spawned;          /* a thread that was never there: what that does nobody knows either */
    bool added;            /* to a count that somebody may wait for */
};

struct ncs_rehearsal {
    const struct ncs_cast *cast;
    const struct ncs_analysis *q;
    const struct ncs_courses *courses;
    const struct ncs_change *change;
    size_t changes;
    struct ncs_troupe *troupe;     size_t troupes;
    struct ncs_troupe **troupe_of; /* by rank */
    struct ncs_player *player;     size_t players;
    struct ncs_player **player_of; /* by course */
    bool moved; /* somebody, in this round */
    bool late;  /* courses that came past all barriers in the run no longer move */

    /* rehearsal/free.c */
    bool *free, any_free;  /* by process: one of its courses goes on, nobody knows how */

    /* rehearsal/launches.c */
    struct ncs_launch *launch;    size_t launches, launch_room;
    size_t *front, fronts, front_room;    /* launches that the pass has to look at: a heap, the first on top */
    size_t *later, laters, later_room;    /* those that the next one has to, in order */
    size_t *undone;        /* by rank: its parts that are not */
    struct ncs_launch_part *part; size_t parts, part_room;
    struct ncs_map tail;   /* stream, or rank of a communicator -> its newest launch + 1 */
    struct ncs_map event;  /* -> the launch that it is recorded behind, + 1 */

    /* rehearsal/meetings.c */
    struct ncs_meeting *meeting; size_t meetings, meeting_room;
    struct ncs_map meeting_at; /* communicator, ranks and number -> index + 1 */
    struct ncs_map count;      /* a rank's sequence of deeds that are numbered -> how many */
    struct ncs_map sent;       /* communicator, target, origin -> signals that no wait has taken */

    struct ncs_map entered; /* rehearsal/contact.c */

    /* rehearsal/hosts.c */
    struct ncs_hosts hosts;
    struct ncs_map splits;   /* rank of a communicator -> its splits so far; the call -> which of them it is; the
                              * split -> all ranks below that have come */
};

/* A key of one of its maps, from up to four words. */
static inline uint64_t ncs_rehearsal_key(int64_t a, int64_t b, int64_t c, int64_t d)
{
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(ncs_hash(0, (uint64_t)a), (uint64_t)b), (uint64_t)c), (uint64_t)d);
    return hash ? hash : 1;
}

/* By its own function, because the model of an inserted answer is of the other kind. */
static inline bool ncs_deed_is_pair(const struct ncs_deed *d)
{
    return ncs_fn_info[d->fn].pair;
}

static inline bool ncs_deed_is_one_sided(const struct ncs_deed *d)
{
    return ncs_call_is_one_sided(d->call);
}

/* ---- who plays (rehearsal/cast.c) ---- */

/* Its rank on the communicator; -1 = it has none. */
int ncs_cast_seat(const struct ncs_cast *cast, int comm, int rank);
/* The course that makes the calls of a rank of a communicator, + 1; 0 = no course has. */
size_t ncs_cast_owner(const struct ncs_cast *cast, int comm, int comm_rank);
/* Players for all courses, as the changes part them. */
void ncs_rehearsal_cast(struct ncs_rehearsal *p);
/* Rank of a member on the communicator of what the troupe does. */
int ncs_rehearsal_seat(const struct ncs_rehearsal *p, const struct ncs_deed *d, size_t member);
/* The nth course of a member. */
size_t ncs_rehearsal_course(const struct ncs_rehearsal *p, const struct ncs_troupe *t, size_t member, size_t nth);

/* ---- who may do anything (rehearsal/free.c) ---- */

/* The course has reached its end, and goes on beyond its known steps. */
void ncs_rehearsal_set_free(struct ncs_rehearsal *p, struct ncs_player *l);
/* True if the course that makes the calls of a rank of a communicator goes on. */
bool ncs_rehearsal_is_free(const struct ncs_rehearsal *p, int comm, int comm_rank);
bool ncs_rehearsal_rank_is_free(const struct ncs_rehearsal *p, int rank); /* of the run */

/* ---- first contact of hosts (rehearsal/contact.c) ---- */

void ncs_rehearsal_enter(struct ncs_rehearsal *p, const struct ncs_deed *d);
bool ncs_rehearsal_has_contact(struct ncs_rehearsal *p, const struct ncs_deed *d);

/* ---- streams and events (rehearsal/launches.c) ---- */

/* One launch for all deeds of a group on one communicator. */
void ncs_rehearsal_enqueue(struct ncs_rehearsal *p, const struct ncs_deed *deed, size_t deeds);
void ncs_rehearsal_record_event(struct ncs_rehearsal *p, const struct ncs_call *c);
void ncs_rehearsal_wait_for_event(struct ncs_rehearsal *p, const struct ncs_call *c); /* as a stream does */
bool ncs_rehearsal_device_is_done(const struct ncs_rehearsal *p, int rank);
bool ncs_rehearsal_wait_is_over(const struct ncs_rehearsal *p, const struct ncs_call *c); /* of a host */
void ncs_rehearsal_play_launches(struct ncs_rehearsal *p);

/* ---- launches that may be next (rehearsal/front.c) ---- */

/* One that has just been enqueued: looked at from now on, or once what is before it is done. */
void ncs_rehearsal_await(struct ncs_rehearsal *p, size_t launch);
/* The passes look at launches in their order. Begins one, and takes the next of it; false: it is over. */
void ncs_rehearsal_begin_pass(struct ncs_rehearsal *p);
bool ncs_rehearsal_next_launch(struct ncs_rehearsal *p, size_t *launch);
/* The launch was looked at. If it is done, its successors may be looked at in the same pass. */
void ncs_rehearsal_leave_launch(struct ncs_rehearsal *p, size_t launch);

/* ---- meetings and signals (rehearsal/meetings.c) ---- */

/* Puts a part that was just launched into its meeting. */
void ncs_rehearsal_join(struct ncs_rehearsal *p, size_t part);
/* The part is next on its stream. Returns true if anything moves. */
bool ncs_rehearsal_meet(struct ncs_rehearsal *p, struct ncs_launch_part *part);

/* ---- hosts among themselves (rehearsal/hosts.c) ---- */

/* Plays a host step of the player, with another key unless it is NULL. False = the
 * player waits there. */
bool ncs_rehearsal_play_host(struct ncs_rehearsal *p, const struct ncs_player *l, const char *key);
bool ncs_rehearsal_add_host(struct ncs_rehearsal *p, struct ncs_player *l, const struct ncs_change *c);
/* Plays a split, to which all ranks of the communicator come. False = the player waits there. */
bool ncs_rehearsal_play_split(struct ncs_rehearsal *p, const struct ncs_player *l);
/* True if the player need not wait behind its last step for things that rehearsals do not play: a
 * gate, an init, a split. */
bool ncs_rehearsal_last_wait_is_over(const struct ncs_rehearsal *p, const struct ncs_player *l);

/* ---- courses (rehearsal/courses.c) ---- */

/* Goes on with it until it waits or ends. */
void ncs_rehearsal_play_course(struct ncs_rehearsal *p, struct ncs_player *l);

#endif
