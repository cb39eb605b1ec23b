#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void str_reserve(struct ncs_str *s, size_t more)
{
    s->text = ncs_grown(s->text, &s->room, s->bytes + more + 1, 1);
}

void ncs_str_add_bytes(struct ncs_str *s, const void *bytes, size_t count)
{
    str_reserve(s, count);
    if (count > 0)
        memcpy(s->text + s->bytes, bytes, count);
    s->bytes += count;
    s->text[s->bytes] = '\0';
}

void ncs_str_add(struct ncs_str *s, const char *text)
{
    ncs_str_add_bytes(s, text, strlen(text));
}

void ncs_str_addv(struct ncs_str *s, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, fmt, args);
    if (count >= 0) {
        str_reserve(s, (size_t)count);
        vsnprintf(s->text + s->bytes, (size_t)count + 1, fmt, again);
        s->bytes += (size_t)count;
    }
    va_end(again);
}

void ncs_str_addf(struct ncs_str *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(s, fmt, args);
    va_end(args);
}

void ncs_str_clear(struct ncs_str *s)
{
    s->bytes = 0;
    if (s->text)
        s->text[0] = '\0';
}

char *ncs_str_take(struct ncs_str *s)
{
    char *text = s->text ? s->text : ncs_copy_text("");
    *s = (struct ncs_str){ 0 };
    return text;
}

void ncs_str_free(struct ncs_str *s)
{
    ncs_free(s->text);
    *s = (struct ncs_str){ 0 };
}

/* The length of the run of consecutive ranks at the beginning. */
static size_t run_of_ranks(const int *ranks, size_t count)
{
    size_t run = 1;
    while (run < count && ranks[run] == (int64_t)ranks[run - 1] + 1)
        run++;
    return run;
}

void ncs_str_add_ranks(struct ncs_str *s, const int *ranks, size_t count)
{
    const char *comma = "";
    for (size_t i = 0; i < count;) {
        size_t run = run_of_ranks(ranks + i, count - i);
        if (run >= 4) {
            ncs_str_addf(s, "%s%d..%d", comma, ranks[i], ranks[i + run - 1]);
        } else {
            run = 1;
            ncs_str_addf(s, "%s%d", comma, ranks[i]);
        }
        comma = ", ";
        i += run;
    }
    ncs_str_add(s, "");
}

/* The length of the run of evenly spaced ranks at the beginning. */
static size_t steps_of_ranks(const int *ranks, size_t count)
{
    size_t run = count < 2 ? count : 2;
    while (run > 1 && run < count && (int64_t)ranks[run] - ranks[run - 1] == (int64_t)ranks[1] - ranks[0])
        run++;
    return run;
}

void ncs_str_add_many_ranks(struct ncs_str *s, const int *ranks, size_t count)
{
    enum { MOST = 12, STEPS = 6 }; /* parts of the list; ranks that are worth an ellipsis */
    ncs_str_add(s, "");
    size_t parts = 0, next;
    for (size_t i = 0; i < count; i = next, parts++) {
        const char *comma = parts ? ", " : "";
        size_t run = run_of_ranks(ranks + i, count - i);
        size_t steps = steps_of_ranks(ranks + i, count - i);
        next = i + (run >= 4 ? run : steps >= STEPS ? steps : 1);
        if (parts >= MOST && count - i > 1) {
            ncs_str_addf(s, " and %zu more", count - i);
            return;
        }
        if (run >= 4)
            ncs_str_addf(s, "%s%d..%d", comma, ranks[i], ranks[next - 1]);
        else if (steps >= STEPS)
            ncs_str_addf(s, "%s%d, %d, %d, ..., %d", comma, ranks[i], ranks[i + 1], ranks[i + 2], ranks[next - 1]);
        else
            ncs_str_addf(s, "%s%d", comma, ranks[i]);
    }
}

bool ncs_is_listed(const char *text, int rank)
{
    bool any = false;
    for (const char *p = text ? text : ""; *p;) {
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        char *end;
        long from = strtol(p, &end, 10), to = from;
        if (end[0] == '.' && end[1] == '.')
            to = strtol(end + 2, &end, 10);
        if (rank >= from && rank <= to)
            return true;
        any = true;
        p = end;
    }
    return !any;
}
