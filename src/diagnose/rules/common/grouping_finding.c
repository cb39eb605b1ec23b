/* The finding about calls that ranks group differently, or in another order. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static void grouping_format_call(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *c)
{
    char *what = ncs_describe(c);
    ncs_str_addf(s, "call %u on %s (%s)", (unsigned)c->number, ncs_comm_name(q, c->comm), what);
    ncs_format_place(s, c);
    ncs_free(what);
}

static bool is_one_group(const struct ncs_analysis *q, const struct ncs_call *const *call)
{
    return call[0]->group && call[1]->group && ncs_group_key(q, call[0]) == ncs_group_key(q, call[1]);
}

/* "rank 0 groups call 1 on world (...) at line 3 with call 2 on world (...) at line 4", or makes it "before" that. */
static void format_two(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *const *call, bool order)
{
    ncs_str_addf(s, "rank %d %s ", call[0]->rank, order ? "makes" : "groups");
    grouping_format_call(q, s, call[0]);
    ncs_str_add(s, order ? " before " : " with ");
    grouping_format_call(q, s, call[1]);
    ncs_str_add(s, order && is_one_group(q, call) ? " in one group" : "");
}

/* "rank 1 makes them one after the other at lines 7 and 9", or "the other way round". */
static void format_other_two(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *const *call, bool order)
{
    ncs_str_addf(s, "; rank %d makes them %s", call[0]->rank, order ? "the other way round" : "one after the other");
    if (call[0]->place.line && call[1]->place.line && call[0]->place.line != call[1]->place.line)
        ncs_str_addf(s, " at lines %d and %d", call[0]->place.line, call[1]->place.line);
    else
        ncs_format_place(s, call[0]);
    ncs_str_add(s, order && is_one_group(q, call) ? " in one group" : "");
}

void ncs_fill_grouping(const struct ncs_analysis *q, const struct ncs_grouping *g, struct ncs_draft *d, const char *why)
{
    bool order = g->how == NCS_GROUPING_ORDER || g->how == NCS_GROUPING_MIXED;
    for (size_t i = 0; i < g->odds; i++)
        ncs_add_culprit(d, g->odd[i]->rank, g->odd[i]->number, g->odd[i]->place.line);
    for (size_t i = 0; i < 4 && !g->odds; i += 2)
        ncs_add_culprit(d, g->call[i]->rank, g->call[i]->number, g->call[i]->place.line);
    struct ncs_str s = { 0 };
    format_two(q, &s, g->call, order);
    format_other_two(q, &s, g->call + 2, order);
    ncs_str_addf(&s, ": %s", why);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.evidence = ncs_plain(g->tied ? ncs_copy_text("neither is right by itself, so both are named")
                                      : ncs_copy_text("by the majority: most ranks do otherwise"));
    d->f.certainty = NCS_UNDEFINED;
    ncs_set_call(q, d, g->call[0]);
}
