#include <string.h>

#include "notation/yaml/syntax.h"

int ncs_shown(const char *text, size_t bytes)
{
    if (bytes > NCS_SHOWN_BYTES) {
        bytes = NCS_SHOWN_BYTES;
        while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
            bytes--;
    }
    return (int)bytes;
}

size_t ncs_line_of(const struct ncs_source *s, size_t at)
{
    while (at > 0 && s->text[at - 1] != '\n')
        at--;
    return at == 0 && strncmp(s->text, "\xef\xbb\xbf", 3) == 0 ? 3 : at;
}

size_t ncs_line_indent(const struct ncs_source *s, size_t line)
{
    return strspn(s->text + line, " ");
}

size_t ncs_line_content(const struct ncs_source *s, size_t line)
{
    size_t at = line + ncs_line_indent(s, line);
    while (s->text[at] == '-' && s->text[at + 1] == ' ')
        at += 1 + strspn(s->text + at + 1, " ");
    return at;
}

size_t ncs_line_above(const struct ncs_source *s, size_t line)
{
    while (line > 0 && s->text[line - 1] == '\n') {
        line = ncs_line_of(s, line - 1);
        if (!strchr("#\r\n", s->text[line + strspn(s->text + line, " \t")]))
            return line;
    }
    return SIZE_MAX;
}

struct ncs_span ncs_line_rest(const struct ncs_source *s, size_t at)
{
    size_t end = at + strcspn(s->text + at, "\r\n");
    for (size_t i = at + 1; i < end; i++)
        if (s->text[i] == '#' && (s->text[i - 1] == ' ' || s->text[i - 1] == '\t'))
            end = i;
    while (end > at && strchr(" \t", s->text[end - 1]))
        end--;
    return (struct ncs_span){ at, end - at };
}

struct ncs_span ncs_line_word(const struct ncs_source *s, size_t at)
{
    size_t bytes = strcspn(s->text + at, " \t\r\n,[]{}");
    if (bytes == 0 && at < s->bytes)
        bytes = 1;
    if (bytes > 1 && s->text[at + bytes - 1] == ':')
        bytes--;
    return (struct ncs_span){ at, bytes };
}

size_t ncs_line_colon(const struct ncs_source *s, size_t from, size_t to)
{
    for (; from < to; from++)
        if (s->text[from] == ':' && strchr(" \t\r\n", s->text[from + 1]))
            return from;
    return to;
}
