/* Shared by the rules about memory that is used without order: the hazards that the machine's
 * notices carry. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static const struct {
    enum ncs_fn fn;
    const char *noun;
} nouns[] = {
    { NCS_FN_cudaMemset, "the fill" },         { NCS_FN_cudaMemsetAsync, "the fill" }, { NCS_FN_cudaMemset2D, "the fill" },
    { NCS_FN_cudaMemset2DAsync, "the fill" },  { NCS_FN_ncsAdd, "the kernel" },        { NCS_FN_cudaFree, "the free" },
    { NCS_FN_cudaFreeAsync, "the free" },      { NCS_FN_cudaFreeHost, "the free" },    { NCS_FN_ncclMemFree, "the free" },
    { NCS_FN_cudaHostUnregister, "the free" },
};

/* True for a copy that a method of a buffer made: the method may be a fill. */
static bool is_by_method(const struct ncs_call *call)
{
    return ncs_call_arg(call, NCS_ARG_MEMCPY) && !call->by_c_name && call->place.line;
}

struct ncs_sentence *ncs_say_use(const struct ncs_analysis *q, const struct ncs_call *call)
{
    const char *noun = "the copy";
    bool counted = call->number && call->comm >= 0, method = !counted && is_by_method(call);
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        noun = nouns[i].fn == call->fn ? nouns[i].noun : noun;
    return ncs_say(use, ncs_fact_call("call", q->journal, call), ncs_fact_is("counted", counted), ncs_fact_is("method", method),
                   ncs_fact_text("noun", counted || method ? NULL : noun));
}

struct ncs_sentence *ncs_say_does(unsigned does, struct ncs_fact who)
{
    bool frees = does & NCS_TOUCH_FREE, writes = !frees && does & NCS_TOUCH_WRITE;
    return ncs_say(use_verb, who, ncs_fact_is("free", frees), ncs_fact_is("write", writes),
                   ncs_fact_is("read", !frees && !writes));
}

struct ncs_fact ncs_fact_at(const char *name, const struct ncs_hazard *h)
{
    int *rank = ncs_new(h->ats * sizeof *rank);
    for (size_t i = 0; i < h->ats; i++)
        rank[i] = h->at[i].rank;
    struct ncs_fact fact = ncs_fact_ranks(name, rank, h->ats);
    ncs_free(rank);
    return fact;
}

/* True if what is read is no result, whatever the order. */
static bool is_hollow(const struct ncs_hazard *h)
{
    return h->kind == NCS_HAZARD_OFF_ROOT || h->kind == NCS_HAZARD_CUT_SHORT;
}

/* The two pairs overlap in time, in the same streams: one wait between the later of the earlier
 * uses and the earlier of the later uses orders both. */
bool ncs_one_wait_mends(const struct ncs_hazard *a, const struct ncs_hazard *b)
{
    if (is_hollow(a) || is_hollow(b)) /* no wait does; one other use of the result does */
        return a->kind == b->kind && a->earlier->place.line == b->earlier->place.line;
    bool meet = a->earlier->id < b->later->id && b->earlier->id < a->later->id;
    return meet && a->host == b->host && ncs_call_stream(a->earlier) == ncs_call_stream(b->earlier) &&
           (a->host || ncs_call_stream(a->later) == ncs_call_stream(b->later));
}

/* The communication of the pair, for the title; NULL = neither use is one. */
static const struct ncs_call *counted_of(const struct ncs_hazard *h)
{
    const struct ncs_call *call = h->earlier->number ? h->earlier : h->later;
    return call->number && call->comm >= 0 ? call : NULL;
}

/* True if memory that was freed in use was then accessed: the fault has a finding of its own. */
static bool came_to_a_fault(const struct ncs_analysis *q, const struct ncs_hazard *h)
{
    for (size_t i = 0; i < q->notices && h->later_does & NCS_TOUCH_FREE; i++) {
        const struct ncs_notice *n = &q->notice[i];
        if (n->kind == NCS_NOTICE_FAULT && n->calls && n->call[0]->fn == h->earlier->fn &&
            n->call[0]->place.line == h->earlier->place.line)
            return true;
    }
    return false;
}

const struct ncs_hazard *ncs_hazard_of(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_hazard_kind kind,
                                       struct ncs_draft *d)
{
    const struct ncs_hazard *h = r->kind == NCS_CAUSE_HAZARD ? r->notice->hazard : NULL;
    if (!h || h->kind != kind || came_to_a_fault(q, h))
        return NULL;
    const struct ncs_call *call = counted_of(h);
    bool twice = h->earlier->place.line == h->later->place.line;
    d->hazard = h;
    d->order = h->earlier->id;
    d->remark = !r->notice->felt; /* the results were right this time: a note, not an error */
    d->f.certainty = NCS_UNDEFINED;
    d->f.call = call ? call->number : 0;
    if (call)
        ncs_set_title(q, d, call);
    else
        d->f.title = ncs_copy_text("memory that two streams use");
    for (size_t i = 0; i < h->ats; i++) {
        int line = h->sync && !is_hollow(h) ? h->sync->place.line : h->later->place.line;
        unsigned does = kind == NCS_HAZARD_INPUT ? NCS_TOUCH_READ : h->later_does; /* it may also overwrite its input */
        ncs_add_culprit(d, h->at[i].rank, h->at[i].call, line);
        ncs_add_row(d, h->at[i].rank, h->later->place.line,
                    ncs_say(use_row, ncs_fact_sentence("verb", ncs_say_does(does, ncs_fact_rank("who", 0))),
                            ncs_fact_is("twice", twice), ncs_fact_call("earlier", q->journal, h->earlier),
                            ncs_fact_is("off_root", h->kind == NCS_HAZARD_OFF_ROOT),
                            ncs_fact_is("cut_short", h->kind == NCS_HAZARD_CUT_SHORT), ncs_fact_is("hollow", is_hollow(h)),
                            ncs_fact_is("writes", h->earlier_does & NCS_TOUCH_WRITE)));
    }
    d->f.evidence = ncs_say(hazard_evidence, ncs_fact_is("hollow", is_hollow(h)));
    return h;
}

void ncs_repair_by_sync(struct ncs_draft *d, const struct ncs_hazard *h)
{
    if (!h->earlier->number)
        return; /* an edit names a call by its number on a communicator */
    for (size_t i = 0; i < h->ats; i++) {
        const struct ncs_hazard_at *at = &h->at[i];
        struct ncs_edit e = { .kind = NCS_EDIT_SYNC,
                              .rank = at->rank,
                              .comm = at->comm,
                              .comm_rank = at->comm_rank,
                              .call = at->call,
                              .other_comm = -1,
                              .other_comm_rank = -1,
                              .line = h->earlier->place.line,
                              .model = -1 };
        NCS_PUSH(d->f.repair, d->f.repairs, d->repair_room, e);
    }
}

/* The newest wait of the rank between the two uses, for a stream on which the earlier one is not; NULL = none. */
static const struct ncs_call *wait_for_other(const struct ncs_hazard *h)
{
    for (const struct ncs_call *c = h->later->older; c && c->id > h->earlier->id; c = c->older)
        if (c->rank == h->later->rank && c->fn == NCS_FN_cudaStreamSynchronize && c->place.line &&
            ncs_call_stream(c) != ncs_call_stream(h->earlier))
            return c;
    return NULL;
}

/* True if the program itself has made the stream: then its name is not `stream`. */
static bool is_own_stream(const struct ncs_call *call)
{
    for (const struct ncs_call *c = call->older; c; c = c->older) {
        const union ncs_arg *made = c->rank == call->rank ? ncs_call_arg(c, NCS_ARG_STREAM_OUT) : NULL;
        if (made && made->p == ncs_call_stream(call))
            return !c->opening;
    }
    return false;
}

/* The wait of the host that is missing. A wait for another stream that the program has there is named: it looks right. */
static struct ncs_sentence *say_host_wait(const struct ncs_analysis *q, const struct ncs_hazard *h)
{
    const struct ncs_call *other = wait_for_other(h);
    bool own = (other || is_own_stream(h->earlier)) && h->earlier->place.line;
    return ncs_say(host_wait, ncs_fact_line("other", other ? other->place.line : 0), ncs_fact_is("own", own),
                   ncs_fact_call("earlier", q->journal, h->earlier), ncs_fact_call("later", q->journal, h->later));
}

static bool is_in_legacy_stream(const struct ncs_call *c)
{
    const void *stream = ncs_call_stream(c);
    bool copies = c->fn == NCS_FN_cudaMemcpy || c->fn == NCS_FN_cudaMemset || c->fn == NCS_FN_ncsAdd;
    return copies && (!stream || stream == (const void *)cudaStreamLegacy);
}

struct ncs_sentence *ncs_say_default_stream(const struct ncs_analysis *q, const struct ncs_hazard *h)
{
    bool is = is_in_legacy_stream(h->later) && !is_in_legacy_stream(h->earlier);
    return is ? ncs_say(default_stream, ncs_fact_call("later", q->journal, h->later)) : NULL;
}

struct ncs_sentence *ncs_say_wait_between(const struct ncs_analysis *q, const struct ncs_hazard *h)
{
    if (h->host || !h->later->place.line)
        return say_host_wait(q, h);
    return ncs_say(event_wait, ncs_fact_call("earlier", q->journal, h->earlier), ncs_fact_call("later", q->journal, h->later));
}
