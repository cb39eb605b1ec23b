/* Names of places, calls and ranks. They contain no times and no addresses, so that reports of equal runs are equal. */
#include "diagnose/analysis.h"

#include <string.h>

#include "base/mem.h"

char *ncs_text(const char *fmt, ...)
{
    struct ncs_str s = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&s, fmt, args);
    va_end(args);
    return ncs_str_take(&s);
}

const char *ncs_comm_name(const struct ncs_analysis *q, int comm)
{
    if (comm < 0 || (size_t)comm >= q->journal->comms || !q->journal->comm[comm]->name)
        return "?";
    return q->journal->comm[comm]->name;
}

char *ncs_describe(const struct ncs_call *call)
{
    struct ncs_str s = { 0 };
    ncs_call_describe(call, &s);
    return s.text ? ncs_str_take(&s) : ncs_copy_text(ncs_fn_info[call->fn].name);
}

const char *ncs_function_name(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (call->unsaid & NCS_UNSAID_KIND)
        return "collective";
    return info->lua_name && !call->by_c_name ? info->lua_name : info->name;
}

/* The context as which the thread waits, which may be that of another rank. */
static const struct ncs_snap_context *stand_of(const struct ncs_analysis *q, int context)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    return c->held_by ? &q->snap->context[c->held_by - 1] : c;
}

const char *ncs_context_function(const struct ncs_analysis *q, int context)
{
    const struct ncs_snap_context *c = stand_of(q, context);
    for (size_t i = 0; i < c->waits; i++) {
        const struct ncs_snap_wait *w = &q->snap->wait[c->wait + i];
        if (w->kind == NCS_WAIT_GATE)
            return q->snap->gate[w->index].what;
    }
    if (c->call && !c->call->ending)
        return ncs_function_name(c->call);
    if (!c->call && ncs_polls(q, c))
        return "host poll";
    return c->state == NCS_CONTEXT_SLEEPING ? "sleep" : "end of script";
}

struct ncs_place ncs_context_place(const struct ncs_analysis *q, int context)
{
    const struct ncs_snap_context *c = &q->snap->context[context];
    return c->place.line || !c->call ? c->place : c->call->place;
}

static bool waits_at_gate(const struct ncs_analysis *q, const struct ncs_snap_context *c)
{
    for (size_t i = 0; i < c->waits; i++)
        if (q->snap->wait[c->wait + i].kind == NCS_WAIT_GATE)
            return true;
    return false;
}

int ncs_gate_line(const struct ncs_analysis *q, int rank)
{
    int found = -1;
    for (int i = ncs_first_context(q, rank); i >= 0; i = q->next_context[i]) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->state == NCS_CONTEXT_ENDED)
            continue;
        if (waits_at_gate(q, c))
            return ncs_context_place(q, i).line;
        found = found < 0 ? i : found;
    }
    return found < 0 ? 0 : ncs_context_place(q, found).line;
}

void ncs_format_place(struct ncs_str *s, const struct ncs_call *call)
{
    if (call->place.line)
        ncs_str_addf(s, " at line %d", call->place.line);
    if (call->label)
        ncs_str_addf(s, " (%s)", call->label);
}

void ncs_format_ranks(struct ncs_str *s, const int *ranks, size_t count)
{
    ncs_str_add(s, count == 1 ? "rank " : "ranks ");
    ncs_str_add_many_ranks(s, ranks, count);
}

struct ncs_sentence *ncs_say_own_group(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    const struct ncs_call *c = a->reason == NCS_ABSENT_ELSEWHERE && a->rank >= 0 ? ncs_grouped_wait(q, a->rank) : NULL;
    return c ? ncs_say(own_group, ncs_fact_call("call", q->journal, c)) : NULL;
}

void ncs_format_result(const struct ncs_call *call, struct ncs_str *s)
{
    ncs_str_addf(s, "failed with %s", ncs_result_name(call));
    size_t bytes = ncs_call_rare(call)->said ? strlen(ncs_call_rare(call)->said) : 0;
    if (bytes)
        ncs_str_addf(s, ": %.*s", (int)(bytes - (ncs_call_rare(call)->said[bytes - 1] == '.')), ncs_call_rare(call)->said);
}

struct ncs_fact ncs_fact_makers(const char *name, struct ncs_call *const *call, size_t calls)
{
    int *rank = ncs_new(calls * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < calls; i++)
        if (ranks == 0 || rank[ranks - 1] != call[i]->rank)
            rank[ranks++] = call[i]->rank;
    struct ncs_fact fact = ncs_fact_ranks(name, rank, ranks);
    ncs_free(rank);
    return fact;
}

struct ncs_fact ncs_fact_comm(const struct ncs_analysis *q, int comm)
{
    return ncs_fact_text("comm", ncs_comm_name(q, comm));
}

void ncs_add_fact(struct ncs_str *s, struct ncs_fact fact)
{
    fact.name = "text";
    struct ncs_sentence *only = ncs_say(plain, fact);
    ncs_str_add(s, ncs_sentence_text(only));
    ncs_sentence_free(only);
}
