/* Why a result is not verified. Every unverified result has one of these reasons, which reports
 * name; the page `unverified` of `explain` lists them. */
#ifndef NCS_API_UNVERIFIED_H
#define NCS_API_UNVERIFIED_H

enum ncs_unverified {
    NCS_FIT, /* the result can be verified */
    NCS_UNVERIFIED_OFF,
    NCS_UNVERIFIED_ASKED,
    NCS_UNVERIFIED_DISAGREEMENT,
    NCS_UNVERIFIED_CUT_SHORT,
    NCS_UNVERIFIED_FREED,
    NCS_UNVERIFIED_ROOM,
    NCS_UNVERIFIED_WINDOW,
    NCS_UNVERIFIED_UNPAIRED,
    NCS_UNVERIFIED_TYPE,
    NCS_UNVERIFIED_KERNEL, /* only of programs under exec */
    /* Only on real hardware, where verification uses copies. */
    NCS_UNVERIFIED_ONE_SIDED,
    NCS_UNVERIFIED_IN_PROGRESS,
    NCS_UNVERIFIED_SHARED_STREAM,
    NCS_UNVERIFIED_BUSY,
    NCS_UNVERIFIED_COPY,
    NCS_UNVERIFIED_REASONS
};

const char *ncs_unverified_name(enum ncs_unverified why); /* "ranks-disagree" */
/* "the ranks passed different arguments": follows "not verified: ". */
const char *ncs_unverified_text(enum ncs_unverified why);

#endif
