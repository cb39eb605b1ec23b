/* Annotations of GitHub's workflows: a line per problem, "::error file=a.lua,line=3,title=skipped-call::...". A runner
 * takes them from the output of a step, and shows all other lines as they are. */
#include <string.h>

#include "base/safe.h"
#include "report/format.h"

/* Appends a value with the characters escaped that mean something to a runner: in the properties also : and , */
static void github_add(struct ncs_str *out, const char *text, const char *special)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, text, strlen(text));
    for (const char *c = utf8.text ? utf8.text : ""; *c; c++)
        if ((unsigned char)*c < 0x20 || strchr(special, *c))
            ncs_str_addf(out, "%%%02X", (unsigned char)*c);
        else
            ncs_str_add_bytes(out, c, 1);
    ncs_str_free(&utf8);
}

static void github_add_problem(const struct ncs_report_problem *p, struct ncs_str *out)
{
    ncs_str_addf(out, "::%s ", strcmp(p->level, "note") == 0 ? "notice" : p->level);
    if (p->file && strcmp(p->file, "-") != 0) {
        ncs_str_add(out, "file=");
        github_add(out, p->file, "%:,");
        ncs_str_add(out, ",");
    }
    if (p->line > 0)
        ncs_str_addf(out, "line=%d,", p->line);
    if (p->column > 0)
        ncs_str_addf(out, "col=%d,", p->column);
    ncs_str_add(out, "title=");
    github_add(out, p->rule, "%:,");
    ncs_str_add(out, "::");
    github_add(out, p->text, "%");
    ncs_str_add(out, "\n");
}

static void github_entry(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    ncs_report_problems(run, !style->quiet, github_add_problem, out);
}

static void github_end(struct ncs_report *r, const char *cut, struct ncs_str *out)
{
    if (cut)
        ncs_str_addf(out, "::error title=not run::%s; not run: %zu\n", cut, r->tally.not_run);
}

const struct ncs_report_format ncs_format_github = { "github",  false, github_entry, ncs_format_nothing, ncs_format_add_text,
                                                     github_end };
