/* Keys and barriers in a rehearsal (rehearsal/hosts.c): the keys that are set, the visitors that
 * have arrived. Private to this room. */
#ifndef NCS_DIAGNOSE_COURSE_HOSTS_H
#define NCS_DIAGNOSE_COURSE_HOSTS_H

#include "base/map.h"
#include "diagnose/analysis.h"

struct ncs_barrier {
    const char *ranks; /* "ranks 0..3" */
    bool *listed;      /* by process */
    size_t *waiting;   /* by process: visitors that are not released */
    size_t members, present;
    struct ncs_visit *visit; /* those, in order */
    size_t visits, room;
};

struct ncs_hosts {
    struct ncs_map set;      /* hash of the key -> 1 */
    struct ncs_map visitors; /* id -> 1: waits, 2: is released */
    struct ncs_barrier *barrier;
    size_t barriers, room;
    int processes;
};

void ncs_hosts_open(const struct ncs_analysis *q, struct ncs_hosts *out);
void ncs_hosts_close(struct ncs_hosts *h);

void ncs_hosts_set(struct ncs_hosts *h, const char *key);
bool ncs_hosts_is_set(const struct ncs_hosts *h, const char *key);

/* The visitor arrives, perhaps again; returns true if it may go on. Copies of one thread's visit
 * have one id. free: by process, true if it may still arrive; NULL = none may. */
bool ncs_hosts_visit(struct ncs_hosts *h, const char *ranks, uint64_t id, int process, const bool *free);

#endif
