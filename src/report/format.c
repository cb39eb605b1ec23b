/* The formats of a suite's report that print each run at once. */
#include "report/format.h"

#include <string.h>

#include "base/mem.h"
#include "report/waits.h"

void ncs_format_nothing(struct ncs_report *r, struct ncs_str *out)
{
    (void)r, (void)out;
}

void ncs_format_add_text(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    (void)r;
    ncs_str_add_bytes(out, entry->text.text, entry->text.bytes);
}

/* ---- for people ---- */

static void text_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
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

static void json_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
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

static void tree_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    if (style->quiet && (run->as_expected || run->result->verdict == NCS_SKIPPED))
        return;
    ncs_report_titled(run, out);
    ncs_str_add(out, "\n");
    ncs_waits_tree(&run->result->diagnosis, style->verbose, out);
}

static void dot_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    (void)style;
    struct ncs_str title = { 0 };
    ncs_report_titled(run, &title);
    ncs_waits_dot(&run->result->diagnosis, title.text, out);
    ncs_str_free(&title);
}

/* ---- all of them ---- */

const struct ncs_report_format ncs_format_text = { "text", true, text_entry, ncs_format_nothing, ncs_format_add_text, text_end };
const struct ncs_report_format ncs_format_json = { "json", false, json_entry, ncs_format_nothing, ncs_format_add_text, json_end };
const struct ncs_report_format ncs_format_tree = { "tree", true, tree_entry, ncs_format_nothing, ncs_format_add_text, text_end };
const struct ncs_report_format ncs_format_dot = { "dot", false, dot_entry, ncs_format_nothing, ncs_format_add_text, json_end };

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

#define OF_files(name) #name,
#define OF_runs(name)
const char *const ncs_report_check_format_names[] = { "text", "json",
#define NCS_FORMAT(name, of) OF_##of(name)
#include "report/formats.def"
#undef NCS_FORMAT
                                                      NULL };

const struct ncs_report_format *ncs_report_format_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

void ncs_report_begin(struct ncs_report *r, const struct ncs_report_format *format, const struct ncs_report_style *style,
                      struct ncs_str *out)
{
    *r = (struct ncs_report){ .format = format, .style = *style };
    format->begin(r, out);
}

void ncs_report_also(struct ncs_report *r, const struct ncs_report_format *format, const char *path)
{
    struct ncs_report *also = ncs_new(sizeof *also);
    struct ncs_report_style style = { .verbose = r->style.verbose, .quiet = r->style.quiet };
    struct ncs_str document = { 0 };
    while (r->further)
        r = r->further;
    ncs_report_begin(also, format, &style, &document);
    also->document = document;
    also->path = path;
    r->further = also;
}

/* Appends the run in the format, with the names of its places. */
static void report_render(const struct ncs_report *r, const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    r->format->entry(run, &r->style, &text);
    if (run->places)
        ncs_report_name_lines(&text, r->format == &ncs_format_json, run->places);
    ncs_str_add(out, text.text ? text.text : "");
    ncs_str_free(&text);
}

void ncs_report_entry(const struct ncs_report *r, const struct ncs_report_run *run, struct ncs_report_entry *entry)
{
    *entry = (struct ncs_report_entry){
        .file = run->scenario->file,
        .verdict = run->result->verdict,
        .as_expected = run->as_expected,
        .by_findings = run->failing.rules > 0,
        .wall = run->wall,
    };
    if (entry->verdict == NCS_SKIPPED && run->result->skip_reason)
        ncs_str_add(&entry->reason, run->result->skip_reason);
    report_render(r, run, &entry->text);
    for (const struct ncs_report *also = r->further; also; also = also->further) {
        report_render(also, run, &entry->further);
        ncs_str_add_bytes(&entry->further, "", 1);
    }
}

void ncs_report_entry_free(struct ncs_report_entry *entry)
{
    ncs_str_free(&entry->text);
    ncs_str_free(&entry->reason);
    ncs_str_free(&entry->message);
    ncs_str_free(&entry->further);
}

static void report_add_one(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    ncs_tally_add(&r->tally, entry->verdict, entry->as_expected);
    r->tally.by_findings += entry->by_findings;
    if (entry->reason.bytes)
        ncs_tally_skip(&r->tally, entry->reason.text);
    r->format->add(r, entry, out);
}

void ncs_report_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    struct ncs_report_entry one = *entry;
    const char *text = entry->further.text;
    report_add_one(r, entry, out);
    for (struct ncs_report *also = r->further; also; also = also->further, text += one.text.bytes + 1) {
        one.text = (struct ncs_str){ .text = (char *)text, .bytes = strlen(text) };
        report_add_one(also, &one, &also->document);
    }
}

void ncs_report_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    r->format->end(r, cut, out);
    for (struct ncs_report *also = r->further; also; also = also->further) {
        also->tally.not_run = r->tally.not_run;
        also->format->end(also, cut, &also->document);
    }
}

void ncs_report_only(struct ncs_report *r, const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_report_entry entry;
    ncs_report_entry(r, run, &entry);
    ncs_report_add(r, &entry, out);
    ncs_report_entry_free(&entry);
    ncs_report_end(r, NULL, out);
}

void ncs_report_free(struct ncs_report *r)
{
    ncs_str_free(&r->held);
    ncs_tally_free(&r->tally);
    ncs_free(r->file);
    ncs_str_free(&r->document);
    if (r->further)
        ncs_report_free(r->further);
    ncs_free(r->further);
    *r = (struct ncs_report){ 0 };
}
