/* Finds the page for a name. */
#include "report/page.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/gen/api.h"
#include "api/types.h"

enum { NAME = 80 }; /* longer than any name */

static const char *page_skip(const char *s)
{
    return s + strspn(s, "-_ ");
}

static bool page_is_alike(const char *a, const char *b)
{
    for (a = page_skip(a), b = page_skip(b); *a; a = page_skip(a + 1), b = page_skip(b + 1))
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
    return !*b;
}

const char *ncs_list_next(const char *list, char *name, size_t size)
{
    if (!list)
        return NULL;
    list += strspn(list, " ");
    size_t bytes = strcspn(list, " ");
    snprintf(name, size, "%.*s", (int)bytes, list);
    return bytes ? list + bytes : NULL;
}

bool ncs_list_has(const char *list, const char *name)
{
    char each[NAME];
    while ((list = ncs_list_next(list, each, sizeof each)))
        if (page_is_alike(each, name))
            return true;
    return false;
}

const struct ncs_page *ncs_page(const char *id)
{
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind != NCS_PAGE_FUNCTIONS && strcmp(p->id, id) == 0)
            return p;
    return NULL;
}

const struct ncs_page *ncs_page_of_function(int fn)
{
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind == NCS_PAGE_FUNCTIONS && strcmp(p->id, ncs_fn_info[fn].family) == 0)
            return p;
    return NULL;
}

/* Without its underscores a variable may be a function: NCCL_PARAM_DUMP_ALL. */
static bool page_is_named(const struct ncs_page *p, const char *name)
{
    bool variable = p->kind == NCS_PAGE_OBEYED || p->kind == NCS_PAGE_VARIABLE;
    return p->kind != NCS_PAGE_FUNCTIONS && (variable ? strcasecmp(p->id, name) == 0 : page_is_alike(p->id, name));
}

static const struct ncs_page *page_by_name(const char *name)
{
    const struct ncs_page *also = NULL;
    for (const struct ncs_page *p = ncs_pages(); p->id; p++) {
        if (page_is_named(p, name))
            return p;
        if (!also && ncs_list_has(p->names, name))
            also = p;
    }
    return also;
}

int ncs_page_number(const struct ncs_page *page)
{
    if (page->kind == NCS_PAGE_RESULT || page->kind == NCS_PAGE_ERROR)
        return ncs_result_from_name(page->id);
    return page->kind == NCS_PAGE_EXIT ? atoi(page->id + strlen("exit-")) : -1;
}

static const struct ncs_page *of_kind(enum ncs_page_kind kind, long number)
{
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind == kind && ncs_page_number(p) == number)
            return p;
    return NULL;
}

/* If NCCL and CUDA both use the number, the page is NCCL's. */
static void page_by_number(const char *name, struct ncs_named *out)
{
    char *end;
    long number = strtol(name, &end, 10);
    if (!*name || *end || number < 0)
        return;
    const struct ncs_page *exit = of_kind(NCS_PAGE_EXIT, number);
    out->page = of_kind(NCS_PAGE_RESULT, number);
    if (!out->page)
        out->page = of_kind(NCS_PAGE_ERROR, number);
    if (out->page)
        out->exit = exit;
    else
        out->page = exit;
}

/* Behind "world:", "nccl.", "C.". */
static const char *last_word(const char *name)
{
    size_t at = strlen(name);
    while (at > 0 && name[at - 1] != ':' && name[at - 1] != '.')
        at--;
    return name + at;
}

/* Searches by the name in C, then by the name in Lua, then by the method alone: scripts name their
 * objects as they like, so the part before the colon does not matter. */
static int page_function_of(const char *name)
{
    const char *word = last_word(name);
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (page_is_alike(ncs_fn_info[fn].name, word))
            return fn;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (ncs_fn_info[fn].lua_name && page_is_alike(ncs_fn_info[fn].lua_name, name))
            return fn;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const char *lua = ncs_fn_info[fn].lua_name;
        bool library = word != name && word[-1] == '.';
        if (lua && !library && page_is_alike(last_word(lua), word) && (word == name || last_word(lua)[-1] == ':'))
            return fn;
    }
    return -1;
}

/* A collective with a configuration, as ncclReduceConfig; its name follows from that of the collective. */
static const struct ncs_page *page_of_configured(const char *name)
{
    static const char end[] = "Config";
    char plain[NAME];
    size_t bytes = strlen(name), of_end = sizeof end - 1;
    if (bytes <= of_end || bytes >= sizeof plain || strcmp(name + bytes - of_end, end) != 0)
        return NULL;
    snprintf(plain, sizeof plain, "%.*s", (int)(bytes - of_end), name);
    int fn = page_function_of(plain);
    return fn >= 0 && ncs_fn_info[fn].moves ? ncs_page("newer") : NULL;
}

bool ncs_page_find(const char *name, struct ncs_named *out)
{
    *out = (struct ncs_named){ .page = page_by_name(name), .fn = -1 };
    for (const struct ncs_page_group *g = ncs_page_groups(); g->id && !out->page; g++)
        if (page_is_alike(g->id, name))
            out->group = g;
    if (!out->page && !out->group)
        page_by_number(name, out);
    if (out->page || out->group)
        return true;
    out->fn = page_function_of(name);
    out->page = out->fn < 0 ? page_of_configured(name) : ncs_page_of_function(out->fn);
    return out->page != NULL;
}

const char *const *ncs_explained(size_t *count)
{
    static const char *names[1024 + 2 * NCS_FN_COUNT];
    *count = 0;
    for (const struct ncs_page *p = ncs_pages(); p->id; p++)
        if (p->kind != NCS_PAGE_FUNCTIONS)
            names[(*count)++] = p->id;
    for (const struct ncs_page_group *g = ncs_page_groups(); g->id; g++)
        names[(*count)++] = g->id;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        names[(*count)++] = ncs_fn_info[fn].name;
        if (ncs_fn_info[fn].lua_name)
            names[(*count)++] = last_word(ncs_fn_info[fn].lua_name);
    }
    return names;
}
