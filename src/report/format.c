/* The formats of a suite's report that print each run at once. */
#include "report/format.h"

#include <string.h>

#include "base/mem.h"
#include "report/waits.h"

static void format_nothing(struct ncs_report *r, struct ncs_str *out)
{
    (void)r, (void)out;
}

static void format_add_text(struct ncs_report *r, const struct ncs_report_entry *entry,
                            struct ncs_str *out)
{
    (void)r;
    ncs_str_add_bytes(out, entry->text.text, entry->text.bytes);
}

/* ---- for people ---- */

static void text_entry(const struct ncs_report_run *run, const struct ncs_report_style *style,
                       struct ncs_str *out)
{
    if (style->quiet && (run->as_expected || run->result->verdict == NCS_SKIPPED))
        return;
    if (style->draw.what != NCS_DRAW_NOTHING)
        ncs_draw_run(run->result, &style->draw, out);
    ncs_report_text(run, style, out);
}

/* A suite of one run has no summary, because the run's own line says it all. */
static void text_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    (void)cut;
    if (r->tally.runs + r->tally.not_run > 1)
        ncs_tally_text(&r->tally, out);
}

/* ---- JSON ---- */

static void json_entry(const struct ncs_report_run *run, const struct ncs_report_style *style,
                       struct ncs_str *out)
{
    (void)style;
    ncs_report_json(run, out);
}

/* Each line is complete by itself. */
static void json_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    (void)r, (void)cut, (void)out;
}

/* ---- who waits for whom ---- */

static void tree_entry(const struct ncs_report_run *run, const struct ncs_report_style *style,
                       struct ncs_str *out)
{
    if (style->quiet && (run->as_expected || run->result->verdict == NCS_SKIPPED))
        return;
    ncs_report_titled(run, out);
    ncs_str_add(out, "\n");
    ncs_waits_tree(&run->result->diagnosis, style->verbose, out);
}

static void dot_entry(const struct ncs_report_run *run, const struct ncs_report_style *style,
                      struct ncs_str *out)
{
    (void)style;
    struct ncs_str title = { 0 };
    ncs_report_titled(run, &title);
    ncs_waits_dot(&run->result->diagnosis, title.text, out);
    ncs_str_free(&title);
}

/* ---- all of them ---- */

const struct ncs_report_format ncs_format_text = { "text",          true,
                                                   text_entry,      format_nothing,
                                                   format_add_text, text_end };
const struct ncs_report_format ncs_format_json = { "json",         false,           json_entry,
                                                   format_nothing, format_add_text, json_end };
const struct ncs_report_format ncs_format_tree = { "tree",          true,
                                                   tree_entry,      format_nothing,
                                                   format_add_text, text_end };
const struct ncs_report_format ncs_format_dot = { "dot",          false,           dot_entry,
                                                  format_nothing, format_add_text, json_end };

static const struct ncs_report_format *const formats[] = {
#define NCS_FORMAT(name, of) &ncs_format_##name,
#include "report/formats.def"
#undef NCS_FORMAT
};

const char *const ncs_report_format_names[] = {
#define NCS_FORMAT(name, of) #name,
#include "report/formats.def"
#undef NCS_FORMAT
    NULL
};

#define OF_traces(name) #name,
#define OF_runs(name)
const char *const ncs_report_trace_format_names[] = {
#define NCS_FORMAT(name, of) OF_##of(name)
#include "report/formats.def"
#undef NCS_FORMAT
    NULL
};

const struct ncs_report_format *ncs_report_format_of(const char *name)
{
    size_t i = 0;
    while (strcmp(formats[i]->name, name) != 0)
        i++;
    return formats[i];
}

void ncs_report_begin(struct ncs_report *r, const struct ncs_report_format *format,
                      const struct ncs_report_style *style, struct ncs_str *out)
{
    *r = (struct ncs_report){ .format = format, .style = *style };
    format->begin(r, out);
}

void ncs_report_entry(const struct ncs_report *r, const struct ncs_report_run *run,
                      struct ncs_report_entry *entry)
{
    *entry = (struct ncs_report_entry){
        .file = run->scenario->file, .verdict = run->result->verdict,
        .as_expected = run->as_expected, .by_findings = run->failing.rules > 0, .wall = run->wall,
    };
    if (entry->verdict == NCS_SKIPPED && run->result->skip_reason)
        ncs_str_add(&entry->reason, run->result->skip_reason);
    r->format->entry(run, &r->style, &entry->text);
}

void ncs_report_entry_free(struct ncs_report_entry *entry)
{
    ncs_str_free(&entry->text);
    ncs_str_free(&entry->reason);
    ncs_str_free(&entry->message);
}

void ncs_report_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    ncs_tally_add(&r->tally, entry->verdict, entry->as_expected);
    r->tally.by_findings += entry->by_findings;
    if (entry->reason.bytes)
        ncs_tally_skip(&r->tally, entry->reason.text);
    r->format->add(r, entry, out);
}

void ncs_report_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    r->format->end(r, cut, out);
}

void ncs_report_free(struct ncs_report *r)
{
    ncs_str_free(&r->held);
    ncs_tally_free(&r->tally);
    ncs_free(r->file);
    *r = (struct ncs_report){ 0 };
}
