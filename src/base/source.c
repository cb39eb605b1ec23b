#include "base/source.h"

#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"
#define WINDOW 160 /* bytes of a line that are shown */

void ncs_source_init(struct ncs_source *s, const char *file, const char *text, size_t bytes)
{
    size_t room = 0;
    *s = (struct ncs_source){ .file = file, .text = text, .bytes = bytes };
    NCS_PUSH(s->start, s->lines, room, 0);
    for (const char *p = text, *end = text + bytes; (p = memchr(p, '\n', (size_t)(end - p)));) {
        p++;
        NCS_PUSH(s->start, s->lines, room, (size_t)(p - text));
    }
}

void ncs_source_free(struct ncs_source *s)
{
    ncs_free(s->start);
    *s = (struct ncs_source){ 0 };
}

/* The number, from 0, of the line that holds a byte. */
static size_t line_at(const struct ncs_source *s, size_t at)
{
    size_t low = 0, high = s->lines;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->start[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool begins(char c) /* a code point */
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

int ncs_source_line(const struct ncs_source *s, size_t at, int *column)
{
    size_t line = line_at(s, at);
    if (column) {
        size_t i = s->start[line];
        if (line == 0 && strncmp(s->text, BYTE_ORDER_MARK, 3) == 0)
            i = 3; /* a byte order mark has no column */
        for (*column = 1; i < at && i < s->bytes; i++)
            *column += begins(s->text[i]);
    }
    return (int)line + 1;
}

/* The end of a line's text, without its line end. */
static size_t source_line_end(const struct ncs_source *s, size_t line)
{
    size_t end = line + 1 < s->lines ? s->start[line + 1] - 1 : s->bytes;
    return end > s->start[line] && s->text[end - 1] == '\r' ? end - 1 : end;
}

size_t ncs_source_byte(const struct ncs_source *s, int line, int column)
{
    size_t at = s->start[line - 1], end = source_line_end(s, (size_t)line - 1);
    if (line == 1 && strncmp(s->text, BYTE_ORDER_MARK, 3) == 0)
        at = 3;
    for (; column > 1 && at < end; column--)
        for (at++; at < end && !begins(s->text[at]);)
            at++;
    return at;
}

/* Appends a piece of a line as shown; returns its width in cells. */
static size_t add_piece(const struct ncs_source *s, size_t from, size_t to, struct ncs_str *out)
{
    struct ncs_str raw = { 0 }, piece = { 0 };
    ncs_str_add_bytes(&raw, s->text + from, to - from);
    ncs_safe_line(&piece, raw.text);
    ncs_str_add(&piece, "");
    size_t width = ncs_safe_width(piece.text);
    if (out)
        ncs_str_add(out, piece.text);
    ncs_str_free(&raw);
    ncs_str_free(&piece);
    return width;
}

void ncs_source_show(const struct ncs_source *s, struct ncs_span span, struct ncs_str *out)
{
    size_t line = line_at(s, span.at);
    size_t from = s->start[line], to = source_line_end(s, line);
    size_t at = span.at < to ? span.at : to;
    size_t end = span.bytes < to - at ? at + span.bytes : to;
    if (to - from > WINDOW) {
        if (at - from > WINDOW / 2)
            from = at - WINDOW / 2;
        while (from < at && !begins(s->text[from]))
            from++;
        if (to - from > WINDOW)
            to = from + WINDOW;
        while (to > at && !begins(s->text[to]))
            to--;
        end = end < to ? end : to;
    }
    ncs_str_addf(out, "%5zu | ", line + 1);
    size_t before = add_piece(s, from, at, out), width = add_piece(s, at, end, out);
    add_piece(s, end, to, out);
    ncs_str_addf(out, "\n      | %*s", (int)before, "");
    for (size_t i = 0; i < (width ? width : 1); i++)
        ncs_str_add(out, "^");
    ncs_str_add(out, "\n");
}
