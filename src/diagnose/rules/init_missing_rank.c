/* Ranks wait to join a communicator for others that never do. */
#include "diagnose/rule.h"

#include "base/mem.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!ncs_is_joining(r))
        return false;
    const struct ncs_need *n = r->need;
    for (size_t i = 0; i < n->absents; i++)
        if (n->absent[i].rank >= 0)
            ncs_add_culprit(d, n->absent[i].rank, 0, 0);
    if (!d->f.culprits)
        ncs_blame_present(d, n);
    ncs_fill_need(q, d, n, 0);
    int *absent = ncs_absent_comm_ranks(n), nranks = ncs_nranks_wanted(q, n);
    size_t real = 0; /* those of them who exist; the others are too high a number */
    while (real < n->absents && (nranks <= q->ranks || absent[real] < q->ranks))
        real++;
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "%zu of %d ranks joined %s with %s, ", (size_t)nranks - n->absents, nranks,
                 ncs_comm_name(q, n->comm), n->call ? ncs_fn_info[n->call->fn].name : "a call");
    ncs_say_ranks(&s, absent, n->absents);
    ncs_str_add(&s, " did not");
    if (real < n->absents)
        ncs_str_addf(&s, ": nranks = %d, but only %d rank%s exist%s", nranks, q->ranks,
                     q->ranks == 1 ? "" : "s", q->ranks == 1 ? "s" : "");
    d->f.why = ncs_str_take(&s);
    if (real < n->absents) {
        ncs_str_addf(&s, "pass nranks = %d", q->ranks);
        if (n->call)
            ncs_say_place(&s, n->call);
        ncs_str_addf(&s, ", or run with %d ranks", nranks);
    }
    if (real && n->comm >= 0 && n->call && n->call->fn == NCS_FN_ncclCommGrow) {
        ncs_say_growth(q, n, absent, real, &s);
    } else if (real) {
        ncs_str_add(&s, real < n->absents ? "; make the call" : "make the call");
        if (n->call)
            ncs_say_place(&s, n->call);
        ncs_str_add(&s, " as ");
        ncs_say_ranks(&s, absent, real);
        ncs_str_add(&s, " too, with the same id");
    }
    d->f.fix = ncs_str_take(&s);
    ncs_free(absent);
    return true;
}

const struct ncs_rule ncs_rule_init_missing_rank = { .match = match };
