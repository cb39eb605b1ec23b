/* The send and receive buffers of a call overlap, but not in the way in which NCCL works in
 * place. */
#include "diagnose/rules/rule.h"

#include "api/types.h"

struct extent {
    uintptr_t at;
    size_t bytes;
};

/* In place means (user guide: in-place operations): the smaller buffer is the rank's own block
 * of the larger one, at rank * count; equal buffers are the same. An all-to-all has no in-place
 * form. */
static bool is_in_place(const struct ncs_call *c, struct extent in, struct extent out, size_t block)
{
    size_t own = (size_t)c->comm_rank * block;
    if (in.bytes == out.bytes)
        return in.at == out.at && c->fn != NCS_FN_ncclAlltoAll;
    return in.bytes < out.bytes ? in.at == out.at + own : out.at == in.at + own;
}

static bool overlaps(const struct ncs_analysis *q, const struct ncs_call *c)
{
    const void *send = ncs_call_sendbuff(c), *recv = ncs_call_recvbuff(c);
    if (!send || !recv || c->comm < 0 || ncs_failed(c))
        return false;
    int nranks = q->journal->comm[c->comm]->nranks;
    size_t block, count = ncs_call_count(c), reads = ncs_call_reads(c, nranks), writes = ncs_call_writes(c, nranks);
    if (!reads || !writes || !count || nranks < 2 || ncs_call_dtype(c) < 0 ||
        __builtin_mul_overflow(count, ncs_dtype_bytes(ncs_call_dtype(c)), &block))
        return false;
    struct extent in = { (uintptr_t)send, 0 }, out = { (uintptr_t)recv, 0 };
    if (__builtin_mul_overflow(block, reads, &in.bytes) || __builtin_mul_overflow(block, writes, &out.bytes))
        return false;
    bool apart = in.at < out.at ? out.at - in.at >= in.bytes : in.at - out.at >= out.bytes;
    /* A buffer that is too small reaches into others by chance: that is another mistake. */
    return !apart && !is_in_place(c, in, out, block) && ncs_in_one_memory(q, c, send, in.bytes, recv, out.bytes);
}

static size_t block_of(const struct ncs_call *c)
{
    return ncs_call_count(c) * ncs_dtype_bytes(ncs_call_dtype(c));
}

static void buffer_overlap_fill(const struct ncs_analysis *q, const struct ncs_call *c, struct ncs_draft *d)
{
    int nranks = q->journal->comm[c->comm]->nranks;
    size_t reads = ncs_call_reads(c, nranks), writes = ncs_call_writes(c, nranks);
    intptr_t by = (intptr_t)ncs_call_sendbuff(c) - (intptr_t)ncs_call_recvbuff(c);
    d->f.why = ncs_say(buffer_overlap_why, ncs_fact_call("call", q->journal, c), ncs_fact_number("by", by < 0 ? -by : by),
                       ncs_fact_is("before", by < 0), ncs_fact_number("own", c->comm_rank),
                       ncs_fact_is("in_place", reads != writes && by % (intptr_t)block_of(c) == 0));
    d->f.fix = ncs_say(buffer_overlap_fix, ncs_fact_is("never", reads == writes && c->fn == NCS_FN_ncclAlltoAll),
                       ncs_fact_is("block", reads != writes), ncs_fact_is("less_sent", reads < writes),
                       ncs_fact_number("count", (int64_t)ncs_call_count(c)), ncs_fact_number("own", c->comm_rank),
                       ncs_fact_number("element", c->comm_rank * (int64_t)ncs_call_count(c)));
    d->f.evidence = ncs_say(buffer_overlap_evidence);
    d->f.certainty = NCS_UNDEFINED;
    ncs_set_call(q, d, c);
}

static bool is_earlier(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->number != b->number ? a->number < b->number : a->comm_rank < b->comm_rank;
}

/* Reports the earliest such call, and blames all ranks whose buffers overlap in it. */
static bool buffer_overlap_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_BUFFERS)
        return false;
    const struct ncs_call *first = NULL;
    for (size_t i = 0; i < q->comm[r->comm].may_overlap.count; i++) {
        const struct ncs_call *c = q->comm[r->comm].may_overlap.of[i];
        if ((!first || is_earlier(c, first)) && overlaps(q, c))
            first = c;
    }
    if (!first)
        return false;
    buffer_overlap_fill(q, first, d);
    for (int m = 0; m < q->journal->comm[r->comm]->members; m++) {
        const struct ncs_call *c = ncs_journal_call(q->journal, r->comm, m, first->number);
        if (c && overlaps(q, c))
            ncs_add_culprit(d, c->rank, c->number, c->place.line);
    }
    return true;
}

const struct ncs_rule ncs_rule_buffer_overlap = { .match = buffer_overlap_match, .ground = NCS_GROUND_MISUSE };
