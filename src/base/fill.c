#include "base/fill.h"

#include <string.h>

/* Narrower terminals get lines of this many columns: a word a line would help nobody. */
enum { NARROWEST = 30 };

static bool begins_column(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* The end of the escape sequence at `at`; `at` itself if there is none. */
static const char *skip_escape(const char *at, const char *end)
{
    const char *p = at;
    if (end - p < 2 || p[0] != '\033' || p[1] != '[')
        return at;
    for (p += 2; p < end && (*p == ';' || (*p >= '0' && *p <= '9')); p++)
        continue;
    return p < end ? p + 1 : at;
}

static size_t fill_columns(const char *at, const char *end)
{
    size_t columns = 0;
    while (at < end) {
        const char *next = skip_escape(at, end);
        if (next == at)
            columns += begins_column(*at++);
        else
            at = next;
    }
    return columns;
}

static const char *fill_line_end(const char *line)
{
    return line + strcspn(line, "\n");
}

static void add_blanks(struct ncs_str *out, size_t blanks)
{
    ncs_str_addf(out, "%*s", (int)blanks, "");
}

/* Appends the words from `at` to `end` in lines of `width` columns; the first word goes to column `column`. */
static void add_words(struct ncs_str *out, const char *at, const char *end, size_t column, size_t hang, size_t width)
{
    bool first = true;
    while (at < end) {
        const char *blanks = at;
        at += strspn(at, " \n");
        const char *word = at;
        at += strcspn(at, " \n");
        if (at > end)
            at = end;
        if (word >= end)
            break;
        size_t columns = fill_columns(word, at);
        size_t gap = first ? 0 : memchr(blanks, '\n', (size_t)(word - blanks)) ? 1 : (size_t)(word - blanks);
        if (!first && column + gap + columns > width) {
            ncs_str_add(out, "\n");
            add_blanks(out, hang);
            column = hang;
            gap = 0;
        }
        add_blanks(out, gap);
        ncs_str_add_bytes(out, word, (size_t)(at - word));
        column += gap + columns;
        first = false;
    }
    ncs_str_add(out, "\n");
}

/* ---- prose ---- */

static bool is_item(const char *line)
{
    return line[0] == '-' && line[1] == ' ';
}

static bool is_prose(const char *line)
{
    return *line && *line != '\n' && *line != ' ' && *line != '\t';
}

/* The end of the paragraph that begins with this line: that of its last line. */
static const char *paragraph_end(const char *line)
{
    const char *end = fill_line_end(line);
    bool item = is_item(line);
    while (*end == '\n') {
        const char *next = end + 1;
        bool goes_on = item ? strncmp(next, "  ", 2) == 0 && is_prose(next + 2) : is_prose(next) && !is_item(next);
        if (!goes_on)
            break;
        end = fill_line_end(next);
    }
    return end;
}

static bool fill_fits(const char *text, const char *end, size_t indent, size_t width)
{
    for (const char *line = text; line < end; line = fill_line_end(line) + 1)
        if (indent + fill_columns(line, fill_line_end(line)) > width)
            return false;
    return true;
}

static void add_as_they_are(struct ncs_str *out, const char *text, const char *end, size_t indent)
{
    for (const char *line = text; line < end || line == text; line = fill_line_end(line) + 1) {
        const char *stop = fill_line_end(line);
        add_blanks(out, stop > line ? indent : 0);
        ncs_str_add_bytes(out, line, (size_t)(stop - line));
        ncs_str_add(out, "\n");
    }
}

void ncs_fill_prose(struct ncs_str *out, const char *text, size_t indent, int width)
{
    size_t most = width > 0 && width < NARROWEST ? NARROWEST : (size_t)width;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = is_prose(text) ? paragraph_end(text) : fill_line_end(text);
        if (width <= 0 || !is_prose(text) || fill_fits(text, end, indent, most)) {
            add_as_they_are(out, text, end, indent);
            continue;
        }
        add_blanks(out, indent);
        add_words(out, text, end, indent, is_item(text) ? indent + 2 : indent, most);
    }
}

/* ---- lines ---- */

/* The column where a line's continuation begins. */
static size_t hang_of(const char *line, const char *end, size_t width)
{
    size_t own = strspn(line, " ");
    const char *at = line + own;
    for (; at + 1 < end; at++)
        if (at[0] == ' ' && at[1] == ' ') {
            at += strspn(at, " ");
            break;
        }
    size_t second = fill_columns(line, at);
    return at + 1 < end && second <= width / 2 ? second : own + 2 <= width / 2 ? own + 2 : 0;
}

void ncs_fill_lines(struct ncs_str *out, const char *text, int width)
{
    size_t most = width > 0 && width < NARROWEST ? NARROWEST : (size_t)width;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = fill_line_end(text);
        if (width <= 0 || fill_columns(text, end) <= most) {
            add_as_they_are(out, text, end, 0);
            continue;
        }
        size_t own = strspn(text, " ");
        add_blanks(out, own);
        add_words(out, text + own, end, own, hang_of(text, end, most), most);
    }
}
