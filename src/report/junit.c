/* JUnit's XML: a testsuite per scenario file, a testcase per run. The totals of a suite come before
 * its cases, so the cases of one file are held until the next file or the end. */
#include "report/format.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

/* Appends text as valid XML: UTF-8 without the characters that XML 1.0 forbids. Control characters
 * become \xNN. */
static void add_xml(struct ncs_str *out, const char *text, size_t bytes)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, text, bytes);
    for (size_t i = 0; i < utf8.bytes; i++) {
        unsigned char c = (unsigned char)utf8.text[i];
        if (c == '&' || c == '<' || c == '>' || c == '"')
            ncs_str_add(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;");
        else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            ncs_str_addf(out, "\\x%02x", c);
        else
            ncs_str_add_bytes(out, &c, 1);
    }
    ncs_str_free(&utf8);
}

/* ` name="value"`; an attribute is one line. */
static void add_attribute(struct ncs_str *out, const char *name, const char *value)
{
    struct ncs_str line = { 0 };
    ncs_safe_line(&line, value);
    ncs_str_addf(out, " %s=\"", name);
    add_xml(out, line.text ? line.text : "", line.bytes);
    ncs_str_add(out, "\"");
    ncs_str_free(&line);
}

static void junit_add_time(struct ncs_str *out, int64_t ns)
{
    int64_t us = ns > 0 ? (ns + 500) / 1000 : 0;
    ncs_str_addf(out, " time=\"%" PRId64 ".%06d\"", us / 1000000, (int)(us % 1000000));
}

static void add_property(const char *name, const char *value, struct ncs_str *out)
{
    ncs_str_add(out, "        <property");
    add_attribute(out, "name", name);
    add_attribute(out, "value", value);
    ncs_str_add(out, "/>\n");
}

/* Splits "scenarios/bugs/skipped_call.lua" as JUnit's readers expect: the class name with dots for
 * slashes, and the last part alone. */
static void split_name(const char *file, struct ncs_str *whole, const char **last)
{
    while (strncmp(file, "./", 2) == 0 || *file == '/')
        file += *file == '/' ? 1 : 2;
    ncs_str_add(whole, file);
    char *slash = strrchr(whole->text, '/'), *dot = strrchr(slash ? slash : whole->text, '.');
    if (dot && dot > (slash ? slash + 1 : whole->text))
        whole->text[whole->bytes = (size_t)(dot - whole->text)] = '\0';
    *last = slash ? slash + 1 : whole->text;
    for (char *c = whole->text; *c; c++)
        if (*c == '/')
            *c = '.';
}

/* ---- a case ---- */

/* JUnit's outcomes: a failure is an unexpected result, an error means that there is no result. */
enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

static enum outcome outcome_of(enum ncs_verdict verdict, bool as_expected)
{
    if (verdict == NCS_SKIPPED)
        return SKIPPED;
    if (as_expected)
        return PASSED;
    bool no_result = verdict == NCS_INVALID || verdict == NCS_EMPTY || verdict == NCS_MEMORY || verdict == NCS_INTERNAL_FAULT ||
                     verdict == NCS_TIMEOUT || verdict == NCS_INTERRUPTED;
    return no_result ? BROKEN : FAILED;
}

static void junit_add_element(const struct ncs_report_run *run, enum outcome outcome, struct ncs_str *out)
{
    const char *element = outcome == FAILED ? "failure" : outcome == BROKEN ? "error" : "skipped";
    struct ncs_str text = { 0 };
    if (outcome == SKIPPED)
        ncs_str_add(&text, run->result->skip_reason ? run->result->skip_reason : "it cannot be run here");
    else
        ncs_report_message(run, &text);
    ncs_str_addf(out, "      <%s", element);
    add_attribute(out, "message", text.text);
    if (outcome == SKIPPED) {
        ncs_str_add(out, "/>\n");
    } else {
        add_attribute(out, "type", run->failing.rules ? run->failing.rule[0] : ncs_verdict_name(run->result->verdict));
        ncs_str_add(out, ">");
        ncs_str_clear(&text);
        ncs_report_body(run, &text);
        add_xml(out, text.text, text.bytes);
        ncs_str_addf(out, "</%s>\n", element);
    }
    ncs_str_free(&text);
}

static void junit_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    (void)style;
    const char *file = run->scenario->file ? run->scenario->file : "-", *last;
    enum outcome outcome = outcome_of(run->result->verdict, run->as_expected);
    int line = ncs_report_line(run);
    struct ncs_str class = { 0 };
    split_name(file, &class, &last);
    ncs_str_add(out, "    <testcase");
    add_attribute(out, "classname", class.text);
    add_attribute(out, "name", run->name ? run->name : last);
    add_attribute(out, "file", file);
    if (line > 0 && !ncs_report_place(run, line))
        ncs_str_addf(out, " line=\"%d\"", line);
    junit_add_time(out, run->wall);
    ncs_str_add(out, ">\n      <properties>\n");
    ncs_report_properties(run, add_property, out);
    ncs_str_add(out, "      </properties>\n");
    if (outcome != PASSED)
        junit_add_element(run, outcome, out);
    if (run->result->output.bytes) {
        ncs_str_add(out, "      <system-out>");
        add_xml(out, run->result->output.text, run->result->output.bytes);
        ncs_str_add(out, "</system-out>\n");
    }
    ncs_str_add(out, "    </testcase>\n");
    ncs_str_free(&class);
}

/* ---- the whole ---- */

static void junit_begin(struct ncs_report *r, struct ncs_str *out)
{
    (void)r;
    ncs_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ncclscript\">\n");
}

/* Writes the held cases, with the header of their suite. */
static void junit_flush(struct ncs_report *r, struct ncs_str *out)
{
    if (!r->file)
        return;
    ncs_str_add(out, "  <testsuite");
    add_attribute(out, "name", r->file);
    ncs_str_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", r->tests, r->failures, r->errors,
                 r->skipped);
    junit_add_time(out, r->wall);
    ncs_str_add(out, ">\n");
    ncs_str_add_bytes(out, r->held.text, r->held.bytes);
    ncs_str_add(out, "  </testsuite>\n");
    ncs_str_clear(&r->held);
    ncs_free(r->file);
    r->file = NULL;
    r->tests = r->failures = r->errors = r->skipped = 0;
    r->wall = 0;
}

static void junit_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    const char *file = entry->file ? entry->file : "-";
    enum outcome outcome = outcome_of(entry->verdict, entry->as_expected);
    if (r->file && strcmp(r->file, file) != 0)
        junit_flush(r, out);
    if (!r->file)
        r->file = ncs_copy_text(file);
    r->tests++;
    r->failures += outcome == FAILED;
    r->errors += outcome == BROKEN;
    r->skipped += outcome == SKIPPED;
    r->wall += entry->wall;
    ncs_str_add_bytes(&r->held, entry->text.text, entry->text.bytes);
}

/* Adds one failed case to a suite that was cut short, with the reason. */
static void junit_add_cut(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s; not run: %zu", cut, r->tally.not_run);
    ncs_str_add(out, "  <testsuite name=\"ncclscript\" tests=\"1\" failures=\"0\" errors=\"1\" "
                     "skipped=\"0\" time=\"0.000000\">\n"
                     "    <testcase classname=\"ncclscript\" name=\"the whole suite\" "
                     "time=\"0.000000\">\n      <error");
    add_attribute(out, "message", text.text);
    ncs_str_add(out, " type=\"not run\"/>\n    </testcase>\n  </testsuite>\n");
    ncs_str_free(&text);
}

static void junit_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    junit_flush(r, out);
    if (cut)
        junit_add_cut(r, cut, out);
    ncs_str_add(out, "</testsuites>\n");
}

const struct ncs_report_format ncs_format_junit = { "junit", false, junit_entry, junit_begin, junit_add, junit_end };
