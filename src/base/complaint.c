#include "base/complaint.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

static void complaint_forget(struct ncs_complaint *item)
{
    ncs_free(item->text);
    ncs_free(item->hint);
    ncs_free(item->note);
}

static struct ncs_complaint *complaint_add(struct ncs_complaints *c, struct ncs_span at, bool warning)
{
    c->open = false;
    if (warning ? c->count >= 2 * NCS_COMPLAINTS_KEPT : c->errors++ >= NCS_COMPLAINTS_KEPT)
        return NULL;
    for (size_t i = 0; i < c->count; i++) {
        struct ncs_complaint *there = &c->item[i];
        if (there->at.at != at.at || there->at.bytes != at.bytes)
            continue;
        if (warning || !there->warning) {
            c->errors -= !warning;
            return NULL;
        }
        complaint_forget(there); /* an error says more than a warning */
        memmove(there, there + 1, (c->count - i - 1) * sizeof *there);
        c->count--;
        break;
    }
    NCS_PUSH(c->item, c->count, c->room, ((struct ncs_complaint){ .warning = warning, .at = at }));
    c->open = true;
    return &c->item[c->count - 1];
}

static char *formatted(const char *fmt, va_list args)
{
    struct ncs_str text = { 0 };
    ncs_str_addv(&text, fmt, args);
    return ncs_str_take(&text);
}

/* The last complaint, if it was kept. */
static struct ncs_complaint *last(struct ncs_complaints *c)
{
    return c->open ? &c->item[c->count - 1] : NULL;
}

bool ncs_complain(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
{
    struct ncs_complaint *item = complaint_add(c, at, false);
    va_list args;
    va_start(args, fmt);
    if (item)
        item->text = formatted(fmt, args);
    va_end(args);
    return false;
}

void ncs_complain_warning(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
{
    struct ncs_complaint *item = complaint_add(c, at, true);
    va_list args;
    va_start(args, fmt);
    if (item)
        item->text = formatted(fmt, args);
    va_end(args);
}

bool ncs_complain_hint(struct ncs_complaints *c, const char *fmt, ...)
{
    struct ncs_complaint *item = last(c);
    va_list args;
    va_start(args, fmt);
    if (item) {
        ncs_free(item->hint);
        item->hint = formatted(fmt, args);
    }
    va_end(args);
    return false;
}

bool ncs_complain_note(struct ncs_complaints *c, struct ncs_span at, const char *fmt, ...)
{
    struct ncs_complaint *item = last(c);
    va_list args;
    va_start(args, fmt);
    if (item) {
        ncs_free(item->note);
        item->note = formatted(fmt, args);
        item->note_at = at;
    }
    va_end(args);
    return false;
}

/* ---- as text ---- */

static int complaint_by_place(const void *a, const void *b)
{
    const struct ncs_complaint *x = *(struct ncs_complaint *const *)a;
    const struct ncs_complaint *y = *(struct ncs_complaint *const *)b;
    if (x->at.at != y->at.at)
        return x->at.at < y->at.at ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void complaint_add_line(const struct ncs_source *s, struct ncs_span at, const char *level, const char *text,
                               struct ncs_str *out)
{
    int column, line = ncs_source_line(s, at.at, &column);
    ncs_safe_line(out, s->file);
    ncs_str_addf(out, ":%d:%d: %s: ", line, column, level);
    ncs_safe_line(out, text);
    ncs_str_add(out, "\n");
    ncs_source_show(s, at, out);
}

static void add_complaint(const struct ncs_source *s, const struct ncs_complaint *item, struct ncs_str *out)
{
    complaint_add_line(s, item->at, item->warning ? "warning" : "error", item->text, out);
    if (item->note)
        complaint_add_line(s, item->note_at, "note", item->note, out);
    if (item->hint) {
        ncs_str_add(out, "  hint: ");
        ncs_safe_line(out, item->hint);
        ncs_str_add(out, "\n");
    }
}

const struct ncs_complaint **ncs_complaints_in_order(const struct ncs_complaints *c)
{
    const struct ncs_complaint **sorted = ncs_new(c->count * sizeof *sorted);
    for (size_t i = 0; i < c->count; i++)
        sorted[i] = &c->item[i];
    qsort(sorted, c->count, sizeof *sorted, complaint_by_place);
    return sorted;
}

void ncs_complaints_text(const struct ncs_complaints *c, struct ncs_str *out)
{
    const struct ncs_complaint **sorted = ncs_complaints_in_order(c);
    for (size_t i = 0; i < c->count; i++)
        add_complaint(c->source, sorted[i], out);
    if (c->errors > NCS_COMPLAINTS_KEPT)
        ncs_str_addf(out, "%zu more errors are not shown\n", c->errors - NCS_COMPLAINTS_KEPT);
    ncs_free(sorted);
}

enum ncs_status ncs_complaints_status(const struct ncs_complaints *c)
{
    return c->no_memory ? NCS_NO_MEMORY : c->errors ? NCS_BAD_INPUT : NCS_OK;
}

bool ncs_complaints_error(const struct ncs_complaints *c, struct ncs_error *err)
{
    const struct ncs_complaint *first = NULL;
    for (size_t i = 0; i < c->count; i++)
        if (!c->item[i].warning && (!first || c->item[i].at.at < first->at.at))
            first = &c->item[i];
    if (!first)
        return true;
    int column, line = ncs_source_line(c->source, first->at.at, &column);
    ncs_fail(err, ncs_complaints_status(c), "%s", first->text);
    ncs_fail_at(err, c->source->file, line, column);
    return first->hint ? ncs_fail_hint(err, "%s", first->hint) : false;
}

void ncs_complaints_free(struct ncs_complaints *c)
{
    for (size_t i = 0; i < c->count; i++)
        complaint_forget(&c->item[i]);
    ncs_free(c->item);
    *c = (struct ncs_complaints){ .source = c->source };
}
