/* The Test Anything Protocol: a line per run, followed by the details as YAML. The output
 * needs nothing of version 14 (no subtests, no pragmas), and some readers reject "TAP version
 * 14", so it declares version 13. The plan comes last: without it, a suite that was killed
 * counts as failed. */
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/safe.h"

/* Appends text as a description or a reason; # is escaped, because it would begin a directive. */
static void add_description(struct ncs_str *out, const char *text)
{
    struct ncs_str line = { 0 };
    ncs_safe_line(&line, text);
    for (const char *c = line.text ? line.text : ""; *c; c++)
        ncs_str_addf(out, *c == '#' || *c == '\\' ? "\\%c" : "%c", *c);
    ncs_str_free(&line);
}

/* Appends `  name: "value"`. */
static void tap_add_key(const char *name, const char *value, struct ncs_str *out)
{
    struct ncs_str line = { 0 };
    ncs_safe_line(&line, value);
    ncs_str_addf(out, "  %s: \"", name);
    for (const char *c = line.text ? line.text : ""; *c; c++)
        ncs_str_addf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    ncs_str_add(out, "\"\n");
    ncs_str_free(&line);
}

/* Appends whole lines as a YAML block: every line, even an empty one, is indented
 * deeper than the key. */
static void tap_add_block(const char *name, const char *text, size_t bytes, struct ncs_str *out)
{
    ncs_str_addf(out, "  %s: |\n", name);
    for (size_t at = 0; at < bytes; at++) {
        ncs_str_add(out, "    ");
        for (;; at++) {
            size_t n = strcspn(text + at, "\n"); /* or to a zero among the bytes */
            struct ncs_str piece = { 0 };
            ncs_str_add_bytes(&piece, text + at, n);
            ncs_safe_line(out, piece.text);
            ncs_str_free(&piece);
            at += n;
            if (at >= bytes || text[at] == '\n')
                break;
            ncs_str_add(out, "\\x00");
        }
        ncs_str_add(out, "\n");
    }
}

static void tap_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    struct ncs_str text = { 0 };
    ncs_report_case(run, &text);
    ncs_str_add(out, " - ");
    add_description(out, text.text);
    if (r->verdict == NCS_SKIPPED) {
        ncs_str_add(out, " # SKIP ");
        add_description(out, r->skip_reason ? r->skip_reason : "it cannot be run here");
    }
    ncs_str_add(out, "\n");
    bool failed = !run->as_expected && r->verdict != NCS_SKIPPED;
    if (failed || style->verbose) {
        ncs_str_clear(&text);
        ncs_report_message(run, &text);
        ncs_str_add(out, "  ---\n");
        tap_add_key("message", text.text, out);
        ncs_report_properties(run, tap_add_key, out);
        if (run->wall > 0) {
            char ms[32];
            snprintf(ms, sizeof ms, "%" PRId64 ".%03d", run->wall / 1000000, (int)(run->wall / 1000 % 1000));
            tap_add_key("duration_ms", ms, out);
        }
        ncs_str_clear(&text);
        ncs_report_body(run, &text);
        tap_add_block("report", text.text, text.bytes, out);
        if (r->output.bytes)
            tap_add_block("output", r->output.text, r->output.bytes, out);
        ncs_str_add(out, "  ...\n");
    }
    ncs_str_free(&text);
}

static void tap_begin(struct ncs_report *r, struct ncs_str *out)
{
    (void)r;
    ncs_str_add(out, "TAP version 13\n");
}

static void tap_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    bool ok = entry->as_expected || entry->verdict == NCS_SKIPPED;
    ncs_str_addf(out, "%s %zu", ok ? "ok" : "not ok", r->tally.runs);
    ncs_str_add_bytes(out, entry->text.text, entry->text.bytes);
}

static void tap_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    if (cut) {
        ncs_str_add(out, "Bail out! ");
        add_description(out, cut);
        ncs_str_addf(out, ", not run: %zu\n", r->tally.not_run);
        return;
    }
    ncs_str_addf(out, "1..%zu%s\n", r->tally.runs, r->tally.runs ? "" : " # SKIP nothing was executed");
}

const struct ncs_report_format ncs_format_tap = { "tap", false, tap_entry, tap_begin, tap_add, tap_end };
