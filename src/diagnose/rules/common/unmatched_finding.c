/* Shared by the rules about a send or a receive without a counterpart: send-without-recv,
 * recv-without-send. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

bool ncs_left_alone(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_comm_info *comm = q->journal->comm[r->unmet->comm];
    int left = 0;
    for (int i = 0; i < comm->nranks && i < comm->members; i++)
        left += (comm->member[i].gone && !comm->member[i].released) || ncs_tears_down(q, r->unmet->comm, i);
    return r->unmet->kind == NCS_UNMET_PAIR && r->unmet->call && comm->nranks > 2 && left == 1 &&
           r->absent[0]->reason == NCS_ABSENT_DESTROYED;
}

bool ncs_is_alone(const struct ncs_cause *r, bool send)
{
    return r->kind == NCS_CAUSE_ABSENT && r->absents && r->unmet->kind == NCS_UNMET_PAIR && r->unmet->call &&
           ncs_is_send(r->unmet->call) == send && r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}

/* How many sends (or receives) the two ranks made for this pair: each rank's own calls are
 * counted. */
static size_t count_pairwise(const struct ncs_analysis *q, int comm, int from, int to, bool sends)
{
    const struct ncs_member *m = &q->journal->comm[comm]->member[sends ? from : to];
    size_t n = 0;
    for (const struct ncs_call *c = m->first; c; c = c->next_counted)
        n += ncs_call_is_pair(c) && ncs_is_send(c) == sends && ncs_call_peer(c) == (sends ? to : from);
    return n;
}

static void format_alone(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    const struct ncs_unmet *n = r->unmet;
    const struct ncs_call *c = r->excess ? r->excess : n->call;
    bool send = ncs_is_send(c);
    int peer = r->absent[0]->rank;
    size_t sends = count_pairwise(q, n->comm, n->src, n->dst, true);
    size_t recvs = count_pairwise(q, n->comm, n->src, n->dst, false);
    ncs_str_addf(s, "rank %d %s rank %d", c->rank, send ? "sends to" : "receives from", peer);
    ncs_format_place(s, c);
    size_t made = send ? recvs : sends, needed = send ? sends : recvs;
    const char *verb = send ? "receives from" : "sends to";
    if (made == 0)
        ncs_str_addf(s, ", but rank %d never %s it", peer, verb);
    else
        ncs_str_addf(s, ", but rank %d %s it only %zu time%s, and %zu %s needed", peer, verb, made, made == 1 ? "" : "s", needed,
                     needed == 1 ? "is" : "are");
}

/* The call is one too many: it is blamed itself, and not the rank that does not answer it. */
static void fill_excess(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *c = r->excess;
    ncs_add_culprit(d, c->rank, c->number, c->place.line);
    ncs_fill_unmet(q, d, r->unmet, c->number);
    ncs_set_title(q, d, c);
    struct ncs_str s = { 0 };
    format_alone(q, r, &s);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "leave out the call");
    ncs_format_place(&s, c);
    ncs_str_addf(&s, " on rank %d", c->rank);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    d->f.evidence = ncs_plain(ncs_copy_text("without this one call every call has its answer"));
}

/* True if only this rank makes a call at the place, while others make calls of its kind elsewhere:
 * then the call may be one too many, and its peer innocent. So the finding is only likely. */
static bool made_by_one(const struct ncs_analysis *q, const struct ncs_call *call)
{
    bool others = false;
    const struct ncs_comm_info *comm = q->journal->comm[call->comm];
    for (int i = 0; i < comm->nranks && i < comm->members; i++)
        for (const struct ncs_call *c = comm->member[i].first; c && i != call->comm_rank; c = c->next_counted) {
            if (c->place.line == call->place.line && c->place.file == call->place.file)
                return false;
            others |= c->fn == call->fn;
        }
    return others && call->place.line > 0;
}

bool ncs_one_alone(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, bool send)
{
    if (!ncs_is_alone(r, send) || ncs_left_alone(q, r))
        return false;
    if (r->excess) {
        fill_excess(q, r, d);
        return true;
    }
    const struct ncs_call *c = r->unmet->call;
    for (size_t i = 0; i < r->absents; i++)
        ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
    ncs_fill_unmet(q, d, r->unmet, c->number);
    struct ncs_str s = { 0 };
    format_alone(q, r, &s);
    bool empty = ncs_call_count(c) == 0;
    if (empty)
        ncs_str_addf(&s, "; a call of 0 elements waits for its %s too", send ? "receive" : "send");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "let rank %d %s rank %d%s", r->absent[0]->rank, send ? "receive from" : "send to", c->rank,
                 empty ? ", with 0 elements" : "");
    ncs_add_fact(&s, ncs_fact_sentence("group", ncs_say_own_group(q, r->absent[0])));
    ncs_str_add(&s, ", or leave out the call");
    ncs_format_place(&s, c);
    ncs_str_addf(&s, " on rank %d", c->rank);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    if (made_by_one(q, c))
        d->f.certainty = NCS_LIKELY;
    return true;
}
