/* The lines of the scenario that a finding speaks of, as they stand in its file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/source.h"
#include "report/text.h"

enum { QUOTED = 6 }; /* lines, at most: culprits' first, then those that its words name */

struct lines {
    int line[QUOTED];
    size_t count;
};

static void add_line(struct lines *l, int line)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->line[i] == line)
            return;
    if (line > 0 && l->count < QUOTED)
        l->line[l->count++] = line;
}

/* "... at line 12 ..." */
static void add_named(struct lines *l, const char *words)
{
    while (words && (words = strstr(words, "line ")) != NULL) {
        words += strlen("line ");
        long line = strtol(words, NULL, 10);
        add_line(l, line > 0 && line <= INT_MAX ? (int)line : 0);
    }
}

static void choose_lines(const struct ncs_finding *f, struct lines *l)
{
    for (size_t i = 0; i < f->culprits; i++)
        add_line(l, f->culprit[i].line);
    add_named(l, f->why);
    add_named(l, f->fix);
    for (size_t i = 0; i < f->cycles; i++)
        add_line(l, f->cycle[i].line);
    for (size_t i = 0; i < f->rows; i++)
        add_line(l, f->row[i].line);
    qsort(l->line, l->count, sizeof *l->line, ncs_order_ints);
}

/* Without the blanks around it. */
static void add_text(const struct ncs_source *s, int line, struct ncs_str *out)
{
    const char *from = s->text + s->start[line - 1];
    const char *end = (size_t)line < s->lines ? s->text + s->start[line] : s->text + s->bytes;
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (from < end && strchr(" \t\r\n", end[-1]))
        end--;
    ncs_str_addf(out, "%d | %.*s", line, (int)(end - from), from);
}

/* Lines alone do not say which file they are of. */
static bool is_one_file(const struct ncs_journal *j)
{
    const char *file = NULL;
    for (const struct ncs_call *c = j ? j->oldest : NULL; c; c = c->newer) {
        if (file && c->place.file && c->place.file != file)
            return false;
        file = file ? file : c->place.file;
    }
    return true;
}

void ncs_text_quote(const struct ncs_text *t, const struct ncs_finding *f)
{
    struct lines l = { 0 };
    struct ncs_str text = { 0 };
    struct ncs_error ignored = { 0 };
    const char *file = t->run->scenario ? t->run->scenario->file : NULL;
    choose_lines(f, &l);
    bool from_file = file && strcmp(file, "-") != 0 && is_one_file(t->result->journal);
    if (l.count && from_file && ncs_file_read(file, NCS_FILE_LIMIT, "a scenario", &text, &ignored)) {
        struct ncs_source s;
        ncs_source_init(&s, file, text.text, text.bytes);
        for (size_t i = 0; i < l.count; i++) {
            struct ncs_str line = { 0 };
            if ((size_t)l.line[i] > s.lines)
                continue;
            add_text(&s, l.line[i], &line);
            ncs_text_keyed(t, NCS_DIM, i == 0 ? "code" : "", line.text);
            ncs_str_free(&line);
        }
        ncs_source_free(&s);
    }
    ncs_str_free(&text);
}
