/* Quotes the lines of the scenario, or of the program's sources, that a finding or an error names. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "report/sources.h"
#include "report/text.h"

enum { QUOTED = 6 }; /* most lines: first the culprits', then those that the texts name */

struct lines {
    int line[QUOTED];
    size_t count;
};

static void quote_add_line(struct lines *l, int line)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->line[i] == line)
            return;
    if (line > 0 && l->count < QUOTED)
        l->line[l->count++] = line;
}

static void quote_add_named(struct lines *l, const struct ncs_sentence *s)
{
    for (size_t i = 0; ncs_sentence_text(s) && i < s->lines; i++)
        quote_add_line(l, s->line[i]);
}

static void choose_lines(const struct ncs_finding *f, struct lines *l)
{
    for (size_t i = 0; i < f->culprits; i++)
        quote_add_line(l, f->culprit[i].line);
    quote_add_named(l, f->why);
    quote_add_named(l, f->fix);
    for (size_t i = 0; i < f->priors; i++)
        quote_add_line(l, f->prior[i].line);
    for (size_t i = 0; i < f->cycles; i++)
        quote_add_line(l, f->cycle[i].line);
    for (size_t i = 0; i < f->rows; i++)
        quote_add_line(l, f->row[i].line);
    qsort(l->line, l->count, sizeof *l->line, ncs_order_ints);
}

#define QUOTE_MOST 400 /* bytes: a line of generated text may have millions */

/* Without the blanks around it. */
static void quote_add_text(const struct ncs_source *s, int line, struct ncs_str *out)
{
    const char *from = s->text + s->start[line - 1];
    const char *end = (size_t)line < s->lines ? s->text + s->start[line] : s->text + s->bytes;
    while (from < end && (*from == ' ' || *from == '\t'))
        from++;
    while (from < end && strchr(" \t\r\n", end[-1]))
        end--;
    bool all = end - from <= QUOTE_MOST;
    end = all ? end : from + QUOTE_MOST;
    while (!all && end > from && ((unsigned char)*end & 0xc0) == 0x80) /* not within a character of UTF-8 */
        end--;
    ncs_str_addf(out, "%d | %.*s%s", line, (int)(end - from), from, all ? "" : "...");
}

/* ---- of which file a line is ---- */

static bool is_call_of(const struct ncs_text *t, const struct ncs_finding *f, const struct ncs_call *c)
{
    const char *name = c->comm >= 0 ? t->result->journal->comm[c->comm]->name : NULL;
    return f->call && c->number == f->call && f->comm && name && strcmp(name, f->comm) == 0;
}

static bool quote_is_culprit(const struct ncs_finding *f, int rank, int line)
{
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank == rank && f->culprit[i].line == line)
            return true;
    return false;
}

/* Flags the files that the line may belong to: those in which a culprit raised an error there; else
 * those of the finding's calls there; else those of any call there. */
static void files_with(const struct ncs_text *t, const struct ncs_finding *f, int line, bool *in)
{
    struct ncs_sources *q = t->quotes;
    const struct ncs_result *r = t->result;
    const struct ncs_journal *j = r->journal;
    bool any = q->files == 1;
    in[0] = any;
    for (size_t i = 0; i < r->errors && !any; i++)
        if (r->error[i].place.line == line && r->error[i].place.file &&
            quote_is_culprit(f, ncs_number_of_thread(&r->diagnosis, r->error[i].rank, r->error[i].thread), line))
            any = in[ncs_sources_find(q, r->error[i].place.file)] = true;
    for (int all = 0; all < 2 && !any; all++)
        for (const struct ncs_call *c = j ? j->oldest : NULL; c; c = c->newer)
            if (c->place.line == line && c->place.file && (all || is_call_of(t, f, c)))
                any = in[ncs_sources_find(q, c->place.file)] = true;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* name: of the file, to be shown; NULL = there is only one. */
static void quote_line(const struct ncs_text *t, const struct ncs_source_file *file, const char *name, int at, bool first)
{
    struct ncs_str line = { 0 };
    if (name)
        ncs_str_addf(&line, "%s:", name);
    quote_add_text(&file->source, at, &line);
    ncs_text_keyed(t, NCS_DIM, first ? "code" : "", line.text);
    ncs_str_free(&line);
}

static const char *quote_name(const struct ncs_sources *s, const struct ncs_source_file *file)
{
    return s->files > 1 ? base_name(file->name) : NULL;
}

/* True if the file has the line; false: if it cannot be read, the report gets the reason once. */
static bool quote_has(const struct ncs_text *t, struct ncs_source_file *file, int line)
{
    if (file->unread && !file->mentioned) {
        struct ncs_str words = { 0 };
        ncs_str_addf(&words, "%s is not quoted: %s", file->name, file->unread);
        ncs_text_keyed(t, NCS_DIM, "code", words.text);
        ncs_str_free(&words);
        file->mentioned = true;
    }
    return file->text && line > 0 && (size_t)line <= file->source.lines;
}

/* Quotes a line of a program: the number stands for a file and its line. True if it was quoted. */
static bool quote_place(const struct ncs_text *t, long number, bool first)
{
    const struct ncs_report_places *places = t->run->places;
    struct ncs_report_source at;
    if (!places->source || !places->source(places->arg, number, &at) || !at.path)
        return false;
    struct ncs_source_file *file = ncs_sources_read(t->quotes, at.path);
    if (!quote_has(t, file, at.line))
        return false;
    quote_line(t, file, at.name, at.line, first);
    return true;
}

void ncs_text_quote(struct ncs_text *t, const struct ncs_finding *f)
{
    struct lines l = { 0 };
    bool first = true;
    choose_lines(f, &l);
    if (!t->quotes && l.count)
        t->quotes = ncs_sources_open(t->run);
    for (size_t i = 0; i < l.count && t->run->places; i++)
        first &= !quote_place(t, l.line[i], first);
    if (t->run->places)
        return;
    for (size_t i = 0; i < l.count && t->quotes->files; i++) {
        bool *in = ncs_new(t->quotes->files * sizeof *in);
        files_with(t, f, l.line[i], in);
        for (size_t k = 0; k < t->quotes->files; k++) {
            struct ncs_source_file *file = &t->quotes->file[k];
            if (!in[k] || !quote_has(t, file, l.line[i]))
                continue;
            quote_line(t, file, quote_name(t->quotes, file), l.line[i], first);
            first = false;
        }
        ncs_free(in);
    }
}

/* ---- errors ---- */

/* True if a finding about the same rank and line quotes it. */
static bool is_quoted(const struct ncs_diagnosis *d, const struct ncs_run_error *e)
{
    for (size_t i = 0; i < d->findings; i++)
        if (quote_is_culprit(&d->finding[i], ncs_number_of_thread(d, e->rank, e->thread), e->place.line))
            return true;
    return false;
}

/* The index of the first error at the same place; `i` itself = no earlier one. */
static size_t first_there(const struct ncs_result *r, size_t i)
{
    const struct ncs_place *at = &r->error[i].place;
    for (size_t k = 0; k < i; k++)
        if (r->error[k].place.line == at->line && r->error[k].place.file && strcmp(r->error[k].place.file, at->file) == 0)
            return k;
    return i;
}

void ncs_text_quote_errors(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_text quoting = *t;
    size_t quoted = 0;
    for (size_t i = 0; i < r->errors && quoted < QUOTED; i++) {
        const struct ncs_run_error *e = &r->error[i];
        if (!e->place.file || is_quoted(&r->diagnosis, e) || first_there(r, i) != i)
            continue;
        if (!quoting.quotes)
            quoting.quotes = ncs_sources_open(t->run);
        if (!quoting.quotes->files)
            break;
        struct ncs_source_file *file = &quoting.quotes->file[ncs_sources_find(quoting.quotes, e->place.file)];
        if (quote_has(&quoting, file, e->place.line))
            quote_line(&quoting, file, quote_name(quoting.quotes, file), e->place.line, quoted++ == 0);
    }
    ncs_sources_free(quoting.quotes);
}
