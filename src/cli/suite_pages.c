#include "cli/suite_pages.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/folder.h"

struct ncs_pages {
    const char *folder; /* borrowed from the options */
    const struct ncs_selection *selection;
    struct ncs_report_page *page;
    size_t pages, room;
};

bool ncs_pages_wanted(const char *path, size_t runs)
{
    static const char ending[] = ".html";
    size_t bytes = strlen(path);
    struct stat st;
    if (strcmp(path, "-") == 0 || bytes == 0)
        return false;
    if (stat(path, &st) == 0)
        return S_ISDIR(st.st_mode);
    bool is_page = bytes >= strlen(ending) && strcmp(path + bytes - strlen(ending), ending) == 0;
    return path[bytes - 1] == '/' || (runs > 1 && !is_page);
}

struct ncs_pages *ncs_pages_new(const char *folder, const struct ncs_selection *selection)
{
    struct ncs_pages *p = ncs_new(sizeof *p);
    *p = (struct ncs_pages){ .folder = folder, .selection = selection };
    return p;
}

void ncs_pages_free(struct ncs_pages *p)
{
    for (size_t i = 0; p && i < p->pages; i++) {
        ncs_free((char *)p->page[i].name);
        ncs_free((char *)p->page[i].file);
        ncs_free((char *)p->page[i].message);
    }
    if (p)
        ncs_free(p->page);
    ncs_free(p);
}

/* "03-skipped.lua-ranks-4.html": sorted as in the report, and nothing that a path or a link would take apart. */
static void name_page(const struct ncs_pages *p, size_t run, struct ncs_str *out)
{
    enum { LONGEST = 120 };
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";
    const struct ncs_selection *s = p->selection;
    struct ncs_str name = { 0 };
    int digits = snprintf(NULL, 0, "%zu", s->runs);
    ncs_selection_add_full_name(s, run, &name);
    const char *path = s->file[s->run[run].file].path, *slash = strrchr(path, '/');
    const char *at = name.text + (slash && strncmp(name.text, path, strlen(path)) == 0 ? slash + 1 - path : 0);
    ncs_str_addf(out, "%0*zu-", digits, run + 1);
    for (; *at && out->bytes < LONGEST; at++) {
        char c = strchr(plain, *at) ? *at : '-';
        if (c != '-' || out->text[out->bytes - 1] != '-')
            ncs_str_add_bytes(out, &c, 1);
    }
    while (out->text[out->bytes - 1] == '-')
        out->text[--out->bytes] = '\0';
    ncs_str_add(out, ".html");
    ncs_str_free(&name);
}

bool ncs_pages_write(const struct ncs_pages *p, size_t run, const struct ncs_report_run *report)
{
    struct ncs_str name = { 0 }, page = { 0 };
    name_page(p, run, &name);
    ncs_report_html(report, &page);
    bool ok = ncs_folder_write(p->folder, name.text, &page);
    ncs_str_free(&name);
    return ok;
}

void ncs_pages_add(struct ncs_pages *p, const struct ncs_report_entry *entry)
{
    struct ncs_str name = { 0 }, file = { 0 };
    ncs_selection_add_full_name(p->selection, p->pages, &name);
    if (entry->drawn)
        name_page(p, p->pages, &file);
    struct ncs_report_page page = {
        .name = ncs_str_take(&name),
        .file = entry->drawn ? ncs_str_take(&file) : NULL,
        .message = ncs_copy_text(entry->message.bytes ? entry->message.text : ""),
        .verdict = entry->verdict,
        .as_expected = entry->as_expected,
    };
    NCS_PUSH(p->page, p->pages, p->room, page);
}

bool ncs_pages_finish(struct ncs_pages *p)
{
    struct ncs_str index = { 0 };
    ncs_report_index(p->page, p->pages, p->selection->runs - p->pages, &index);
    return ncs_folder_write(p->folder, "index.html", &index);
}
