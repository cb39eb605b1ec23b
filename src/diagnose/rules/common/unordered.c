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

void ncs_format_use(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_call *call)
{
    if (call->number && call->comm >= 0) {
        char *what = ncs_describe(call);
        ncs_str_addf(s, "call %u on %s (%s)", (unsigned)call->number, ncs_comm_name(q, call->comm), what);
        ncs_free(what);
    } else if (is_by_method(call)) {
        ncs_str_addf(s, "line %d", call->place.line);
        return;
    } else {
        const char *noun = "the copy";
        for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
            noun = nouns[i].fn == call->fn ? nouns[i].noun : noun;
        ncs_str_add(s, noun);
    }
    ncs_format_place(s, call);
}

const char *ncs_use_verb(unsigned does, bool several)
{
    if (does & NCS_TOUCH_FREE)
        return several ? "free" : "frees";
    if (does & NCS_TOUCH_WRITE)
        return several ? "overwrite" : "overwrites";
    return several ? "read" : "reads";
}

static void format_hazard_ranks(struct ncs_str *s, const struct ncs_hazard *h)
{
    int *rank = ncs_new(h->ats * sizeof *rank);
    for (size_t i = 0; i < h->ats; i++)
        rank[i] = h->at[i].rank;
    ncs_format_ranks(s, rank, h->ats);
    ncs_free(rank);
}

void ncs_format_sync(struct ncs_str *s, const struct ncs_hazard *h)
{
    ncs_str_addf(s, " call%s %s()", h->ats > 1 ? "" : "s", ncs_function_name(h->sync));
    ncs_format_place(s, h->sync);
}

void ncs_format_line(struct ncs_str *s, const char *before, const struct ncs_call *call)
{
    if (call->place.line)
        ncs_str_addf(s, "%s line %d", before, call->place.line);
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

static const char *earlier_verb(const struct ncs_hazard *h)
{
    if (is_hollow(h))
        return h->kind == NCS_HAZARD_OFF_ROOT ? "does not write on this rank" : "may not have written";
    return h->earlier_does & NCS_TOUCH_WRITE ? "writes" : "reads";
}

const struct ncs_hazard *ncs_hazard_of(const struct ncs_analysis *q, const struct ncs_cause *r, enum ncs_hazard_kind kind,
                                       struct ncs_draft *d, struct ncs_str *s)
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
                    twice ? ncs_text("%s it in the same line", ncs_use_verb(does, false))
                          : ncs_text("%s what line %d %s", ncs_use_verb(does, false), h->earlier->place.line, earlier_verb(h)));
    }
    d->f.evidence = ncs_plain(ncs_copy_text(is_hollow(h) ? "nothing has written the memory in between"
                                                         : "no stream, event or wait of the host orders the two"));
    format_hazard_ranks(s, h);
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
static void format_host_wait(struct ncs_str *s, const struct ncs_hazard *h)
{
    const struct ncs_call *other = wait_for_other(h);
    if (other)
        ncs_str_addf(s, "line %d waits for another stream: ", other->place.line);
    if ((other || is_own_stream(h->earlier)) && h->earlier->place.line) {
        ncs_str_add(s, "synchronize the stream of");
        ncs_format_line(s, "", h->earlier);
    } else {
        ncs_str_add(s, "stream:sync()");
    }
    ncs_format_line(s, " before", h->later);
}

static bool is_in_legacy_stream(const struct ncs_call *c)
{
    const void *stream = ncs_call_stream(c);
    bool copies = c->fn == NCS_FN_cudaMemcpy || c->fn == NCS_FN_cudaMemset || c->fn == NCS_FN_ncsAdd;
    return copies && (!stream || stream == (const void *)cudaStreamLegacy);
}

void ncs_format_default_stream(struct ncs_str *s, const struct ncs_hazard *h)
{
    if (!is_in_legacy_stream(h->later) || is_in_legacy_stream(h->earlier))
        return;
    ncs_str_add(s, " (without a stream");
    ncs_format_line(s, ", the call at", h->later);
    ncs_str_add(s, " is in the legacy stream, which does not wait for non-blocking streams)");
}

void ncs_format_wait_between(struct ncs_str *s, const struct ncs_hazard *h)
{
    if (h->host || !h->later->place.line) {
        format_host_wait(s, h);
        return;
    }
    ncs_str_add(s, "record an event");
    ncs_format_line(s, " after", h->earlier);
    ncs_str_add(s, " and let the other stream wait for it");
    ncs_format_line(s, " before", h->later);
    ncs_str_add(s, ", or stream:sync() between them");
}
