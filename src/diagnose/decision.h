/* Why a finding won: each comparison that ranks two causes, or chooses whom to blame, has a name, and notes its own place in the
 * condition that decides (NCS_BY). The finding that it favours keeps both. With ncs_decisions_kept the finding also keeps what
 * was weighed, a line each, for --debug=diagnosis. */
#ifndef NCS_DIAGNOSE_DECISION_H
#define NCS_DIAGNOSE_DECISION_H

#include <stdbool.h>

#include "base/str.h"

enum ncs_decision {
    NCS_DECIDED_NOTHING,
#define NCS_DECISION(id, name, text) NCS_DECIDED_##id,
#include "diagnose/decisions.def"
#undef NCS_DECISION
    NCS_DECISIONS
};

struct ncs_why { /* a comparison, and where the code makes it */
    enum ncs_decision decision;
    const char *file;
    int line;
};
#define NCS_WHY(id) ((struct ncs_why){ NCS_DECIDED_##id, __FILE__, __LINE__ })
/* The comparison; if it is true, *why has its name and its place. So the place is the line that decides. An id of decisions.def
 * is cited in one function only (tests/explain/decisions.sh); NOTHING: a comparison without a name. */
#define NCS_BY(why, id, comparison) ((comparison) && NCS_AT(why, id))
/* Beside a comparison that decides either way. */
#define NCS_AT(why, id) (*(why) = NCS_WHY(id), true)

extern bool ncs_decisions_kept; /* set it before the first run; off, no text is made */

const char *ncs_decision_name(enum ncs_decision decision);
const char *ncs_decision_text(enum ncs_decision decision);

struct ncs_finding;
/* Notes that the comparison decided for the finding. The last one stands, but the rule's own comes before its ground. The text
 * says what was compared. */
#define ncs_decided(f, by, ...) ((f)->decided = (by).decision, ncs_weighed(f, by, __VA_ARGS__))
/* Notes that the finding, decided before, stays the cause by this comparison with an explanation that passed its trial. */
#define ncs_kept(f, by, ...) ((f)->kept = (by).decision, ncs_weighed(f, by, __VA_ARGS__))
/* Notes all that was weighed for the finding in whose place f comes. */
void ncs_weighed_loser(struct ncs_finding *f, const struct ncs_finding *loser);
/* Notes what a comparison weighed for a finding, or for the diagnosis. */
#define ncs_weighed(of, by, ...) ncs_weighed_by(&(of)->weighed, by, __VA_ARGS__)
void ncs_weighed_by(struct ncs_str *weighed, struct ncs_why by, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* "candidate 3, skipped-call": the finding's rule, behind the number of the candidate that it puts into words, if it does. */
void ncs_format_candidate(struct ncs_str *out, const struct ncs_finding *f);

#endif
