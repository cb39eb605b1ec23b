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

/* The unmet waits for which the last call of a course waits. */
struct ncs_last_wait {
    int *unmet; /* indices of the analysis's unmet waits */
    size_t unmets;
};

/* All that is known before any change (rehearsal/cast.c). */
struct ncs_cast {
    const struct ncs_analysis *q;
    const struct ncs_courses *courses;
    int ranks;                  /* of the run, as far as there are courses */
    size_t *course, *first;     /* courses sorted by rank; those of rank r are from first[r] up to first[r + 1] */
    size_t *nth;                /* by course: its number among the courses of its rank, from 0 */
    uint64_t *kin;              /* by rank: equal where ranks do alike; 0 = like no other */
    struct ncs_last_wait *wait; /* by course */
    struct ncs_map owner;       /* rank of a communicator -> the course that makes its calls, + 1 */
    struct ncs_map seat;        /* communicator and rank of the run -> its rank there + 1 */
    struct ncs_map settable;    /* keys that some course has set in the run -> 1 */
};

/* Ranks that do the same and play as one: the first of them plays for all. */
struct ncs_troupe {
    int *rank;
    size_t ranks, room;
};

/* A call that is played, with the arguments that decide which calls it meets. */
struct ncs_deed {
    const struct ncs_call *call; /* the call of the run or, of one that is put in, its model */
    enum ncs_fn fn;
    int rank, comm, comm_rank, peer, root;
    size_t bytes;
    const void *stream;
    const struct ncs_troupe *by; /* its ranks make it; rank and comm_rank are those of the first */
};

/* A deed that is launched. */
struct ncs_launch_part {
    struct ncs_deed deed;
    size_t launch, meeting; /* meeting + 1; 0 = one-sided, it meets nobody */
    bool reached, met;
};

struct ncs_launch {
    size_t before[2];     /* the launch before it on its stream and on its communicator, + 1; 0 = none */
    size_t after;         /* list of the launches that wait for this one: 2 * launch + index of its `before` + 1; 0 = none */
    size_t after_next[2]; /* by index of its `before`: the next of that list */
    size_t first, parts;  /* its parts, in a row */
    bool done;
    bool looked_at; /* the launches before it are done, so each pass looks at it */
};

struct ncs_meeting {
    int comm, src, dst; /* -1: of all ranks */
    size_t *part;       /* its launched parts */
    size_t parts, room;
    size_t ranks, reached; /* ranks that have launched a part, and ranks whose part was next on its stream */
    bool supposed, met;    /* met: all ranks are there and agree. supposed: some ranks are only assumed to come */
};

/* A course that is played, for all ranks of its troupe. */
struct ncs_player {
    const struct ncs_course *course;
    size_t self; /* its index */
    const struct ncs_troupe *troupe;
    size_t at, change;     /* the next step, the next change */
    struct ncs_deed *deed; /* of the open group */
    size_t deeds, room;
    size_t entered;   /* deeds that wait for first contact already */
    bool ended, free; /* free: it goes on beyond its known steps, and may make any call */
    bool spawned;     /* a change has spawned a thread, which may make any call */
    bool added;       /* a change has added to a key, for which a course may wait */
};

struct ncs_rehearsal {
    const struct ncs_cast *cast;
    const struct ncs_analysis *q;
    const struct ncs_courses *courses;
    const struct ncs_change *change;
    size_t changes;
    struct ncs_troupe *troupe;
    size_t troupes;
    struct ncs_troupe **troupe_of; /* by rank */
    struct ncs_player *player;
    size_t players;
    struct ncs_player **player_of; /* by course */
    bool moved;                    /* something has changed in this round */
    bool late;                     /* courses that passed all their barriers in the run no longer move */

    /* rehearsal/free.c */
    bool *free, any_free; /* by process: one of its courses is free */

    /* rehearsal/launches.c */
    struct ncs_launch *launch;
    size_t launches, launch_room;
    size_t *front, fronts, front_room; /* launches that this pass has to look at: a heap, the oldest on top */
    size_t *later, laters, later_room; /* launches that the next pass has to look at, in order */
    size_t *undone;                    /* by rank: its parts that are not done */
    struct ncs_launch_part *part;
    size_t parts, part_room;
    struct ncs_map tail;  /* stream, or rank of a communicator -> its newest launch + 1 */
    struct ncs_map event; /* event -> the launch behind which it is recorded, + 1 */

    /* rehearsal/meetings.c */
    struct ncs_meeting *meeting;
    size_t meetings, meeting_room;
    struct ncs_map meeting_at; /* communicator, ranks and number -> index + 1 */
    struct ncs_map count;      /* a rank's sequence of numbered deeds -> its length */
    struct ncs_map sent;       /* communicator, target, origin -> signals that no wait has taken */

    struct ncs_map entered; /* rehearsal/contact.c */

    /* rehearsal/hosts.c */
    struct ncs_hosts hosts;
    struct ncs_map splits; /* rank of a communicator -> its splits so far; call -> its number among them; split -> the
                              * number of ranks, from 0 on, that have come */
};

/* A key of a rehearsal's map, from up to four words. */
static inline uint64_t ncs_rehearsal_key(int64_t a, int64_t b, int64_t c, int64_t d)
{
    uint64_t hash = ncs_hash(ncs_hash(ncs_hash(ncs_hash(0, (uint64_t)a), (uint64_t)b), (uint64_t)c), (uint64_t)d);
    return hash ? hash : 1;
}

/* Asks the deed's function, not its call's: an inserted answer is a receive whose model is a send. */
static inline bool ncs_deed_is_pair(const struct ncs_deed *d)
{
    return ncs_fn_info[d->fn].pair;
}

static inline bool ncs_deed_is_one_sided(const struct ncs_deed *d)
{
    return ncs_call_is_one_sided(d->call);
}

/* launch: index + 1; 0 = there is none, so nothing has to be waited for. */
static inline bool ncs_launch_is_done(const struct ncs_rehearsal *p, size_t launch)
{
    return !launch || p->launch[launch - 1].done;
}

/* ---- players (rehearsal/cast.c) ---- */

/* The course that makes the calls of a rank of a communicator, + 1; 0 = no course has. */
size_t ncs_cast_owner(const struct ncs_cast *cast, int comm, int comm_rank);
/* Makes players for all courses. A change separates its rank from ranks that do not change alike. */
void ncs_rehearsal_cast(struct ncs_rehearsal *p);
/* The rank of the troupe's member on the deed's communicator. */
int ncs_rehearsal_seat(const struct ncs_rehearsal *p, const struct ncs_deed *d, size_t member);
/* The nth course of a member. */
size_t ncs_rehearsal_course(const struct ncs_rehearsal *p, const struct ncs_troupe *t, size_t member, size_t nth);

/* ---- courses that may make any call (rehearsal/free.c) ---- */

/* The course has reached its end, and goes on beyond its known steps. */
void ncs_rehearsal_set_free(struct ncs_rehearsal *p, struct ncs_player *l);
/* True if the course that makes the calls of a rank of a communicator is free. If no course has made any, any course of
 * the rank may make them. */
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

/* The launch was just enqueued: passes look at it from now on or, once the launches before it are done, from then on. */
void ncs_rehearsal_await(struct ncs_rehearsal *p, size_t launch);
/* A pass looks at launches in the order of enqueueing. *launch gets the next; false = the pass is over. */
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

/* Plays the course until it waits or ends. */
void ncs_rehearsal_play_course(struct ncs_rehearsal *p, struct ncs_player *l);

#endif
