/* Two calls were exchanged on some ranks. */
#include "diagnose/rule.h"

#include "base/mem.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    struct ncs_parting found, *p = &found;
    if (!ncs_parts(q, r, NCS_PARTING_SWAPPED, p))
        return false;
    int comm = ncs_parting_comm(r);
    ncs_fill_parting(q, r, comm, p, d);
    const struct ncs_call *own = ncs_call_at(q, comm, p->odd[0], p->at);
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    if (p->even)
        own = ncs_call_at(q, comm, p->model == p->odd[0] ? p->odd[p->odds - 1] : p->odd[0], p->at);
    struct ncs_str s = { 0 };
    char *a = ncs_describe(own), *b = ncs_describe(model);
    ncs_str_addf(&s, "calls %u and %u are exchanged: call %u is %s", (unsigned)p->number,
                 (unsigned)p->other, (unsigned)p->number, a);
    ncs_say_place(&s, own);
    ncs_str_addf(&s, " on rank %d and %s", own->rank, b);
    ncs_say_place(&s, model);
    ncs_str_addf(&s, " on rank %d, and call %u is the other one", model->rank, (unsigned)p->other);
    d->f.why = ncs_str_take(&s);
    if (p->even)
        ncs_str_addf(&s, "make calls %u and %u in the same order on every rank",
                     (unsigned)p->number, (unsigned)p->other);
    else {
        ncs_str_add(&s, "on ");
        ncs_say_odd(q, &s, comm, p);
        ncs_str_addf(&s, ", make the call at line %d after the one that is now call %u",
                     own->place.line, (unsigned)p->other);
    }
    d->f.fix = ncs_str_take(&s);
    ncs_free(a);
    ncs_free(b);
    ncs_free(p->odd);
    return true;
}

const struct ncs_rule ncs_rule_swapped_calls = { .match = match };
