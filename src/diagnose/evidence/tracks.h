/* Tracks: for each call of a rank on a communicator, the line that makes it, the allocations
 * that it uses and the rank's actions before it. evidence/call_sites.c compares them.
 * Private to this room. */
#ifndef NCS_DIAGNOSE_EVIDENCE_TRACKS_H
#define NCS_DIAGNOSE_EVIDENCE_TRACKS_H

#include "diagnose/analysis.h"

#define NCS_TRACK_KINDS NCS_EVIDENCE_BETWEEN

struct ncs_track_evidence {
    uint64_t of[NCS_TRACK_KINDS]; /* by kind of evidence, from NCS_EVIDENCE_LINE on */
    uint64_t power;               /* the factor to the power of the number of actions in between: the hash of two
                                   * stretches together is the first times this plus the second */
};

struct ncs_track_memory {
    uintptr_t base;
    uint64_t bytes, is; /* is: equal for the same allocation of other ranks */
};

struct ncs_track { /* of one rank of the communicator */
    bool wanted;
    int comm_rank, rank; /* rank: of the run */
    struct ncs_track_evidence *evidence; /* by index in its sequence */
    size_t count, held;
    uint64_t between, power;
    struct ncs_track_memory *memory;
    size_t memories, memory_room;
    struct ncs_map made_at; /* line -> allocations there so far */
};

struct ncs_records { /* of the journal, by rank of the run; sorted once somebody asks for them */
    const struct ncs_call **call; /* NULL = not sorted yet; each rank's calls in a row */
    size_t *end;                  /* by rank: one past its last call */
};

struct ncs_tracks {
    const struct ncs_analysis *q;
    struct ncs_records *records;
    int comm;
    struct ncs_track *of; /* by rank of the communicator */
};

void ncs_records_free(struct ncs_records *records); /* the contents */
struct ncs_tracks ncs_tracks_open(const struct ncs_analysis *q, struct ncs_records *records, int comm);
void ncs_tracks_want(struct ncs_tracks *all, int comm_rank); /* nothing, if its rank of the run is not known */
void ncs_tracks_read(struct ncs_tracks *all);                /* the wanted ones */
void ncs_tracks_close(struct ncs_tracks *all);

#endif
