/* A send and its receive move different numbers of bytes; or as many, of different types, which is another rule's name. */
#include "diagnose/rules/rule.h"

#include "api/types.h"
#include "base/mem.h"

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

/* The advice to change either side, or only the side that is known to be wrong. The caller frees
 * it. */
static char *counts_of(const struct ncs_call *send, const struct ncs_call *recv, const struct ncs_call *unlike)
{
    struct ncs_str s = { 0 };
    bool types = ncs_call_dtype(send) != ncs_call_dtype(recv);
    for (int i = 0; i < 2; i++) {
        const struct ncs_call *change = i ? send : recv, *model = i ? recv : send;
        if (unlike && change != unlike)
            continue;
        ncs_str_addf(&s, "%slet rank %d %s ", s.bytes ? ", or " : "", change->rank, i ? "send" : "receive");
        if (types)
            ncs_str_addf(&s, "%s x ", ncs_dtype_name(ncs_call_dtype(model)));
        ncs_str_addf(&s, "%zu", ncs_call_count(model));
        if (!types)
            ncs_str_addf(&s, " instead of %zu", ncs_call_count(change));
        ncs_format_place(&s, change);
        ncs_str_addf(&s, ", as rank %d %s", model->rank, i ? "receives" : "sends");
    }
    return ncs_str_take(&s);
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
    if (unlike)
        d->f.evidence = ncs_plain(ncs_copy_text("by what other ranks pass at these lines in the same round"));
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d sends %zu bytes", send->rank, out);
    ncs_format_place(&s, send);
    ncs_str_addf(&s, ", rank %d receives %zu bytes", recv->rank, in);
    ncs_format_place(&s, recv);
    if (in > out)
        ncs_str_addf(&s, ": it waits for %zu bytes that never come", in - out);
    else if (in < out)
        ncs_str_addf(&s, ": %zu bytes are never taken", out - in);
    else
        ncs_str_add(&s, ": as many bytes, but of another type");
    if (other) {
        ncs_str_add(&s, "; the receive fits what is sent");
        ncs_format_place(&s, other);
        ncs_str_add(&s, ", and that one's fits this send: they are received the other way round");
        d->f.evidence = ncs_plain(ncs_copy_text("by the sizes, which fit when two receives are exchanged"));
    }
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(other ? ncs_text("let rank %d receive in the order in which rank %d sends: messages of "
                                          "two ranks are paired by their order alone",
                                          recv->rank, send->rank)
                               : counts_of(send, recv, unlike));
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
