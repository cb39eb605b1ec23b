/* Why a result is not verified. Every one that is not has one of these reasons, and reports name it; the
 * page `unverified` of `explain` has them all. */
#ifndef NCS_API_UNVERIFIED_H
#define NCS_API_UNVERIFIED_H

enum ncs_unverified {
    NCS_FIT,           /* nothing speaks against it */
    NCS_UNVERIFIED_OFF,
    NCS_UNVERIFIED_ASKED,
    NCS_UNVERIFIED_DISAGREEMENT,
    NCS_UNVERIFIED_CUT_SHORT,
    NCS_UNVERIFIED_FREED,
    NCS_UNVERIFIED_ROOM,
    NCS_UNVERIFIED_WINDOW,
    NCS_UNVERIFIED_UNPAIRED,
    NCS_UNVERIFIED_TYPE,
    /* Of real hardware, where results are verified from copies. */
    NCS_UNVERIFIED_ONE_SIDED,
    NCS_UNVERIFIED_IN_PROGRESS,
    NCS_UNVERIFIED_SHARED_STREAM,
    NCS_UNVERIFIED_BUSY,
    NCS_UNVERIFIED_COPY,
    NCS_UNVERIFIED_REASONS
};

const char *ncs_unverified_name(enum ncs_unverified why); /* "ranks-disagree" */
/* "the ranks passed different arguments": goes behind "not verified: ". */
const char *ncs_unverified_text(enum ncs_unverified why);

#endif
