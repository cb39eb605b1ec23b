/* Parties: a process may drive several ranks of one communicator, a device each, from one thread or
 * from several. The diagnosis then calls each of them, a process and one of its devices, a party.
 * Private to this room, except for what findings contain (finding.h).
 *
 * The rules do not know about parties (diagnose/README.md, rule 3). If no process drives two ranks of a communicator,
 * none of this happens. */
#ifndef NCS_DIAGNOSE_PARTY_H
#define NCS_DIAGNOSE_PARTY_H

#include "base/map.h"
#include "diagnose/finding.h"

/* A thread, and the parties that it drives. */
struct ncs_driver {
    int rank, thread;
    int device; /* the device that it has chosen last; -1 = none */
    int *made;  /* the parties for which it has ever made calls, ascending */
    size_t mades, made_room;
    int *drives; /* the parties that it drives now: no other thread made a later call for them */
    size_t drive, drive_room;
};

/* Parties have the numbers of the first communicator that contains all of them, as its ranks;
 * otherwise they are numbered by process and device. A process as such, device -1, comes behind
 * them and has the threads that drive no rank. */
struct ncs_parties {
    const struct ncs_journal *journal;
    const struct ncs_snapshot *snap;
    struct ncs_party *of;
    size_t count, room;
    int **member; /* by communicator and rank in it: its party, -1 = none */
    struct ncs_driver *driver;
    size_t drivers, driver_room;
    struct ncs_map at;    /* rank and thread -> driver + 1 */
    struct ncs_map found; /* rank and device -> party + 1 */
};

/* False = every rank is one party, and there is nothing to free. */
bool ncs_parties_read(const struct ncs_journal *journal, const struct ncs_snapshot *snap, struct ncs_parties *out);
/* True if both belong to one process; p NULL: every rank is a process. */
static inline bool ncs_parties_share(const struct ncs_parties *p, int a, int b)
{
    return a == b || (p && a >= 0 && b >= 0 && p->of[a].rank == p->of[b].rank);
}
/* If exactly one rank has joined from no known process, finds its process by the places of threads
 * (graph/newcomers.c). */
void ncs_parties_settle(struct ncs_parties *p);
/* The process of a party; p NULL: every rank is a process. */
static inline int ncs_process_of_party(const struct ncs_parties *p, int party)
{
    return p && party >= 0 && (size_t)party < p->count ? p->of[party].rank : party;
}
void ncs_parties_free(struct ncs_parties *p);
int ncs_party_of_member(const struct ncs_parties *p, int comm, int comm_rank); /* -1 = nobody's */
int ncs_party_of_device(const struct ncs_parties *p, int rank, int device);    /* -1 = none */
/* The process as such; one is made where there is none. */
int ncs_party_of_process(struct ncs_parties *p, int rank);
/* NULL = the thread has made no call and has no context. */
const struct ncs_driver *ncs_driver_of(const struct ncs_parties *p, int rank, int thread);

/* ---- spawned threads (graph/spawns.c) ---- */

/* The step that spawned the thread; NULL = none is recorded. The rank is a process. */
const struct ncs_host_step *ncs_spawn_of(const struct ncs_journal *j, int rank, int thread);
/* True if the step spawns a thread at that place. */
bool ncs_spawns_at(const struct ncs_host_step *h, const struct ncs_place *place);
/* How many threads the process has spawned at that place. */
int ncs_spawned_at(const struct ncs_journal *j, const struct ncs_place *place, int rank);

/* ---- the run as if each party were a process (course/recast.c) ---- */

struct ncs_recast {
    struct ncs_journal journal;
    struct ncs_snapshot snap;
    struct ncs_notice *notice; /* as many as there were */
    size_t notices;
    struct ncs_recast_private *own;
};

void ncs_recast_open(struct ncs_parties *p, const struct ncs_notice *notice, size_t notices, struct ncs_recast *out);
void ncs_recast_close(struct ncs_recast *r);

/* ---- names (words/parties.c) ---- */

/* Replaces parties in the rules' results by words for users, and by processes in edits. */
void ncs_name_parties(const struct ncs_parties *p, struct ncs_diagnosis *d);

#endif
