/* What a rule looks at and what it fills. Private to this room. */
#ifndef NCS_DIAGNOSE_RULE_H
#define NCS_DIAGNOSE_RULE_H

#include "diagnose/inquiry.h"

enum ncs_root_kind {
    NCS_ROOT_ABSENT,   /* a meeting to which somebody will never come */
    NCS_ROOT_DIFFER,   /* calls met that disagree */
    NCS_ROOT_CYCLE,
    NCS_ROOT_POLL,     /* only polls in vain */
    NCS_ROOT_NOTICE,   /* a crash or a fault */
    /* From here on what is found is a note, not the cause. */
    NCS_ROOT_LABELS,   /* nothing hangs, but by their labels calls were exchanged */
    NCS_ROOT_ORDER,    /* nothing hangs, but ranks launched two communicators in opposite order */
    NCS_ROOT_LATER,    /* behind calls that disagree: somebody has made fewer of them, too */
    NCS_ROOT_LEFT,     /* left over at the end of a rank */
};

/* What has no cause further back. Which members are set depends on the kind. */
struct ncs_root {
    enum ncs_root_kind kind;
    const struct ncs_need *need;       /* ABSENT, CYCLE (one of it), DIFFER of a hang */
    const struct ncs_absent **absent;  /* ABSENT: those of one reason */
    size_t absents;
    const struct ncs_call *const *call; /* DIFFER; of ORDER two of one rank, two of the other */
    size_t calls;
    int *path;                         /* CYCLE: nodes */
    size_t length;
    const struct ncs_notice *notice;
    int comm;                          /* LABELS, LATER, LEFT */
    int rank, depth, line;             /* LEFT, of a group left open: by whom; rank -1: none */
};

/* Whether the rule explains the root; if so the draft is filled but for rule and level. */
typedef bool ncs_rule_match(const struct ncs_inquiry *q, const struct ncs_root *r,
                            struct ncs_draft *d);

ncs_rule_match ncs_rule_rank_lost, ncs_rule_error_path, ncs_rule_zero_count, ncs_rule_group_end,
    ncs_rule_abort, ncs_rule_destroy;
ncs_rule_match ncs_rule_extra_call, ncs_rule_skipped_call, ncs_rule_swapped_calls;
ncs_rule_match ncs_rule_wrong_peer, ncs_rule_send_alone, ncs_rule_recv_alone, ncs_rule_p2p_count;
ncs_rule_match ncs_rule_signal_missing, ncs_rule_signal_setup, ncs_rule_signal_cycle;
ncs_rule_match ncs_rule_kind, ncs_rule_root, ncs_rule_dtype, ncs_rule_count, ncs_rule_op;
ncs_rule_match ncs_rule_init_clash, ncs_rule_one_thread, ncs_rule_init_missing;
/* Calls of two communicators on one device that two ranks made in opposite order, in a run that ended
 * all the same: fills call[4]. */
bool ncs_opposite_order(const struct ncs_inquiry *q, const struct ncs_call **call);
ncs_rule_match ncs_rule_wrong_comm, ncs_rule_opposite_order, ncs_rule_comm_order;
ncs_rule_match ncs_rule_p2p_cycle, ncs_rule_host_wait;
ncs_rule_match ncs_rule_fault, ncs_rule_crash, ncs_rule_livelock, ncs_rule_waiting;
ncs_rule_match ncs_rule_never_destroyed, ncs_rule_link;

/* Findings on their way (drafts.c). */
struct ncs_drafts {
    struct ncs_draft *draft;
    size_t count, room;
};

void ncs_free_finding(struct ncs_finding *f); /* the contents */
/* Takes the draft; one that tells of the same mistake is merged with it. */
void ncs_drafts_add(const struct ncs_inquiry *q, struct ncs_drafts *all, struct ncs_draft *d);
void ncs_drafts_sort(struct ncs_drafts *all); /* the cause first */

/* To a finding about somebody who is missed in a part of a split: who gave which color (parts.c). */
void ncs_add_colors(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d);
/* Who joins with another size, or as the same rank as another: blames them and says so (joiners.c). */
bool ncs_joiners_clash(const struct ncs_inquiry *q, const struct ncs_need *n, struct ncs_draft *d,
                       struct ncs_str *why, struct ncs_str *fix);
/* What those who are missed at a growth have to call: old ranks and new ones. */
void ncs_say_growth(const struct ncs_inquiry *q, const struct ncs_need *n, const int *absent,
                    size_t count, struct ncs_str *s);
/* Common to findings about a need: call, title, rows, blocked ranks. Culprits come before. */
void ncs_fill_need(const struct ncs_inquiry *q, struct ncs_draft *d, const struct ncs_need *need,
                   uint32_t call);
/* Where in the path of a ring its telling begins. */
size_t ncs_first_place(const struct ncs_inquiry *q, const struct ncs_root *r);
void ncs_fill_cycle(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d);
/* The ranks of the run that are at the meeting. The caller's. */
int *ncs_present_ranks(const struct ncs_inquiry *q, const struct ncs_need *need, size_t *count);
/* The parting of the root's communicator, if it is no later than the root's own calls. */
const struct ncs_parting *ncs_parting_of(const struct ncs_inquiry *q, const struct ncs_root *r);

#endif
