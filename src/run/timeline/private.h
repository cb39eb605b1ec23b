/* Data that the files of the timeline share. */
#ifndef NCS_TIMELINE_PRIVATE_H
#define NCS_TIMELINE_PRIVATE_H

#include "base/map.h"
#include "run/timeline/timeline.h"

struct ncs_timeline_private {
    int64_t (*now)(void);
    size_t hosts_room, devices_room, matches_room, marks_room;
    struct ncs_map by_call;   /* id of a call -> index of its host span + 1 */
    struct ncs_map by_serial; /* serial of an operation -> index of its device span + 1 */
    struct ncs_map on_device; /* id of a call -> index of its device span + 1 */
    struct ncs_map last_step; /* id of a call that moves in steps -> struct step */
    struct ncs_map ahead;     /* hash of a pair of ranks -> struct ahead */
};

/* The device span that executes the call; false when none is known. */
bool timeline_span_of(const struct ncs_timeline *t, const struct ncs_call *call, size_t *span);
void timeline_free_meetings(struct ncs_timeline *t);

#endif
