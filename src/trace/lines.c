#include "trace/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/record.h"

struct ncs_lines ncs_lines_of(const struct ncs_str *text)
{
    return (struct ncs_lines){ .at = text->text, .end = text->text + text->bytes };
}

bool ncs_lines_next(struct ncs_lines *l)
{
    if (l->at >= l->end) {
        ncs_str_free(&l->text);
        return false;
    }
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    size_t bytes = (size_t)((stop ? stop : l->end) - l->at);
    l->number++;
    l->whole = stop != NULL;
    ncs_str_clear(&l->text);
    ncs_str_add_bytes(&l->text, l->at, bytes < NCS_LINE_MOST ? bytes : NCS_LINE_MOST);
    if (l->text.bytes && l->text.text[l->text.bytes - 1] == '\r')
        l->text.text[--l->text.bytes] = '\0';
    size_t quoted = 0; /* marks of a thread that quotes the line */
    while (quoted + 2 <= l->text.bytes && l->text.text[quoted] == '>' && l->text.text[quoted + 1] == ' ')
        quoted += 2;
    if (quoted) {
        l->text.bytes -= quoted;
        memmove(l->text.text, l->text.text + quoted, l->text.bytes + 1);
    }
    l->at += bytes + 1;
    return true;
}

bool ncs_number_after(const char *text, const char *word, int64_t *number)
{
    const char *at = strstr(text, word);
    if (!at)
        return false;
    at += strlen(word);
    size_t digits = strspn(at + (*at == '-'), "0123456789");
    if (digits == 0 || digits > 18)
        return false;
    *number = strtoll(at, NULL, 10);
    return true;
}

int *ncs_ranks_in(const char *text, size_t *count)
{
    int *rank = NULL;
    size_t room = 0;
    *count = 0;
    for (const char *p = text; *p && *p != ']';) {
        if (!isdigit((unsigned char)*p)) {
            p++;
            continue;
        }
        char *end;
        long from = strtol(p, &end, 10), to = from;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            to = strtol(end + 1, &end, 10);
        for (long k = from; k <= to && k < NCS_RECORD_RANKS && *count < NCS_RECORD_RANKS; k++)
            NCS_PUSH(rank, *count, room, (int)k);
        p = end;
    }
    return rank;
}
