/* A send and its receive move different amounts, or the same of another type. */
#include "diagnose/rule.h"

#include "api/types.h"

static bool match(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_DIFFER || !ncs_is_exchange(r))
        return false;
    bool first = ncs_is_send(r->call[0]);
    const struct ncs_call *send = r->call[!first], *recv = r->call[first];
    size_t out = ncs_call_count(send) * ncs_dtype_bytes(ncs_call_dtype(send));
    size_t in = ncs_call_count(recv) * ncs_dtype_bytes(ncs_call_dtype(recv));
    ncs_add_culprit(d, send->rank, send->number, send->place.line);
    ncs_add_culprit(d, recv->rank, recv->number, recv->place.line);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "rank %d sends %zu bytes", send->rank, out);
    ncs_say_place(&s, send);
    ncs_str_addf(&s, ", rank %d receives %zu bytes", recv->rank, in);
    ncs_say_place(&s, recv);
    if (in > out)
        ncs_str_addf(&s, ": it waits for %zu bytes that never come", in - out);
    else if (in < out)
        ncs_str_addf(&s, ": %zu bytes are never taken", out - in);
    else
        ncs_str_add(&s, ": as many bytes, but of another type");
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("let rank %d receive what rank %d sends: the same count and type",
                        recv->rank, send->rank);
    ncs_fill_calls(q, r, d, r->call[0]->rank <= r->call[1]->rank ? r->call[0] : r->call[1]);
    d->remark = in == out; /* NCCL moves bytes and compares no types */
    if (d->remark)
        d->f.certainty = NCS_CERTAIN;
    return true;
}

const struct ncs_rule ncs_rule_p2p_count_mismatch = { .match = match };
