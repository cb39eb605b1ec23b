/* Pages of `explain` as text. */
#include "report/page.h"

#include <string.h>

#include "api/gen/api.h"
#include "api/types.h"
#include "api/version.h"
#include "base/fill.h"

enum { NAME = 80 };

enum { WIDEST = 96 }; /* of lists, where no width is known */

static void explain_add_part(const char *heading, const char *text, int width, struct ncs_str *out)
{
    if (!text)
        return;
    ncs_str_addf(out, "\n%s\n", heading);
    ncs_fill_prose(out, text, 2, width);
}

/* Wraps the list; continuation lines begin at the indent. */
static void add_wrapped(const char *list, const char *separator, size_t at, size_t indent, int width, struct ncs_str *out)
{
    size_t widest = width > 0 && width < WIDEST ? (size_t)width : WIDEST;
    char name[NAME];
    bool first = true;
    while ((list = ncs_list_next(list, name, sizeof name))) {
        size_t bytes = strlen(name) + strlen(separator);
        if (!first)
            ncs_str_add(out, separator);
        if (!first && at + bytes > widest) {
            ncs_str_addf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            ncs_str_add(out, " ");
            at++;
        }
        ncs_str_add(out, name);
        at += bytes;
        first = false;
    }
    ncs_str_add(out, "\n");
}

static void add_scenario(const struct ncs_page *p, const char *name, struct ncs_str *out)
{
    if (!p->scenario)
        return;
    ncs_str_addf(out, "\nA scenario (%s%s%s)\n", p->ends, p->finding ? ", finding " : "", p->finding ? p->finding : "");
    ncs_fill_prose(out, p->scenario, 2, 0);
    ncs_str_addf(out, "\n  run it: ncclscript explain --scenario %s | ncclscript run -\n", name);
}

static void add_also(const struct ncs_page *p, int width, struct ncs_str *out)
{
    if (!p->also)
        return;
    ncs_str_add(out, "\nSee also ");
    add_wrapped(p->also, ",", 9, 9, width, out);
}

/* ---- functions ---- */

static void add_signature(const struct ncs_fn_info *info, struct ncs_str *out)
{
    static const char *const result[] = { "ncclResult_t ", "cudaError_t ", "const char *", "void " };
    size_t at = out->bytes;
    ncs_str_addf(out, "  %s%s(", result[info->result], info->name);
    size_t indent = out->bytes - at;
    at = indent;
    for (int i = 0; i < info->nargs; i++) {
        const char *name = info->arg[i].name;
        if (i > 0 && at + strlen(name) > WIDEST) {
            ncs_str_addf(out, ",\n%*s", (int)indent, "");
            at = indent;
        } else if (i > 0) {
            ncs_str_add(out, ", ");
            at += 2;
        }
        ncs_str_add(out, name);
        at += strlen(name);
    }
    ncs_str_add(out, ")\n");
    size_t name = 0, type = 0;
    for (int i = 0; i < info->nargs; i++) {
        size_t n = strlen(info->arg[i].name), t = strlen(ncs_kind_info[info->arg[i].kind].ctype);
        name = n > name ? n : name;
        type = t > type ? t : type;
    }
    for (int i = 0; i < info->nargs; i++) {
        const struct ncs_kind_info *kind = &ncs_kind_info[info->arg[i].kind];
        ncs_str_addf(out, "    %-*s  %-*s  %s%s\n", (int)name, info->arg[i].name, (int)type, kind->ctype, kind->text,
                     ncs_kind_is_out(info->arg[i].kind) ? " (result)" : "");
    }
}

/* Other functions with the same name in scripts. */
static void add_same_name(int fn, struct ncs_str *out)
{
    const char *lua = ncs_fn_info[fn].lua_name;
    const char *before = "; the same for ";
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        const char *other = ncs_fn_info[i].lua_name;
        if (i == fn || !other || strcmp(other, lua) != 0)
            continue;
        ncs_str_addf(out, "%s%s", before, ncs_fn_info[i].name);
        before = ", ";
    }
}

static void add_findings(const char *list, struct ncs_str *out)
{
    char name[NAME];
    if (!list)
        return;
    ncs_str_add(out, "\nFindings that name it\n");
    while ((list = ncs_list_next(list, name, sizeof name)))
        ncs_str_addf(out, "  %-22s  %s\n", name, ncs_page(name)->title);
}

static void explain_function(int fn, const struct ncs_page *family, int width, struct ncs_str *out)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    char since[24];
    ncs_str_addf(out, "%s: %s\n\n", info->name, info->text);
    add_signature(info, out);
    ncs_str_addf(out, "\n  in Lua     %s%s", info->lua_name ? info->lua_name : "C.", info->lua_name ? "" : info->name);
    if (info->lua_name)
        add_same_name(fn, out);
    if (info->since)
        ncs_str_addf(out, "\n  since      NCCL %s", ncs_nccl_version_text(info->since, since, sizeof since));
    ncs_str_addf(out, "\n  reference  %s\n", family->reference);

    ncs_str_addf(out, "\nWhat happens (%s)\n", family->id);
    ncs_fill_prose(out, family->what, 2, width);
    if (info->grouped)
        ncs_fill_prose(out, "In a group it is only queued: ncclGroupEnd executes it and reports its errors.\n", 2, width);
    explain_add_part("Does it wait?", family->blocks, width, out);
    explain_add_part("Threads", family->threads, width, out);
    add_findings(family->findings, out);
    add_scenario(family, info->name, out);
}

/* ---- the others ---- */

static void explain_group(const struct ncs_page_group *group, struct ncs_str *out)
{
    ncs_str_addf(out, "%s: %s\n\n", group->id, group->title);
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind == NCS_PAGE_CLASS && strcmp(p->group, group->id) == 0)
            ncs_str_addf(out, "  %-22s  %s\n", p->id, p->title);
}

static void explain_add_title(const struct ncs_page *p, int width, struct ncs_str *out)
{
    struct ncs_str title = { 0 };
    ncs_str_addf(&title, "%s: ", p->id);
    if (p->kind == NCS_PAGE_RESULT || p->kind == NCS_PAGE_ERROR)
        ncs_str_addf(&title, "%s %d of %s, ", p->kind == NCS_PAGE_RESULT ? "result" : "error", ncs_page_number(p),
                     p->kind == NCS_PAGE_RESULT ? "NCCL" : "CUDA");
    if (p->kind == NCS_PAGE_EXIT)
        ncs_str_addf(&title, "exit status %d of ncclscript, ", ncs_page_number(p));
    ncs_str_addf(&title, "%s\n", p->title);
    ncs_fill_prose(out, title.text, 0, width);
    ncs_str_free(&title);
}

static void explain_page(const struct ncs_page *p, int width, struct ncs_str *out)
{
    explain_add_title(p, width, out);
    explain_add_part("What happens", p->what, width, out);
    explain_add_part("Why", p->why, width, out);
    explain_add_part("How to see it", p->see, width, out);
    explain_add_part("How to repair it", p->repair, width, out);
    add_scenario(p, p->id, out);
    add_also(p, width, out);
}

/* A number may be meant for the other library. */
static void add_other_code(const char *name, const struct ncs_page *p, struct ncs_str *out)
{
    if (p->kind != NCS_PAGE_RESULT || strspn(name, "0123456789") != strlen(name))
        return;
    for (const struct ncs_page *o = ncs_pages(); o->id; o++)
        if (o->kind == NCS_PAGE_ERROR && ncs_result_from_name(o->id) == ncs_result_from_name(p->id))
            ncs_str_addf(out, "\nThe same number of CUDA is %s.\n", o->id);
}

bool ncs_explain(const char *name, int width, struct ncs_str *out)
{
    struct ncs_named named;
    if (!ncs_page_find(name, &named))
        return false;
    if (named.exit) {
        explain_page(named.exit, width, out);
        ncs_str_add(out, "\n");
    }
    if (named.group) {
        explain_group(named.group, out);
    } else if (named.fn >= 0) {
        explain_function(named.fn, named.page, width, out);
    } else {
        explain_page(named.page, width, out);
        add_other_code(name, named.page, out);
    }
    return true;
}

bool ncs_explain_scenario(const char *name, struct ncs_str *out)
{
    struct ncs_named named;
    if (!ncs_page_find(name, &named) || !named.page || !named.page->scenario)
        return false;
    ncs_str_add(out, named.page->scenario);
    return true;
}

/* ---- the list ---- */

static void list_names(const char *heading, enum ncs_page_kind kind, int width, struct ncs_str *out)
{
    struct ncs_str names = { 0 };
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind == kind)
            ncs_str_addf(&names, "%s ", p->id);
    ncs_str_addf(out, "\n%s\n  ", heading);
    add_wrapped(names.text, "", 2, 2, width, out);
    ncs_str_free(&names);
}

void ncs_explain_list(int width, struct ncs_str *out)
{
    ncs_str_add(out, "Findings\n");
    for (const struct ncs_page_group *g = ncs_page_groups(); g->id; g++)
        for (const struct ncs_page *p = ncs_pages(); p->id; p++)
            if (p->kind == NCS_PAGE_CLASS && strcmp(p->group, g->id) == 0)
                ncs_str_addf(out, "  %-20s  %s\n", p->id, p->title);
    ncs_str_add(out, "\nGroups of findings\n  ");
    for (const struct ncs_page_group *g = ncs_page_groups(); g->id; g++)
        ncs_str_addf(out, "%s%s", g->id, g[1].id ? " " : "\n");
    list_names("Words of the reports", NCS_PAGE_WORD, width, out);
    list_names("Exit statuses, also by number", NCS_PAGE_EXIT, width, out);
    list_names("Variables of NCCL that the simulator obeys; the others have pages, too", NCS_PAGE_OBEYED, width, out);
    list_names("Results of NCCL, also by number", NCS_PAGE_RESULT, width, out);
    list_names("Errors of CUDA, also by number", NCS_PAGE_ERROR, width, out);
    ncs_str_add(out, "\nFunctions, by their names in C or Lua: ncclAllReduce, all_reduce, world:send, "
                     "stream:sync\n");
}
