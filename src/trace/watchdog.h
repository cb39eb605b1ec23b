/* Shared by the files that read the lines of PyTorch's watchdog and of its report of a desync: how far each rank came
 * in each process group. */
#ifndef NCS_TRACE_WATCHDOG_H
#define NCS_TRACE_WATCHDOG_H

#include "trace/reader.h"

/* A rank in a group; -1 = not said. */
struct watch_rank {
    int rank, self;     /* of the run; of the group */
    int64_t made, over; /* numbers of the last enqueued and the last completed collective */
    int64_t late;       /* of the first that ran out of time */
    int line;
    const char *path; /* of its first line */
};

/* A collective that ran out of time on a rank. */
struct watch_late {
    int group; /* index; -1 = not said */
    int rank, self;
    int64_t seq;
    int fn; /* -1 = not said, or of a kind that is not known */
    uint64_t count;
    bool sized;
    int line;
    const char *path;
    size_t next; /* of its group, index + 1 */
};

struct watch_group {
    char *name, *desc; /* desc: NULL = not said */
    struct watch_rank *of;
    size_t ranks, room;
    struct ncs_map at; /* rank + 1 -> index + 1 */
    size_t late;       /* the last collective that ran out of time, index + 1 */
};

struct watchdog {
    struct record *record;
    struct ncs_error *err;
    struct watch_group *group;
    size_t groups, room;
    struct ncs_map group_at; /* hash of a name -> index + 1 */
    struct watch_late *late;
    size_t lates, late_room;
    size_t pairs;    /* sends and receives that ran out of time */
    size_t homeless; /* collectives that ran out of time in a group that no line tells */
    bool again;      /* a rank counts from the start again: several runs in one log */
};

int ncs_watch_group(struct watchdog *w, const char *name, const char *desc); /* its index; added if need be */
struct watch_rank *ncs_watch_rank(struct watch_group *g, int rank);          /* added if need be */

/* Adds the calls of the ranks that no better source has. */
bool ncs_watch_join(struct watchdog *w);

#endif
