/* Pages of `explain` as JSON, one object a line. */
#include "report/page.h"

#include "api/gen/api.h"
#include "base/json.h"
#include "report/format.h"

static json_t *explain_json_list_of(const char *list)
{
    char name[80];
    json_t *all = json_array();
    while ((list = ncs_list_next(list, name, sizeof name)))
        json_array_append_new(all, json_string(name));
    return all;
}

static json_t *explain_json_arguments(const struct ncs_fn_info *info)
{
    json_t *list = json_array();
    for (int i = 0; i < info->nargs; i++) {
        const struct ncs_kind_info *kind = &ncs_kind_info[info->arg[i].kind];
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(info->arg[i].name));
        json_object_set_new(o, "type", json_string(kind->ctype));
        json_object_set_new(o, "meaning", json_string(kind->text));
        json_array_append_new(list, o);
    }
    return list;
}

static void add_page(const struct ncs_page *p, int fn, struct ncs_str *out)
{
    static const char *const kinds[] = { "class", "result", "error", "word", "exit", "variable", "variable", "function" };
    const struct ncs_fn_info *info = fn >= 0 ? &ncs_fn_info[fn] : NULL;
    int number = ncs_page_number(p);
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("ncclscript.explain/1"));
    json_object_set_new(o, "topic", json_string(info ? info->name : p->id));
    json_object_set_new(o, "kind", json_string(kinds[p->kind]));
    json_object_set_new(o, "meaning", json_string(info ? info->text : p->title));
    json_object_set_new(o, "group", ncs_json_of(p->group));
    json_object_set_new(o, "number", number >= 0 ? json_integer(number) : json_null());
    json_object_set_new(o, "what", ncs_json_of(p->what));
    json_object_set_new(o, "why", ncs_json_of(p->why));
    json_object_set_new(o, "see", ncs_json_of(p->see));
    json_object_set_new(o, "repair", ncs_json_of(p->repair));
    json_object_set_new(o, "scenario", ncs_json_of(p->scenario));
    json_object_set_new(o, "ends", ncs_json_of(p->ends));
    json_object_set_new(o, "finding", ncs_json_of(p->finding));
    json_object_set_new(o, "also", explain_json_list_of(p->also));
    if (info) {
        json_object_set_new(o, "arguments", explain_json_arguments(info));
        json_object_set_new(o, "lua", ncs_json_of(info->lua_name));
        json_object_set_new(o, "blocks", ncs_json_of(p->blocks));
        json_object_set_new(o, "threads", ncs_json_of(p->threads));
        json_object_set_new(o, "findings", explain_json_list_of(p->findings));
        json_object_set_new(o, "reference", ncs_json_of(p->reference));
    }
    ncs_json_line(o, 0, out);
}

static void explain_json_add_group(const struct ncs_page_group *group, struct ncs_str *out)
{
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind == NCS_PAGE_CLASS && ncs_list_has(p->group, group->id))
            add_page(p, -1, out);
}

bool ncs_explain_json(const char *name, struct ncs_str *out)
{
    struct ncs_named named;
    if (name && !ncs_page_find(name, &named))
        return false;
    if (name && named.group) {
        explain_json_add_group(named.group, out);
    } else if (name) {
        if (named.exit)
            add_page(named.exit, -1, out);
        add_page(named.page, named.fn, out);
    } else {
        for (const struct ncs_page *p = ncs_pages(); p->id; p++)
            if (p->kind != NCS_PAGE_FUNCTIONS)
                add_page(p, -1, out);
        for (int fn = 0; fn < NCS_FN_COUNT; fn++)
            if (ncs_page_of_function(fn))
                add_page(ncs_page_of_function(fn), fn, out);
    }
    return true;
}
