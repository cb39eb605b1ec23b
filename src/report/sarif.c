/* SARIF 2.1.0, the format of tools that find mistakes in sources: a result per problem. */
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/format.h"
#include "report/page.h"

static void sarif_add_json(json_t *o, struct ncs_str *out)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII);
    ncs_str_add(out, text ? text : "{}");
    free(text);
    json_decref(o);
}

/* A path as a URI, relative unless the path is absolute. */
static json_t *sarif_uri(const char *path)
{
    struct ncs_str uri = { 0 };
    ncs_str_add(&uri, path[0] == '/' ? "file://" : "");
    for (; *path; path++)
        ncs_str_addf(&uri, isalnum((unsigned char)*path) || strchr("/._-~", *path) ? "%c" : "%%%02X", (unsigned char)*path);
    json_t *value = json_string(uri.text);
    ncs_str_free(&uri);
    return value;
}

static json_t *sarif_location(const struct ncs_report_problem *p)
{
    json_t *region = json_pack(p->column > 0 ? "{s:i,s:i}" : "{s:i}", "startLine", p->line, "startColumn", p->column);
    json_t *place = json_pack("{s:{s:{s:o}}}", "physicalLocation", "artifactLocation", "uri", sarif_uri(p->file));
    if (p->line > 0)
        json_object_set(json_object_get(place, "physicalLocation"), "region", region);
    json_decref(region);
    return place;
}

static void sarif_add_problem(const struct ncs_report_problem *p, struct ncs_str *out)
{
    json_t *o = json_pack("{s:s,s:s,s:{s:o},s:[]}", "ruleId", p->rule, "level", p->level, "message", "text", ncs_json_of(p->text),
                          "locations");
    if (p->file && *p->file && strcmp(p->file, "-") != 0)
        json_array_append_new(json_object_get(o, "locations"), sarif_location(p));
    ncs_str_add(out, ",\n");
    sarif_add_json(o, out);
}

static void sarif_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    ncs_report_problems(run, !style->quiet, sarif_add_problem, out);
}

/* The rules are all findings that have a page: which of them a run will have is not known at the beginning. */
static void sarif_begin(struct ncs_report *r, struct ncs_str *out)
{
    (void)r;
    json_t *rules = json_array();
    for (const struct ncs_page *page = ncs_pages(); page->id; page++)
        if (page->kind == NCS_PAGE_CLASS)
            json_array_append_new(rules, json_pack("{s:s,s:{s:s}}", "id", page->id, "shortDescription", "text", page->title));
    ncs_str_add(out,
                "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n\"tool\":");
    sarif_add_json(json_pack("{s:{s:s,s:s,s:o}}", "driver", "name", "ncclscript", "version", NCCLSCRIPT_VERSION, "rules", rules),
                   out);
    ncs_str_add(out, ",\n\"columnKind\":\"unicodeCodePoints\",\"results\":[");
}

static void sarif_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out)
{
    if (entry->text.bytes == 0)
        return;
    ncs_str_add(out, entry->text.text + (r->tests ? 0 : 1)); /* no comma before the first result */
    r->tests = 1;
}

static void sarif_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    (void)r;
    ncs_str_addf(out, "],\n\"invocations\":[{\"executionSuccessful\":%s}]}]}\n", cut ? "false" : "true");
}

const struct ncs_report_format ncs_format_sarif = { "sarif", false, sarif_entry, sarif_begin, sarif_add, sarif_end };
