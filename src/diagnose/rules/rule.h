/* The input and the output of rules. Private to this room. */
#ifndef NCS_DIAGNOSE_RULES_RULE_H
#define NCS_DIAGNOSE_RULES_RULE_H

#include "diagnose/hazard/hazard.h"
#include "diagnose/analysis.h"

/* The kinds of causes that rules are asked about. */
enum ncs_cause_kind {
    NCS_CAUSE_ABSENT,    /* an unmet wait to which some ranks will never come */
    NCS_CAUSE_DIFFER,    /* calls met that disagree */
    NCS_CAUSE_CYCLE,     /* unmet waits in a cycle */
    NCS_CAUSE_POLL,      /* ranks poll for something that cannot happen */
    NCS_CAUSE_NOTICE,    /* a crash or a fault */
    NCS_CAUSE_HAZARD,    /* memory that is used without order */
    NCS_CAUSE_LOST,      /* a fault stopped every rank */
    NCS_CAUSE_ELSEWHERE, /* a call that the others made on another communicator */
    NCS_CAUSE_HOSTS,     /* a barrier, key or thread that a host has more, less or otherwise than
                         * hosts like it */
    NCS_CAUSE_FAILED,    /* calls that failed alike on several ranks; uncaught, and no
                         * rank waits for them */
    /* Findings about the following kinds are notes, not errors (ncs_draft_take). */
    NCS_CAUSE_LABELS,        /* no hang, but by their labels or results calls were exchanged */
    NCS_CAUSE_ORDER,         /* no hang, but ranks launched calls of two communicators in opposite order */
    NCS_CAUSE_THREADS,       /* the run as a whole: calls of threads that nothing orders */
    NCS_CAUSE_GONE,          /* the run as a whole: calls on communicators that their ranks had destroyed */
    NCS_CAUSE_PARTS,         /* the run as a whole: calls that name a rank that its part does not have */
    NCS_CAUSE_WINDOWS,       /* a communicator's windows, compared between ranks */
    NCS_CAUSE_MESSAGES,      /* a communicator's sends and receives, compared in pairs */
    NCS_CAUSE_OPERATORS,     /* a communicator's pre-mul-sums */
    NCS_CAUSE_BUFFERS,       /* the buffers of a communicator's calls */
    NCS_CAUSE_LATER,         /* behind calls that disagree: some ranks also left calls out */
    NCS_CAUSE_LEFT,          /* a communicator or an open group that is left over when a rank ends */
    NCS_CAUSE_FOREIGN,       /* a buffer of another device */
    NCS_CAUSE_UNUSED,        /* a fault whose call never came */
    NCS_CAUSE_LOST_RESOURCE, /* what nobody will free */
    NCS_CAUSE_STALE,         /* memory freed while something refers to it */
    NCS_CAUSE_SETTING,       /* a variable of the environment that processes do not share */
    NCS_CAUSE_INEXACT,       /* a result that is NCCL's but lost precision */
    NCS_CAUSE_RETYPED,       /* a reduction of a buffer that has another type */
    NCS_CAUSE_UNWRITTEN,     /* memory that nothing has written is used */
    NCS_CAUSE_GROUPS,        /* ranks group the same calls differently */
};

struct ncs_explanation; /* explanation/explain.h */

/* How ranks differ in their groups (rules/common/groupings.c). */
enum ncs_grouping_how {
    NCS_GROUPING_FUSED,    /* collectives of one communicator in one group, and not in one */
    NCS_GROUPING_EXCHANGE, /* a send and a receive in one group, their counterparts not in one */
    NCS_GROUPING_COMMS,    /* collectives of two communicators in one group, and not in one */
    NCS_GROUPING_ORDER,    /* collectives of two communicators in opposite order, in a group */
    NCS_GROUPING_MIXED,    /* a message and a collective in opposite order, in a group */
};

struct ncs_grouping {
    enum ncs_grouping_how how;
    const struct ncs_call *call[4]; /* two of a group, in their order; what another rank made of them, in its order */
    const struct ncs_call **odd;    /* a call of each rank that does otherwise than most; if tied, of all. None: the
                                     * ranks of call[0] and call[2] alone are concerned */
    size_t odds;
    bool tied;
};

/* A cause that has no further cause behind it. The kind decides which members are set. */
struct ncs_cause {
    enum ncs_cause_kind kind;
    struct ncs_why asked;                         /* why about this cause and no other of the hang */
    const char *rule;                             /* the only rule that is asked; NULL = all, by ground */
    const struct ncs_unmet *unmet;                /* ABSENT, CYCLE (any of its waits), DIFFER of a hang */
    const struct ncs_absent **absent;             /* ABSENT: the ranks that are absent for one reason */
    const struct ncs_call_divergence *divergence; /* ABSENT: NULL = as found for the communicator */
    size_t absents;
    const struct ncs_call *const *call; /* DIFFER, FAILED; ORDER: two of each rank */
    size_t calls;
    int *path; /* CYCLE: nodes of the wait graph, each waits for the next */
    size_t length;
    const struct ncs_notice *notice;
    const struct ncs_call *excess;       /* ABSENT, from an explanation: the extra call; else NULL */
    const struct ncs_grouping *grouping; /* GROUPS */
    const struct ncs_explanation *hosts; /* HOSTS: the explanation that found it */
    const struct ncs_edit *edit;         /* from an explanation; NULL = the rule makes the edits */
    size_t edits;
    int comm;              /* LABELS, LATER, LEFT, WINDOWS, MESSAGES, OPERATORS, BUFFERS */
    int rank, depth, line; /* LEFT: the rank with an open group, how many groups, and the
                                        * line; rank -1 = no group */
};

/* True if the rule explains the cause. Then it has filled the draft, except rule and level. On
 * false the draft may be filled in part; the caller frees it. */
typedef bool ncs_rule_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);

/* The kind of evidence by which a rule finds the cause, the strongest first (diagnose/README.md, rule 9). */
enum ncs_ground {
    NCS_GROUND_NOTICED,  /* the machine noticed it: a crash, an access, memory without order, a cut link, an id
                          * that the store lost */
    NCS_GROUND_MISUSE,   /* a call that is wrong whatever the others do */
    NCS_GROUND_RECORD,   /* the missed rank's own record: it failed, was lost, aborted,
                          * left a group open */
    NCS_GROUND_INSTEAD,  /* a call with a wrong communicator or peer, or in another's place */
    NCS_GROUND_MORE,     /* a call that the others did not make */
    NCS_GROUND_LEFT,     /* a communicator destroyed before others' calls. Before FEWER: it
                          * explains all missed calls at once */
    NCS_GROUND_FEWER,    /* a call that the others made, and the rank did not */
    NCS_GROUND_ORDER,    /* calls in different orders, where no rank is known to be wrong */
    NCS_GROUND_DISAGREE, /* calls that met and differ */
    NCS_GROUND_WAITS,    /* which rank waits for which */
    NCS_GROUND_HOSTS,    /* waits between hosts: any call may be the reason */
    NCS_GROUND_NOTHING,  /* only that ranks wait */
    NCS_GROUNDS
};

struct ncs_rule { /* ncs_rule_<name> of rules/<name>.c, or a row of rules/rows.def */
    ncs_rule_match *match;
    enum ncs_ground ground;
    bool by_title; /* findings that blame the same ranks are one only if they have one title */
};

struct ncs_drafts;
/* Takes a draft that is filled except for rule and level. The level is an error's, unless the cause
 * is of a note's kind (rules/common/judge.c). */
void ncs_draft_take(const struct ncs_analysis *q, const struct ncs_cause *r, const char *rule, struct ncs_draft *d,
                    struct ncs_drafts *all);
/* Asks the rules about the cause; the matching rule with the strongest ground fills the draft.
 * False = no rule matches. */
bool ncs_judge(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_drafts *all);

/* Ask the rules about the machine's notices, about the hang (rules/common/causes.c), and about all
 * else (rules/common/leftovers.c). */
void ncs_judge_notices(const struct ncs_analysis *q, struct ncs_drafts *all);
void ncs_judge_hang(const struct ncs_analysis *q, struct ncs_drafts *all);
void ncs_judge_rest(const struct ncs_analysis *q, struct ncs_drafts *all);

/* Finds calls of two communicators on one device that two ranks made in opposite order, in a run
 * that nevertheless ended. Fills call[4] (rules/common/opposite_order.c). */
bool ncs_opposite_order(const struct ncs_analysis *q, const struct ncs_call **call);

/* Asks about calls that ranks group differently, except in hangs of the simulator (rules/common/groupings.c). */
void ncs_judge_groupings(const struct ncs_analysis *q, struct ncs_drafts *all);
void ncs_fill_grouping(const struct ncs_analysis *q, const struct ncs_grouping *g,
                       struct ncs_draft *d); /* all but the fix (rules/common/grouping_finding.c) */

/* The findings of one reading while they are collected (rules/common/drafts.c). */
struct ncs_drafts {
    struct ncs_draft *draft;
    size_t count, room;
    bool journal_speaks; /* a rule has found something in the journal alone */
};

void ncs_free_finding(struct ncs_finding *f); /* the contents */
/* Takes over the draft's contents; drafts about the same mistake are merged. */
void ncs_drafts_add(const struct ncs_analysis *q, struct ncs_drafts *all, struct ncs_draft *d);
void ncs_drafts_sort(struct ncs_drafts *all); /* the cause first */
/* True if both blame the same ranks. Culprits are in ascending order in every finding. */
bool ncs_same_culprits(const struct ncs_finding *a, const struct ncs_finding *b);

/* Each rank's call that makes the nth split of the parent; NULL if it is not known. The caller
 * frees the list (rules/common/uneven_split.c). */
const struct ncs_call **ncs_split_calls(const struct ncs_analysis *q, int parent, uint32_t nth);
/* "ranks 0, 1 gave 0, rank 2 gave 1" */
struct ncs_sentence *ncs_say_colors(const struct ncs_call *const *call, int count);
/* Adds the ranks' colors to a finding about a rank that is missed in a part of a split
 * (rules/common/uneven_split.c). */
void ncs_add_colors(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);
/* Blames ranks that join with another size, or as the same rank as another; fills why and fix
 * (rules/common/joiners.c). */
bool ncs_joiners_clash(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d);
/* Blames ranks that join with an id from another key than the others at their place, or with a rank
 * number that another one has, too. Fills all but the repair (rules/common/id_keys.c). */
bool ncs_took_wrong_id(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_draft *d);
/* The calls that the missed ranks of a growth must make: old ranks and new ones. */
struct ncs_sentence *ncs_say_growth(const struct ncs_analysis *q, const struct ncs_unmet *n, const int *absent, size_t count);

/* The pair of a notice (STALE) whose memory the failed put of this notice writes to; NULL = none
 * (rules/freed_while_registered.c). */
const struct ncs_call *const *ncs_stale_target(const struct ncs_analysis *q, const struct ncs_notice *fault);

/* ---- calls that failed (rules/common/failed_call_origin.c) ---- */

enum ncs_failing { /* why a call failed, in the order of checks */
                   NCS_FAILING_VERSION,
                   NCS_FAILING_SAME_DEVICE,
                   NCS_FAILING_REUSED_ID,
                   NCS_FAILING_NULL_COMM,
                   NCS_FAILING_EXCLUDED,
                   NCS_FAILING_IN_PROGRESS,
                   NCS_FAILING_NO_OPERATOR,
                   NCS_FAILING_OWN, /* none of these: a wrong argument, or an error inside the library */
};

/* Adds to `why` the evidence of earlier calls, if any, beginning with "; ", and to
 * `fix` the repair. */
enum ncs_failing ncs_format_failing(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_str *why,
                                    struct ncs_str *fix);
/* True if the library's message for the failed call contains the words. Messages differ between versions, so they only support
 * what the code and the calls show. */
bool ncs_message_has(const struct ncs_call *call, const char *words);
/* Adds what is wrong with the failed call itself, and the advice. `earlier` is not looked at. */
void ncs_format_own_mistake(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                            struct ncs_str *why, struct ncs_str *fix);
/* True if the cause is a failed call (FAILED) for that reason. Then it has filled everything. */
bool ncs_failed_because(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, enum ncs_failing failing);

/* ---- the edits that remove a finding (repair/repair.c, repair_*.c, words/edits.c) ---- */

/* Adds edits to a filled finding, by its rule; none if no change of calls alone repairs it. */
void ncs_repairs(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);
/* Adds the edit to a finding about a wrong peer: the call, and the call that it should match.
 * `turned`: the call must also become the counterpart of its kind. */
void ncs_repair_peer(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *wrong,
                     const struct ncs_call *wants, bool turned);
/* Adds the edit to a finding about a wrong communicator: the call, and the number of the right
 * one. */
void ncs_repair_comm(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *wrong, int comm);
/* Adds the edit that exchanges two calls of a rank on one communicator. */
void ncs_repair_swap(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_call *a, const struct ncs_call *b);
char *ncs_format_edit(const struct ncs_analysis *q, const struct ncs_edit *e);

/* ---- ranks that will never come to an unmet wait (rules/common/missing_rank.c) ---- */

/* The ranks of the run that are at the meeting. The caller frees the list. */
int *ncs_present_ranks(const struct ncs_analysis *q, const struct ncs_unmet *unmet, size_t *count);
/* Fills the parts that all findings about an unmet wait share: call, title, rows, blocked ranks.
 * Add culprits before. */
void ncs_fill_unmet(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_unmet *unmet, uint32_t call);
/* Makes the missed ranks culprits, without a call or a line, for calls that they never made. */
void ncs_blame_absent(const struct ncs_cause *r, struct ncs_draft *d);
/* Fills all but why and fix. The missed ranks are culprits; the call is theirs if they made one in
 * vain. */
void ncs_fill_absent(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);
/* True if the cause is an absence for a reason from the first to the last. */
bool ncs_is_because(const struct ncs_cause *r, enum ncs_reason first, enum ncs_reason last);
/* True if the cause is an absence from a meeting of the kind, and the absent ranks no longer make
 * the call or are elsewhere. */
bool ncs_lacks(const struct ncs_cause *r, enum ncs_unmet_kind kind);
struct ncs_fact ncs_fact_absent(const struct ncs_cause *r); /* "absent": the missed ranks */
/* The ranks that are at the meeting. */
struct ncs_fact ncs_fact_present(const char *name, const struct ncs_analysis *q, const struct ncs_unmet *unmet);
struct ncs_fact ncs_fact_before(const struct ncs_analysis *q,
                                const struct ncs_cause *r); /* "before": " before call 3 on world" */
/* "waits": "; ranks 0, 1, 3 wait for it in AllReduce float32 x 1024 sum at line 9". `several`: "for them". Not there if nobody
 * waits. */
struct ncs_fact ncs_fact_waits(const struct ncs_analysis *q, const struct ncs_unmet *unmet, bool several);
/* Fills the draft, except the fix: "rank 1 aborted world at line 13 after 2 calls; ...". `how`: "aborted" "revoked" "destroyed". */
void ncs_fill_left(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const char *how);

/* On real hardware, where the wait in a destroy is concluded: makes the finding likely, and says what else may hold the ranks.
 * call: some ranks wait in it, and others have not made it; NULL = there is none. */
void ncs_doubt_teardown(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_draft *d);

/* ---- calls in graphs (rules/common/launched.c) ---- */

/* Adds to `why` where the graphs were launched whose calls the finding is about, and to `fix` that a launch makes the call;
 * takes back edits of these calls. */
void ncs_add_launches(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);

/* ---- steps of hosts (explanation/finding_host.c) ---- */

/* True if the cause is a step of hosts (HOSTS). Then it has filled everything. */
bool ncs_fill_hosts(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);

/* ---- calls left out, made in excess, exchanged (rules/common/divergent_calls.c) ---- */

/* The divergence of the cause's communicator, if it is no later than the cause's own calls; NULL =
 * none. */
const struct ncs_call_divergence *ncs_divergence_of(const struct ncs_analysis *q, const struct ncs_cause *r);
/* True if the cause's divergence is of this kind. Then the caller frees out->minority. */
bool ncs_is_divergence(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_divergence_how how,
                       struct ncs_call_divergence *out);
int ncs_divergence_comm(const struct ncs_cause *r); /* the communicator of its divergence */
/* Fills all but why and fix: the minority are culprits, the title is the majority's call at the
 * divergence. */
void ncs_fill_divergence(const struct ncs_analysis *q, const struct ncs_cause *r, int comm, const struct ncs_call_divergence *p,
                         struct ncs_draft *d);
const struct ncs_call *ncs_call_at(const struct ncs_analysis *q, int comm, int comm_rank, uint32_t position);
/* True if both calls exist and have the same signature and label. */
bool ncs_same_call(const struct ncs_call *a, const struct ncs_call *b);
/* "gaps": "calls 3, 6 at line 7 (grad 1)", the calls of p->gaps; not there if it has none. comm_rank: a rank that made them. */
struct ncs_fact ncs_fact_gaps(const struct ncs_analysis *q, int comm, int comm_rank, const struct ncs_call_divergence *p);
enum { NCS_MOVED_FAR = 16 }; /* the longest distance, in calls, over which a call is exchanged or moved */
bool ncs_never_called(const struct ncs_cause *r);
/* Another unmet wait of the communicator at which the absent rank waits; NULL = none. */
const struct ncs_unmet *ncs_own_other(const struct ncs_analysis *q, const struct ncs_unmet *n, const struct ncs_absent *a);
/* "wait": " too", or " before it waits in barrier() at line 9" for a rank that may still intend the call. */
struct ncs_fact ncs_fact_before_wait(const struct ncs_analysis *q, const struct ncs_cause *r, bool several);

/* ---- arguments of others at the same place (rules/common/siblings.c) ---- */

/* A fact about a call that must be the same on every rank. */
typedef int64_t ncs_fact_of(const struct ncs_call *call);

/* How many calls at the same place and in the same round other ranks made, which did not meet these
 * calls. */
struct ncs_siblings {
    size_t alike, other; /* with the same value; with another value */
};

struct ncs_sibling_search;
struct ncs_sibling_search *ncs_siblings_open(const struct ncs_analysis *q, const struct ncs_cause *met);
void ncs_siblings_close(struct ncs_sibling_search *s);
struct ncs_siblings ncs_siblings_of(struct ncs_sibling_search *s, const struct ncs_call *call, ncs_fact_of *get);

/* ---- calls that met and disagree (rules/common/disagreement.c) ---- */

/* The call's operator; ncclNumOps = a pre-mul-sum, whose handle differs by rank. */
int64_t ncs_op_of(const struct ncs_call *c);

/* The order of checks: the first fact that differs names the rule. */
enum ncs_call_fact {
    NCS_FACT_KIND,
    NCS_FACT_ROOT,
    NCS_FACT_DTYPE,
    NCS_FACT_COUNT,
    NCS_FACT_OP,
};

/* True if the calls disagree in this fact. Then it has filled all but the repair. */
bool ncs_mismatch(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, enum ncs_call_fact which,
                  const char *noun);
/* Adds what becomes of the bytes if calls that reduce nothing disagree in their type alone. Always true. */
bool ncs_add_bytes(const struct ncs_cause *r, struct ncs_draft *d);
/* Adds the advice "give the same root: rank 3 (line 8) is the odd one", without a rank if all are
 * blamed. Always true, so that a rule is one expression. */
const char *ncs_count_advice(const struct ncs_analysis *q, const struct ncs_cause *r);
bool ncs_advise_minority(const struct ncs_cause *r, struct ncs_draft *d, const char *what);
void ncs_fill_calls(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const struct ncs_call *title);
/* True if a send met a receive. If one of them met a part of an all-to-all, the calls are of
 * different kinds, and this is false. */
bool ncs_is_exchange(const struct ncs_cause *r);

/* ---- sends and receives without a counterpart (rules/common/unmatched_finding.c) ---- */

/* True if the cause is a send (or receive) whose counterpart the missed rank never makes. */
bool ncs_is_alone(const struct ncs_cause *r, bool send);
/* True if the missed rank alone, of three or more, has destroyed the communicator: it left too
 * early and did not skip a message. */
bool ncs_left_alone(const struct ncs_analysis *q, const struct ncs_cause *r);
/* True if ncs_is_alone() and not ncs_left_alone(). Then it has filled the draft. */
bool ncs_one_alone(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, bool send);

/* ---- cycles (rules/common/cycle.c) ---- */

/* Step i of a cycle: the waiting rank, its call, and the rank that it waits for. */
struct ncs_cycle_wait {
    int rank, other;
    const struct ncs_unmet *unmet;
    const struct ncs_call *call;
};

struct ncs_cycle_kinds { /* what the unmet waits of a cycle are, and on how many communicators */
    size_t pairs, collectives, signals, gates, comms;
    size_t ends; /* of collectives: destroys */
    bool sends, recvs;
};

struct ncs_cycle_wait ncs_cycle_wait_at(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i);
struct ncs_cycle_kinds ncs_cycle_kinds_of(const struct ncs_analysis *q, const struct ncs_cause *r);
/* The place in a cycle's path at which its text begins. */
size_t ncs_first_place(const struct ncs_analysis *q, const struct ncs_cause *r);
/* odd: the ranks to blame; NULL or none = those that could break the cycle, else all. */
struct ncs_odd_order;
void ncs_fill_cycle(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_odd_order *odd,
                    struct ncs_draft *d);
/* "rank 0 waits in call 1 on x at line 5 for rank 1, rank 1 waits in ..." from a filled draft. The
 * caller frees it. */
struct ncs_sentence *ncs_say_cycle(const struct ncs_draft *d);

/* ---- who comes to the waits of a cycle in another order (rules/common/odd_order.c) ---- */

/* One rank's two calls, in its order. */
struct ncs_odd_rank {
    int rank;
    const struct ncs_call *first; /* NULL = it has no number, or is not known */
    int comm, comm_rank;          /* of the other one */
    uint32_t number;              /* the other one's; 0 = it has none */
};

/* The ranks that come to two waits of a cycle in one order, while more ranks come to them in the opposite order. */
struct ncs_odd_order {
    struct ncs_odd_rank *rank; /* ascending */
    size_t ranks, rank_room;
    int *other; /* those that have the opposite order, ascending */
    size_t others, other_room;
    int *rival; /* of the others, those that meet at both waits themselves */
    size_t rivals, rival_room;
    struct ncs_why why;
    const struct ncs_unmet *first, *second; /* what `rank` comes to first and second; NULL = of several pairs of waits */
    bool tied;                              /* as many ranks have the opposite order */
    bool by_siblings; /* the ranks that meet at these waits do not show it; ranks of like communicators do */
    bool as_before;   /* the order of `rank` is the one that all ranks had the time before */
};

/* The caller calls ncs_odd_order_free(). */
struct ncs_odd_order ncs_odd_order_of(const struct ncs_analysis *q, const struct ncs_cause *r);
void ncs_odd_order_free(struct ncs_odd_order *o);
struct ncs_fact ncs_fact_odd(const char *name, const struct ncs_odd_order *o); /* the ranks to blame */

/* ---- joining a communicator (rules/common/join_finding.c) ---- */

/* True if the cause is a communicator that ranks wait to join. */
bool ncs_is_joining(const struct ncs_cause *r);
int ncs_nranks_wanted(const struct ncs_analysis *q, const struct ncs_unmet *n);
void ncs_blame_present(struct ncs_draft *d, const struct ncs_unmet *n);
int *ncs_absent_comm_ranks(const struct ncs_unmet *n); /* one for each absent; the caller's */

/* ---- memory that is used without order (rules/common/unordered.c) ---- */

/* Returns the hazard if the cause is one of this kind. Then it has filled all but why and fix. */
const struct ncs_hazard *ncs_hazard_of(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_hazard_kind kind,
                                       struct ncs_draft *d);
/* True if one wait at the right place orders both pairs. */
bool ncs_one_wait_mends(const struct ncs_hazard *a, const struct ncs_hazard *b);
struct ncs_fact ncs_fact_at(const char *name, const struct ncs_hazard *h); /* the ranks that meet the hazard */
/* "call 2 on world (AllReduce float32 x 4 sum) at line 7", "the copy at line 9" */
struct ncs_sentence *ncs_say_use(const struct ncs_analysis *q, const struct ncs_call *call);
struct ncs_sentence *ncs_say_does(unsigned does, struct ncs_fact who); /* "overwrites", "read"; `who` is named "who" */
/* That the later use is in the legacy stream because it names none: why nothing orders it. NULL = it is not. */
struct ncs_sentence *ncs_say_default_stream(const struct ncs_analysis *q, const struct ncs_hazard *h);
/* A send and its receive move as many bytes, but of different types (rules/p2p_count_mismatch.c). */
bool ncs_pair_types_differ(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d);
/* The advice for the place between the earlier and the later use. */
struct ncs_sentence *ncs_say_wait_between(const struct ncs_analysis *q, const struct ncs_hazard *h);
/* Adds the edit that synchronises the stream after the earlier use, if that is a communication. */
void ncs_repair_by_sync(struct ncs_draft *d, const struct ncs_hazard *h);

/* ---- right results that lost precision (rules/common/inexact.c) ---- */

/* Returns the result if the cause is one of this kind (an average of integers, or not); has then
 * filled all but the fix. */
const struct ncs_notice_inexact *ncs_inexact_of(const struct ncs_analysis *q, const struct ncs_cause *r, bool integer_average,
                                                struct ncs_draft *d);

/* ---- what the machine noticed (rules/common/machine_notice.c) ---- */

/* Fills all but the fix; takes over `what`: "touches memory that it may not touch". */
void ncs_fill_notice(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, struct ncs_sentence *what);

#endif
