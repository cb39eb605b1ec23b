/* Candidates for calls that met at one place of the program and disagree. A loop or a helper function
 * makes many calls there, so the place cannot tell a wrong argument from a call that the odd rank has
 * left out, or made too often, before: its calls are shifted then. */
#include "diagnose/explanation/explain.h"

#include "api/meeting.h"
#include "base/mem.h"

/* True if all calls were made at one place, of whatever function, as far as places are known, and
 * no label tells them apart. */
static bool is_of_one_place(const struct ncs_unmet *n)
{
    const struct ncs_call *first = NULL;
    for (size_t i = 0; i < n->presents; i++) {
        const struct ncs_call *c = n->present[i];
        bool known = !(c->unsaid & NCS_UNSAID_PLACE);
        if (c->label || (known && first && (c->place.line != first->place.line || c->place.file != first->place.file)))
            return false;
        first = known && !first ? c : first;
    }
    return n->presents > 1;
}

static bool are_alike(const struct ncs_call *a, const struct ncs_call *b)
{
    return ncs_calls_are_alike(a, b);
}

static size_t count_like(const struct ncs_unmet *n, const struct ncs_call *call)
{
    size_t like = 0;
    for (size_t i = 0; i < n->presents; i++)
        like += are_alike(n->present[i], call);
    return like;
}

/* The call of which most are there, apart from those like `but` (NULL = none): NULL = no other. */
static const struct ncs_call *commonest(const struct ncs_unmet *n, const struct ncs_call *but)
{
    const struct ncs_call *best = NULL;
    for (size_t i = 0; i < n->presents; i++) {
        const struct ncs_call *c = n->present[i];
        if ((but && are_alike(c, but)) || (best && are_alike(c, best)))
            continue;
        if (!best || count_like(n, c) > count_like(n, best))
            best = c;
    }
    return best;
}

/* All ranks whose call differs from `right` make that call before their own (kind: put in), or leave
 * their own out. */
static void shifted_try(struct ncs_explanations *s, const struct ncs_unmet *n, const struct ncs_call *right,
                        enum ncs_change_kind kind)
{
    struct ncs_explanation c = { .shifted = true };
    for (size_t i = 0; i < n->presents; i++) {
        struct ncs_change change;
        if (are_alike(n->present[i], right))
            continue;
        if (!ncs_candidate_leave_out(s, n->present[i], &change)) {
            ncs_candidate_free(&c);
            return;
        }
        change.kind = kind;
        if (kind == NCS_CHANGE_PUT_IN) {
            change.model = right;
            change.like = &s->courses.of[change.course].step[change.step];
        }
        ncs_candidate_add(&c, &change);
    }
    ncs_candidate_try(s, &c);
}

/* The commonest call is right; if two are as common, either may be. */
static void try_calls(struct ncs_explanations *s, const struct ncs_unmet *n)
{
    const struct ncs_call *right[2] = { commonest(n, NULL) };
    right[1] = commonest(n, right[0]);
    bool either = right[1] && count_like(n, right[1]) == count_like(n, right[0]);
    for (size_t k = 0; k <= either; k++) {
        shifted_try(s, n, right[k], NCS_CHANGE_PUT_IN);
        shifted_try(s, n, right[k], NCS_CHANGE_LEAVE_OUT);
    }
}

void ncs_candidates_shifted(struct ncs_explanations *s)
{
    enum { MOST_TRIED = 2 };
    for (size_t i = 0, tried = 0; i < s->q->unmets && tried < MOST_TRIED; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        if (n->kind != NCS_UNMET_STUCK || n->src >= 0 || n->comm < 0 || !is_of_one_place(n))
            continue;
        try_calls(s, n);
        tried++;
    }
}
