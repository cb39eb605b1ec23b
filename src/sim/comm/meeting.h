/* Meetings: where the parts of one collective, or a send and its receive, come together. Decides when a
 * meeting is complete, which disagreement lets it complete, and moves the data. */
#ifndef NCS_SIM_MEETING_H
#define NCS_SIM_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "api/snapshot.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/data/spans.h"
#include "sim/kernel/above.h"

struct comm;

struct meeting {
    struct comm *comm;
    bool pair;
    int src, dst;       /* of a pair */
    struct ncs_map *in; /* of the communicator; it is there by this key */
    uint64_t key;
    int expected, arrived;
    bool broken; /* some part left: it never matches */
    enum ncs_stuck stuck;
    int cut[2];            /* NCS_STUCK_LINK: the ranks at its ends */
    struct part **part;    /* by rank; for a pair: send, then receive; NULL = absent */
    struct part *both[2];  /* those of a pair */
    unsigned char *bounce; /* of a pair: the bytes of a send that ran ahead */
    size_t bounce_bytes;
    struct spans unwritten; /* of these bytes */
    bool composed_sent;     /* its parts belong to a composed call */
    size_t agenda_place;    /* 0 = not there */
    bool running_ahead;     /* the send ends at its event, even without a receive */
    struct matrix *matrix;  /* of an all-to-all that is whole; else NULL */
    struct meeting *previous, *next;
};

/* Adds an empty meeting to one of the communicator's maps. */
struct meeting *sim_meeting_new(struct comm *comm, struct ncs_map *in, uint64_t key);
void sim_meeting_free(struct meeting *meeting);
/* A part, which came at that time, takes its place; the meeting may match. */
void sim_meeting_arrive(struct part *part, int64_t at);
struct meeting *sim_meeting_of_pair(const struct comm *comm, int src, int dst, uint64_t sequence); /* NULL = none */
/* Removes a part from a meeting that has not matched; the meeting then never matches. */
void sim_meeting_leave(struct part *part);
/* The same for a part that is about to be freed although its meeting has matched. */
void sim_meeting_forget(struct part *part);
/* Copies the data that the part moves; a planted fault may corrupt them. */
void sim_part_copy(const struct part *p, void *to, const void *from, size_t bytes);
/* True if a send of at most so many bytes waits for its receive. */
bool sim_meetings_lone_send(const struct comm *comm, uint64_t limit);
void sim_meetings_free(struct comm *comm);

#endif
