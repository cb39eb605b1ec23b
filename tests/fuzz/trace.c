/* Traces: any bytes are either refused with a place, or make a journal and a state in which every index
 * stands for something, and of which the diagnosis makes findings with words. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/finding.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static void hold(bool condition)
{
    if (!condition)
        abort();
}

static void check(const struct ncs_trace *t)
{
    const struct ncs_snapshot *s = &t->snapshot;
    hold(s->contexts == (size_t)t->ranks || strcmp(t->kind, "recordings") == 0);
    for (size_t i = 0; i < s->waits; i++)
        hold(s->wait[i].index >= 0 && (size_t)s->wait[i].index < (s->wait[i].kind == NCS_WAIT_OP ? s->ops : s->jobs));
    for (size_t i = 0; i < s->contexts; i++)
        hold(s->context[i].wait + s->context[i].waits <= s->waits);
    for (size_t i = 0; i < t->notes; i++)
        hold(t->note[i] && *t->note[i]);
    for (const struct ncs_call *c = t->journal->oldest; c; c = c->newer)
        hold(!c->place.line || ncs_trace_place(t, c->place.line));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct ncs_trace trace = { 0 };
    struct ncs_error err = { 0 };
    if (!ncs_trace_read_bytes(&trace, "fuzz_0", data, bytes, &err)) {
        hold(err.status == NCS_BAD_INPUT && err.text[0] && strcmp(err.file, "fuzz_0") == 0);
    } else {
        struct ncs_diagnosis d;
        check(&trace);
        ncs_diagnose(trace.journal, &trace.snapshot, NULL, 0, &d);
        for (size_t i = 0; i < d.findings; i++)
            hold(d.finding[i].rule && ncs_sentence_text(d.finding[i].why) && ncs_sentence_text(d.finding[i].fix));
        ncs_diagnosis_free(&d);
    }
    ncs_trace_free(&trace);
    return 0;
}
