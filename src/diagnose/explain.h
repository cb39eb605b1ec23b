/* Explanations of a hang by what ranks did otherwise than those who do alike. Private to this room. */
#ifndef NCS_DIAGNOSE_EXPLAIN_H
#define NCS_DIAGNOSE_EXPLAIN_H

#include "diagnose/rule.h"

struct ncs_explanations;
struct ncs_explanation;

/* The cheapest ones first; NULL: none was found, or the run has what they know nothing of. */
struct ncs_explanations *ncs_explain_hang(const struct ncs_inquiry *q);
size_t ncs_explanations_count(const struct ncs_explanations *e);
const struct ncs_explanation *ncs_explanation_at(const struct ncs_explanations *e, size_t i);
void ncs_explanations_free(struct ncs_explanations *e); /* NULL is a no-op */

/* There is evidence for it beside that the ranks would go on: with it they do more alike than without, and no
 * other one is as cheap. */
bool ncs_explanation_is_likelier(const struct ncs_explanation *e);
/* Adds the finding; false: there are no words for it. */
bool ncs_explanation_say(const struct ncs_explanation *e, struct ncs_drafts *all);

#endif
