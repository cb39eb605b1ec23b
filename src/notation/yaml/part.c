/* Maps a part of a scalar's text back to its source by walking over both side by side. Where they do not
 * agree it does not guess, but returns the whole scalar. */
#include <string.h>

#include "notation/yaml/private.h"

struct walk {
    const char *text, *text_end;    /* the scalar's value */
    const char *from, *end;         /* its source, without quotes */
    size_t first, last;             /* the text's bytes that are asked for: [first, last) */
    size_t done;                    /* bytes of the text walked over */
    const char *first_at, *last_at; /* begin and end of the range; NULL = not reached */
};

/* Advances: the next `source` bytes of the source stand for the next `text` bytes of the text. */
static void step(struct walk *w, size_t source, size_t text)
{
    if (!w->first_at && w->first < w->done + text)
        w->first_at = text == source ? w->from + (w->first - w->done) : w->from;
    if (!w->last_at && w->last <= w->done + text)
        w->last_at = text == source ? w->from + (w->last - w->done) : w->from + source;
    w->from += source;
    w->text += text;
    w->done += text;
}

/* Advances over bytes that are equal on both sides; false if they are not. */
static bool same(struct walk *w, size_t bytes)
{
    if ((size_t)(w->text_end - w->text) < bytes || memcmp(w->text, w->from, bytes) != 0)
        return false;
    step(w, bytes, bytes);
    return true;
}

/* Measures a run of blanks and its line ends. YAML leaves a run without line ends unchanged, folds one
 * line end to a blank, and drops one of several. */
static size_t blanks(const struct walk *w, size_t *lines)
{
    size_t bytes = 0;
    *lines = 0;
    for (; w->from + bytes < w->end && strchr(" \t\r\n", w->from[bytes]); bytes++)
        *lines += w->from[bytes] == '\n';
    return bytes;
}

/* The length of an escape in the source, and in the text. */
static size_t escape(const struct walk *w, size_t *text)
{
    static const char two[] = "N_", three[] = "LP";
    char c = w->from[1];
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    unsigned char lead = (unsigned char)*w->text;
    *text = digits == 0 ? 1 : lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (strchr(two, c))
        *text = 2;
    else if (strchr(three, c))
        *text = 3;
    if (c != '\n' && c != '\r')
        return 2 + digits;
    *text = 0; /* an escaped line end: the next line continues after its blanks */
    size_t bytes = c == '\r' ? 3 : 2;
    return bytes + strspn(w->from + bytes, " \t");
}

static bool walk_flow(struct walk *w, char quote)
{
    while (w->from < w->end) {
        size_t lines, text, source = blanks(w, &lines);
        if (lines > 0) {
            text = lines > 1 ? lines - 1 : 1;
        } else if (quote == '"' && *w->from == '\\') {
            source = escape(w, &text);
        } else if (quote == '\'' && *w->from == '\'') {
            source = 2;
            text = 1;
        } else if (!same(w, source ? source : 1)) {
            return false;
        } else {
            continue;
        }
        if (source > (size_t)(w->end - w->from) || text > (size_t)(w->text_end - w->text))
            return false;
        step(w, source, text);
    }
    return w->text == w->text_end;
}

/* Walks the lines of a block. Each is in the text without its indentation; between them the text has line
 * ends, or one blank where a line was folded. */
static bool walk_block(struct walk *w)
{
    const char *line = memchr(w->from, '\n', (size_t)(w->end - w->from));
    size_t indent = SIZE_MAX;
    while (line && ++line < w->end) {
        const char *next = memchr(line, '\n', (size_t)(w->end - line));
        size_t bytes = next ? (size_t)(next - line) : (size_t)(w->end - line);
        if (bytes > 0 && line[bytes - 1] == '\r')
            bytes--;
        size_t spaces = strspn(line, " ");
        if (spaces < bytes && indent == SIZE_MAX)
            indent = spaces;
        if (spaces < bytes) {
            size_t between = strspn(w->text, "\n");
            if (between == 0 && w->done > 0 && *w->text == ' ')
                between = 1;
            step(w, 0, between);
            w->from = line + (indent < bytes ? indent : bytes);
            if (!same(w, bytes - (size_t)(w->from - line)))
                return false;
        }
        line = next;
    }
    step(w, 0, strspn(w->text, "\n"));
    return w->text == w->text_end;
}

struct ncs_span ncs_yaml_part(const struct ncs_yaml *y, const struct ncs_yaml_node *scalar, size_t at, size_t bytes)
{
    const char *from = y->source->text + scalar->at.at;
    struct walk w = { .text = scalar->text, .from = from, .end = from + scalar->at.bytes, .first = at, .last = at + bytes };
    if (!scalar->text || scalar->of || at > scalar->bytes || bytes > scalar->bytes - at)
        return scalar->at;
    w.text_end = w.text + scalar->bytes;
    bool block = !scalar->plain && (*from == '|' || *from == '>');
    bool quoted = !scalar->plain && !block;
    if (quoted) {
        w.from++;
        w.end--;
    }
    if (block ? !walk_block(&w) : !walk_flow(&w, quoted ? *from : '\0'))
        return scalar->at;
    if (!w.first_at)
        w.first_at = w.from;
    if (!w.last_at || w.last_at < w.first_at)
        w.last_at = w.first_at;
    return (struct ncs_span){ (size_t)(w.first_at - y->source->text), (size_t)(w.last_at - w.first_at) };
}
