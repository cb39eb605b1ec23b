#include "report/places.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static const char json_key[] = "\"line\": ";

/* What stands between two numbers of a list: "lines 3, 5 and 7". */
static const char *const between[] = { ", ", " and ", " or " };

static const char *places_name(const struct ncs_report_places *places, const char *digits, char **end)
{
    long number = *digits >= '1' && *digits <= '9' ? strtol(digits, end, 10) : 0;
    return number ? places->name(places->arg, number) : NULL;
}

static void add_json(struct ncs_str *out, const struct ncs_report_places *places, const char *digits, const char *name)
{
    struct ncs_report_source source;
    if (places->source && places->source(places->arg, strtol(digits, NULL, 10), &source))
        ncs_str_addf(out, "%s%d, \"file\": \"%s\", \"at\": \"%s\"", json_key, source.line, source.name, name);
    else
        ncs_str_addf(out, "%snull, \"at\": \"%s\"", json_key, name);
}

/* The length of the words before the number of a line: "line " or "lines "; 0 = there are none. */
static size_t words_at(const char *p)
{
    return strncmp(p, "line ", 5) == 0 ? 5 : strncmp(p, "lines ", 6) == 0 ? 6 : 0;
}

/* True if the text ends in " instead of 16 at ": what to change there is an argument of the call. */
static bool places_ends_in_argument(const struct ncs_str *text)
{
    static const char before[] = " instead of ", after[] = " at ";
    const size_t a = sizeof after - 1, b = sizeof before - 1;
    size_t end = text->bytes;
    if (end < a + b || memcmp(text->text + end - a, after, a) != 0)
        return false;
    for (end -= a; end > 0 && isdigit((unsigned char)text->text[end - 1]); end--)
        continue;
    return end >= b && memcmp(text->text + end - b, before, b) == 0;
}

/* A call that a line of a record shows is not "at" that line: changes "the call at " at the end of the text into "the call that ".
 * Returns whether it did, so that "shows" must follow the line's name. */
static bool places_take_at(struct ncs_str *out, const struct ncs_report_places *places, const char *digits)
{
    static const char *const things[] = { "call at ", "calls at ", "send at ", "receive at " };
    const size_t at = strlen("at ");
    bool argument = places_ends_in_argument(out), taken = argument;
    if (!places->shows || !places->shows(places->arg, strtol(digits, NULL, 10)))
        return false;
    for (size_t i = 0; i < sizeof things / sizeof *things && !taken; i++) {
        size_t bytes = strlen(things[i]);
        taken = out->bytes >= bytes && memcmp(out->text + out->bytes - bytes, things[i], bytes) == 0;
    }
    if (taken) {
        out->bytes -= at;
        out->text[out->bytes] = '\0';
        ncs_str_add(out, argument ? "in the call that " : "that ");
    }
    return taken;
}

/* Appends the names of a list of numbers; returns its end, or NULL if its first number has no name. */
static const char *add_names(struct ncs_str *out, const struct ncs_report_places *places, const char *digits)
{
    char *end = NULL;
    const char *name = places_name(places, digits, &end), *done = NULL;
    bool shows = name && places_take_at(out, places, digits);
    size_t names = 0;
    while (name) {
        names++;
        ncs_str_add(out, name);
        done = end;
        name = NULL;
        for (size_t i = 0; i < sizeof between / sizeof *between && !name; i++) {
            size_t bytes = strlen(between[i]);
            if (strncmp(done, between[i], bytes) == 0 && (name = places_name(places, done + bytes, &end)))
                ncs_str_add(out, between[i]);
        }
    }
    if (shows)
        ncs_str_add(out, names > 1 ? " show" : " shows");
    return done;
}

/* Appends what the text at `p` becomes; returns where it ends, or NULL if it stays. */
static const char *rename_at(struct ncs_str *out, bool json, const struct ncs_report_places *places, const char *p)
{
    size_t words = words_at(p);
    if (words)
        return add_names(out, places, p + words);
    if (!json || strncmp(p, json_key, sizeof json_key - 1) != 0)
        return NULL;
    char *end = NULL;
    const char *digits = p + sizeof json_key - 1, *name = places_name(places, digits, &end);
    if (name)
        add_json(out, places, digits, name);
    return name ? end : NULL;
}

void ncs_report_name_lines(struct ncs_str *report, bool json, const struct ncs_report_places *places)
{
    struct ncs_str out = { 0 };
    for (const char *p = report->text; p && *p;) {
        const char *next = *p == 'l' || *p == '"' ? rename_at(&out, json, places, p) : NULL;
        if (!next)
            ncs_str_add_bytes(&out, next = p, 1);
        p = next == p ? p + 1 : next;
    }
    ncs_str_free(report);
    *report = out;
}

const char *ncs_report_place(const struct ncs_report_run *run, int line)
{
    return run->places && line > 0 ? run->places->name(run->places->arg, line) : NULL;
}

void ncs_report_name_places(const struct ncs_report_run *run, struct ncs_str *text)
{
    if (run->places && text->bytes)
        ncs_report_name_lines(text, false, run->places);
}
