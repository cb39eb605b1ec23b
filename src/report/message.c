/* The parts that the formats for machines share: a one-line message, a body of
 * lines, and properties. */
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "report/text.h"

void ncs_report_case(const struct ncs_report_run *run, struct ncs_str *out)
{
    ncs_safe_line(out, run->scenario->file ? run->scenario->file : "-");
    if (run->name) {
        ncs_str_add(out, "[");
        ncs_safe_line(out, run->name);
        ncs_str_add(out, "]");
    }
}

void ncs_report_titled(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_str message = { 0 };
    ncs_report_message(run, &message);
    ncs_report_case(run, out);
    ncs_str_add(out, ": ");
    ncs_safe_line(out, message.text ? message.text : "");
    ncs_str_free(&message);
}

/* ---- one line ---- */

static const char *policy_name(const struct ncs_result *r)
{
    return r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict";
}

static bool message_add_finding(const struct ncs_result *r, struct ncs_str *out)
{
    const struct ncs_finding *f = ncs_first_error(&r->diagnosis);
    const char *said = !f ? NULL : f->why ? ncs_sentence_text(f->why) : f->title ? f->title : f->rule;
    if (said)
        ncs_str_add(out, said);
    return said;
}

static bool message_add_error(const struct ncs_result *r, struct ncs_str *out)
{
    if (!r->errors)
        return false;
    const struct ncs_run_error *e = &r->error[0];
    ncs_str_addf(out, "rank %d: ", ncs_number_of_thread(&r->diagnosis, e->rank, e->thread));
    if (e->place.file && e->place.line > 0)
        ncs_str_addf(out, "%s:%d: ", e->place.file, e->place.line);
    ncs_text_error(e, out);
    return true;
}

static bool message_add_wrong(const struct ncs_result *r, struct ncs_str *out)
{
    if (r->wrongs) {
        const struct ncs_wrong *w = &r->wrong[0];
        ncs_str_addf(out, "rank %d: ", ncs_text_wrong_rank(r, w));
        ncs_text_wrong_call(r, w, out);
        ncs_str_add(out, ": ");
        ncs_text_wrong(w, true, out);
    } else if (r->expects) {
        const struct ncs_run_expect *e = &r->expect[0];
        ncs_str_addf(out, "rank %d: %s%s%s", e->rank, e->label ? e->label : "", e->label ? ": " : "",
                     e->message ? e->message : "an expectation failed");
    }
    return r->wrongs || r->expects;
}

static bool add_internal(const struct ncs_result *r, struct ncs_str *out)
{
    const struct ncs_error *e = &r->internal;
    if (e->status == NCS_OK)
        return false;
    if (e->file[0] && e->line > 0)
        ncs_str_addf(out, "%s:%d: ", e->file, e->line);
    ncs_str_add(out, e->text);
    return true;
}

/* The first finding that --fail-on counts; NULL = none. */
static const struct ncs_finding *message_failing(const struct ncs_report_run *run)
{
    const struct ncs_diagnosis *d = &run->result->diagnosis;
    for (size_t i = 0; run->failing.rules && i < d->findings; i++)
        if (strcmp(d->finding[i].rule, run->failing.rule[0]) == 0)
            return &d->finding[i];
    return NULL;
}

/* Adds the first known cause in the order that suits the verdict. */
static bool add_cause(const struct ncs_result *r, struct ncs_str *out)
{
    switch (r->verdict) {
    case NCS_HANG:
    case NCS_LOST: return message_add_finding(r, out) || message_add_error(r, out) || add_internal(r, out);
    case NCS_WRONG: return message_add_wrong(r, out) || message_add_error(r, out) || message_add_finding(r, out);
    case NCS_SKIPPED:
    case NCS_TIMEOUT:
    case NCS_MEMORY:
        if (r->skip_reason)
            ncs_str_addf(out, "%s%s", r->skip_reason, ncs_first_error(&r->diagnosis) ? "; likely: " : "");
        return message_add_finding(r, out) || r->skip_reason || add_internal(r, out);
    default: return add_internal(r, out) || message_add_error(r, out) || message_add_finding(r, out);
    }
}

void ncs_report_message(const struct ncs_report_run *run, struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    struct ncs_str text = { 0 };
    ncs_str_add(&text, ncs_verdict_name(r->verdict));
    size_t bytes = text.bytes;
    ncs_str_add(&text, ": ");
    if (r->verdict == NCS_PASS || !add_cause(r, &text))
        text.text[text.bytes = bytes] = '\0';
    if (run->failing.rules) {
        const struct ncs_finding *f = message_failing(run);
        ncs_str_add(&text, ", but fails: ");
        ncs_text_failing(&run->failing, &text);
        if (f && f->why)
            ncs_str_addf(&text, ": %s", ncs_sentence_text(f->why));
        ncs_str_add(&text, f ? "" : ": ");
        if (!f)
            ncs_report_ignored(r, &text);
    }
    if (!run->as_expected && run->difference && run->difference[0])
        ncs_str_addf(&text, "; not as declared: %s", run->difference);
    ncs_report_name_places(run, &text);
    ncs_safe_line(out, text.text);
    ncs_str_free(&text);
}

/* The line, if the place is in the scenario's own file; 0 = the place is in a module. */
static int own_line(const struct ncs_report_run *run, const struct ncs_place *place)
{
    bool other = place->file && run->scenario->file && strcmp(place->file, run->scenario->file) != 0;
    return other ? 0 : place->line;
}

int ncs_report_line(const struct ncs_report_run *run)
{
    const struct ncs_result *r = run->result;
    const struct ncs_finding *f = run->failing.rules ? message_failing(run) : ncs_first_error(&r->diagnosis);
    if (r->internal.status != NCS_OK)
        return r->internal.line;
    if (r->verdict == NCS_WRONG && r->wrongs && r->wrong[0].call)
        return own_line(run, &r->wrong[0].call->place);
    if (r->verdict == NCS_WRONG && r->expects)
        return own_line(run, &r->expect[0].place);
    if (r->errors)
        return own_line(run, &r->error[0].place);
    return f && f->culprits ? f->culprit[0].line : 0;
}

/* ---- the body ---- */

void ncs_report_body(const struct ncs_report_run *run, struct ncs_str *out)
{
    static const struct ncs_report_style plain = { 0 };
    const struct ncs_error *e = &run->result->internal;
    struct ncs_str text = { 0 };
    ncs_report_text(run, &plain, &text);
    ncs_report_name_places(run, &text);
    ncs_str_add(out, text.text ? text.text : "");
    ncs_str_free(&text);
    if (run->complaints && run->complaints->count)
        ncs_complaints_text(run->complaints, out);
    else if (e->status != NCS_OK && e->file[0] && e->line > 0) /* only the place: the text has the
                                                                * rest */
        ncs_str_addf(out, "  at    line %d\n", e->line);
}

/* ---- properties ---- */

void ncs_report_properties(const struct ncs_report_run *run,
                           void (*add)(const char *name, const char *value, struct ncs_str *out), struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    char number[24];
    add("verdict", ncs_verdict_name(r->verdict), out);
    add("certainty", ncs_certainty_names[r->certainty], out);
    if (r->ranks > 0) { /* otherwise nothing ran */
        snprintf(number, sizeof number, "%d", r->ranks);
        add("ranks", number, out);
        snprintf(number, sizeof number, "%" PRIu64, r->seed);
        add("seed", number, out);
        add("policy", policy_name(r), out);
        add("driver", r->driver ? r->driver : "sim", out);
        add("nccl", r->nccl, out);
    }
    for (size_t i = 0; i < run->values; i++) {
        struct ncs_str name = { 0 }, value = { 0 };
        ncs_str_addf(&name, "case.%s", run->value[i].name);
        ncs_param_text(&run->value[i], &value);
        add(name.text, value.text, out);
        ncs_str_free(&name);
        ncs_str_free(&value);
    }
}
