/* A send and its receive move different numbers of bytes; or as many, of different types, which is another rule's name. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

static size_t p2p_count_mismatch_bytes_of(const struct ncs_call *c)
{
    return ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c));
}

static const struct ncs_call *next_of_pair(const struct ncs_call *of)
{
    const struct ncs_call *c = of->next_counted;
    while (c && (c->fn != of->fn || ncs_call_peer(c) != ncs_call_peer(of)))
        c = c->next_counted;
    return c;
}

/* A later send of the pair whose size fits the receive, while its own receive fits this send: the
 * two receives are in the wrong order. NULL = none. */
static const struct ncs_call *exchanged_with(const struct ncs_call *send, const struct ncs_call *recv)
{
    enum { MOST_BETWEEN = 8 };
    const struct ncs_call *s = next_of_pair(send), *r = next_of_pair(recv);
    for (int i = 0; i < MOST_BETWEEN && s && r; i++) {
        if (p2p_count_mismatch_bytes_of(s) == p2p_count_mismatch_bytes_of(recv) &&
            p2p_count_mismatch_bytes_of(r) == p2p_count_mismatch_bytes_of(send))
            return s;
        s = next_of_pair(s);
        r = next_of_pair(r);
    }
    return NULL;
}

static int64_t p2p_count_mismatch_size_of(const struct ncs_call *c)
{
    return (int64_t)p2p_count_mismatch_bytes_of(c);
}

/* The call whose size differs from that of other ranks at its place, if the other call's size does
 * not; NULL = neither is known to be wrong. */
static const struct ncs_call *unlike_one(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    bool unlike[2], usual[2];
    struct ncs_sibling_search *search = ncs_siblings_open(q, r);
    for (int i = 0; i < 2; i++) {
        struct ncs_siblings s = ncs_siblings_of(search, r->call[i], p2p_count_mismatch_size_of);
        unlike[i] = !s.alike && s.other;
        usual[i] = s.alike && !s.other;
    }
    ncs_siblings_close(search);
    return unlike[0] && usual[1] ? r->call[0] : unlike[1] && usual[0] ? r->call[1] : NULL;
}

/* The advice to change either side, or only the side that is known to be wrong. */
static struct ncs_sentence *say_counts(const struct ncs_analysis *q, const struct ncs_call *send, const struct ncs_call *recv,
                                       const struct ncs_call *unlike)
{
    struct ncs_sentence *all = NULL;
    bool types = ncs_call_dtype(send) != ncs_call_dtype(recv);
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *change = i ? send : recv, *model = i ? recv : send;
        if (!unlike || change == unlike)
            all = ncs_say(p2p_count_change, ncs_fact_sentence("before", all), ncs_fact_call("call", q->journal, change),
                          ncs_fact_is("sends", i), ncs_fact_text("type", types ? ncs_dtype_name(ncs_call_dtype(model)) : NULL),
                          ncs_fact_number("count", (int64_t)ncs_call_count(model)),
                          ncs_fact_number("own", (int64_t)ncs_call_count(change)), ncs_fact_rank("model", model->rank));
    }
    return all;
}

/* `types`: only where the numbers of bytes are equal; otherwise only where they differ. */
static bool match_sizes(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, bool types)
{
    if (r->kind != NCS_CAUSE_DIFFER || !ncs_is_exchange(r))
        return false;
    bool first = ncs_is_send(r->call[0]);
    const struct ncs_call *send = r->call[!first], *recv = r->call[first];
    size_t out = p2p_count_mismatch_bytes_of(send), in = p2p_count_mismatch_bytes_of(recv);
    if ((in == out) != types)
        return false;
    const struct ncs_call *other = in == out ? NULL : exchanged_with(send, recv);
    const struct ncs_call *unlike = other ? NULL : unlike_one(q, r);
    if (unlike != recv)
        ncs_add_culprit(d, send->rank, send->number, send->place.line);
    if (unlike != send)
        ncs_add_culprit(d, recv->rank, recv->number, recv->place.line);
    if (unlike || other)
        d->f.evidence = ncs_say(p2p_count_mismatch_evidence, ncs_fact_is("other", other));
    d->f.why = ncs_say(p2p_count_mismatch_why, ncs_fact_call("send", q->journal, send), ncs_fact_call("recv", q->journal, recv),
                       ncs_fact_number("out", (int64_t)out), ncs_fact_number("in", (int64_t)in),
                       ncs_fact_number("lacking", in > out ? (int64_t)(in - out) : 0),
                       ncs_fact_number("left", in < out ? (int64_t)(out - in) : 0), ncs_fact_is("equal", in == out),
                       ncs_fact_call("other", q->journal, other));
    d->f.fix = ncs_say(p2p_count_mismatch_fix, ncs_fact_rank("receiver", recv->rank), ncs_fact_rank("sender", send->rank),
                       ncs_fact_sentence("counts", other ? NULL : say_counts(q, send, recv, unlike)));
    ncs_fill_calls(q, r, d, r->call[0]->rank <= r->call[1]->rank ? r->call[0] : r->call[1]);
    d->remark = types; /* NCCL moves bytes and does not compare types, but its guide demands one type (user guide: p2p) */
    if (types)
        d->f.certainty = NCS_UNDEFINED;
    else if (!unlike && !other && d->f.certainty == NCS_CERTAIN)
        d->f.certainty = NCS_LIKELY; /* the disagreement is certain, but not which side is wrong */
    return true;
}

static bool p2p_count_mismatch_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return match_sizes(q, r, d, false);
}

bool ncs_pair_types_differ(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    return match_sizes(q, r, d, true);
}

const struct ncs_rule ncs_rule_p2p_count_mismatch = { .match = p2p_count_mismatch_match, .ground = NCS_GROUND_DISAGREE };
