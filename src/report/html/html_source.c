/* The source of the run's calls, line by line, so that numbers of lines can be links. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/html.h"
#include "report/places.h"

enum { LINES = 20000 }; /* a longer file is not shown */

static bool html_is_shown(const struct ncs_source_file *f)
{
    return f->text && f->source.lines <= LINES;
}

int ncs_html_file(struct ncs_page *p, struct ncs_place place)
{
    for (size_t i = 0; place.file && i < p->sources->files; i++) {
        const struct ncs_source_file *f = &p->sources->file[i];
        if (strcmp(f->name, place.file) == 0)
            return html_is_shown(f) && place.line > 0 && (size_t)place.line <= f->source.lines ? (int)i : -1;
    }
    return -1;
}

void ncs_html_line(struct ncs_page *p, struct ncs_place place)
{
    int file = ncs_html_file(p, place);
    const char *name = ncs_report_place(p->run, place.line);
    if (name)
        ncs_html_text(p->out, name);
    else if (file >= 0)
        ncs_str_addf(p->out, "<a href=\"#f%dl%d\">%d</a>", file, place.line, place.line);
    else if (place.line > 0)
        ncs_str_addf(p->out, "%d", place.line);
}

/* The number behind "line ", if it is one of a line that the page shows. */
static int html_line_at(const struct ncs_page *p, const char *at)
{
    const struct ncs_sources *s = p->sources;
    long line = at[0] >= '1' && at[0] <= '9' ? strtol(at, NULL, 10) : 0;
    return s->files == 1 && html_is_shown(&s->file[0]) && line > 0 && line <= INT_MAX && (size_t)line <= s->file[0].source.lines
               ? (int)line
               : 0;
}

void ncs_html_linked(struct ncs_page *p, const char *text)
{
    static const char word[] = "line ";
    struct ncs_str part = { 0 }, named = { 0 };
    ncs_str_add(&named, text ? text : "");
    ncs_report_name_places(p->run, &named);
    for (const char *at = named.text, *next; *at; at = next) {
        const char *found = strstr(at, word);
        int line = found ? html_line_at(p, found + strlen(word)) : 0;
        next = found ? found + strlen(word) : at + strlen(at);
        ncs_str_clear(&part);
        ncs_str_add_bytes(&part, at, (size_t)((line ? found : next) - at));
        ncs_html_text(p->out, part.text);
        if (line) {
            next += strspn(next, "0123456789");
            ncs_str_addf(p->out, "<a href=\"#f0l%d\">line %d</a>", line, line);
        }
    }
    ncs_str_free(&part);
    ncs_str_free(&named);
}

static void html_add_source(struct ncs_page *p, size_t index)
{
    const struct ncs_source_file *f = &p->sources->file[index];
    const struct ncs_source *s = &f->source;
    struct ncs_str line = { 0 };
    ncs_str_addf(p->out, "<details%s><summary>", index == 0 && s->lines <= 60 ? " open" : "");
    ncs_html_text(p->out, f->name);
    ncs_str_addf(p->out, ": %zu line%s</summary><ol class=\"code\">\n", s->lines, s->lines == 1 ? "" : "s");
    for (size_t i = 0; i < s->lines; i++) {
        const char *from = s->text + s->start[i];
        const char *end = i + 1 < s->lines ? s->text + s->start[i + 1] : s->text + s->bytes;
        while (end > from && strchr("\r\n", end[-1]))
            end--;
        ncs_str_clear(&line);
        ncs_str_add_bytes(&line, from, (size_t)(end - from));
        ncs_str_addf(p->out, "<li id=\"f%zul%zu\">", index, i + 1);
        ncs_html_text(p->out, line.bytes ? line.text : "");
        ncs_str_add(p->out, "\n");
    }
    ncs_str_add(p->out, "</ol></details>\n");
    ncs_str_free(&line);
}

static void html_add_unread(struct ncs_page *p, const struct ncs_source_file *f)
{
    ncs_str_add(p->out, "<p>");
    ncs_html_text(p->out, f->name);
    ncs_str_add(p->out, " is not shown: ");
    ncs_html_text(p->out, f->unread);
    ncs_str_add(p->out, "</p>\n");
}

void ncs_html_sources(struct ncs_page *p)
{
    bool any = false;
    for (size_t i = 0; i < p->sources->files; i++) {
        const struct ncs_source_file *f = &p->sources->file[i];
        if (!html_is_shown(f) && !f->unread)
            continue;
        if (!any)
            ncs_str_add(p->out, "<h2>Source</h2>\n");
        any = true;
        if (f->unread)
            html_add_unread(p, f);
        else
            html_add_source(p, i);
    }
}
