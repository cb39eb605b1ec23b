/* Why a finding won: each comparison that ranks two causes, or chooses whom to blame, has a name, and notes it in the finding
 * that it favours. With ncs_decisions_kept the finding also keeps what was weighed, a line each, for --debug=diagnosis. */
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
/* Each id of decisions.def is cited once, beside its comparison (tests/explain/decisions.sh). */
#define NCS_WHY(id) ((struct ncs_why){ NCS_DECIDED_##id, __FILE__, __LINE__ })

extern bool ncs_decisions_kept; /* set it before the first run; off, no text is made */

const char *ncs_decision_name(enum ncs_decision decision);
const char *ncs_decision_text(enum ncs_decision decision);

struct ncs_finding;
/* Notes that the comparison decided for the finding. The last one stands, but the rule's own comes before its ground. The text
 * says what was compared. */
void ncs_decided(struct ncs_finding *f, struct ncs_why why, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Notes that the finding, decided before, stays the cause by this comparison with an explanation that passed its trial. */
void ncs_kept(struct ncs_finding *f, struct ncs_why why, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Notes all that was weighed for the finding in whose place f comes. */
void ncs_weighed_loser(struct ncs_finding *f, const struct ncs_finding *loser);
/* Notes what was weighed for a finding, or for the diagnosis, and did not decide. */
#define ncs_weighed(of, ...) ncs_weighed_at(&(of)->weighed, __FILE__, __LINE__, __VA_ARGS__)
void ncs_weighed_at(struct ncs_str *weighed, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
