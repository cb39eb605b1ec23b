#include "trace/log_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/reader.h"

/* Parses "host:pid:tid" that ends before `end`; other text may stand before it. */
static bool split_origin(const char *text, const char *end, struct log_line *line)
{
    line->device = -1;
    while (end > text && end[-1] == ' ')
        end--;
    if (end > text && end[-1] == ']') { /* the device */
        while (end > text && *end != '[')
            end--;
        line->device = isdigit((unsigned char)end[1]) ? atoi(end + 1) : -1;
        while (end > text && end[-1] == ' ')
            end--;
    }
    const char *start = end, *colon[2] = { NULL, NULL };
    while (start > text && !isspace((unsigned char)start[-1]))
        start--;
    for (const char *p = end; p-- > start && !colon[1];)
        if (*p == ':')
            colon[colon[0] != NULL] = p;
    if (!colon[1] || colon[0] == end - 1 || !isdigit((unsigned char)colon[0][1]))
        return false;
    line->origin = start;
    line->origin_bytes = (size_t)(colon[0] - start);
    line->process = ncs_hash_bytes(0, start, (size_t)(colon[0] - start));
    line->thread = ncs_hash_bytes(1, colon[0], (size_t)(end - colon[0]));
    return true;
}

/* Warnings name a place and a function after the device: "[0] enqueue.cc:12 (ArgsCheck) NCCL WARN". */
static const char *before_place(const char *text, const char *end)
{
    while (end > text && end[-1] == ' ')
        end--;
    if (end > text && end[-1] == ')') {
        const char *open = end;
        while (open > text && *open != '(')
            open--;
        for (end = open; end > text && end[-1] == ' ';)
            end--;
    }
    const char *word = end, *number = end;
    while (number > text && isdigit((unsigned char)number[-1]))
        number--;
    if (number == end || number == text || number[-1] != ':')
        return end;
    for (word = number - 1; word > text && !isspace((unsigned char)word[-1]) && word[-1] != ':';)
        word--;
    return word > text && word[-1] == ':' ? end : word;
}

bool ncs_log_split_warning(const char *text, struct log_line *line)
{
    const char *warning = ncs_log_warning(text);
    line->torn = 0;
    line->traced = false;
    line->text = warning;
    return warning && split_origin(text, before_place(text, warning - strlen("NCCL WARN ")), line);
}

/* Where processes write to one file without care, a line may be cut off by another one: the last one counts. */
bool ncs_log_split(const char *text, struct log_line *line)
{
    static const struct {
        const char *mark;
        bool traced;
    } marks[] = { { "NCCL INFO ", false }, { "NCCL CALL ", true } };
    bool any = false;
    line->torn = 0;
    for (const char *at = text; (at = strstr(at, "NCCL ")); at += 5)
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            uint64_t before = line->process;
            if (strncmp(at, marks[i].mark, strlen(marks[i].mark)) != 0 || !split_origin(any ? line->text : text, at, line))
                continue;
            line->torn = any ? before : 0;
            line->traced = marks[i].traced;
            line->text = at + strlen(marks[i].mark);
            any = true;
        }
    return any;
}

const char *ncs_log_warning(const char *text)
{
    static const char mark[] = " NCCL WARN ";
    const char *at = strstr(text, mark);
    return at ? at + strlen(mark) : NULL;
}

/* ---- fields ---- */

/* The number after a word; "(nil)" is 0. False if the word is absent. */
static bool after(const char *text, const char *word, int base, uint64_t *number)
{
    const char *at = strstr(text, word);
    char *end;
    if (!at)
        return false;
    at += strlen(word);
    if (strncmp(at, "(nil)", 5) == 0) {
        *number = 0;
        return true;
    }
    *number = strtoull(at, &end, base);
    return end > at;
}

static bool after_int(const char *text, const char *word, int *number)
{
    uint64_t n;
    bool found = after(text, word, 10, &n);
    *number = found ? (int)(int64_t)n : -1;
    return found;
}

static enum log_kind parse_init(const char *text, struct log_init *i)
{
    uint64_t child;
    *i = (struct log_init){ .complete = strstr(text, "Init COMPLETE") != NULL };
    bool begins = strncmp(text, "comm ", 5) == 0; /* as RCCL's and old lines do */
    bool whole = after(text, begins ? "comm " : " comm ", 16, &i->handle) && after_int(text, " rank ", &i->rank) &&
                 after_int(text, " nranks ", &i->nranks);
    after_int(text, " cudaDev ", &i->device);
    i->shrinks = strstr(text, "ncclCommShrink") != NULL;
    /* Since 2.31 the line of a split has a commId as well (texts in the library 2.31.2); its parent says what it is. */
    bool splits = strstr(text, " parent ") != NULL;
    i->anonymous = !splits && !after(text, " commId ", 16, &i->id);
    if (splits) {
        whole = whole && after(text, " parent ", 16, &i->parent) && after_int(text, " color ", &i->color);
        after_int(text, " key ", &i->key);
        i->counted = after(text, " childCount ", 10, &child) || after(text, " splitCount ", 10, &child);
        i->child = i->counted ? child : 0;
    }
    return whole && i->rank >= 0 && i->nranks > i->rank && i->nranks <= NCS_RECORD_RANKS ? LOG_LINE_INIT : LOG_LINE_ODD;
}

/* Finds a counted function by its name, with or without "nccl". */
static bool counted_function(const char *name, size_t bytes, enum ncs_fn *fn)
{
    bool prefixed = bytes > 4 && strncmp(name, "nccl", 4) == 0;
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        const char *own = ncs_fn_info[i].name;
        if (!ncs_fn_info[i].counted || !own)
            continue;
        own += prefixed ? 0 : 4;
        if (strlen(own) == bytes && strncmp(own, name, bytes) == 0) {
            *fn = (enum ncs_fn)i;
            return true;
        }
    }
    return false;
}

bool ncs_log_refuses(const char *warning)
{
    size_t name = strcspn(warning, " :");
    enum ncs_fn fn;
    return warning[name + strspn(warning + name, " ")] == ':' && counted_function(warning, name, &fn);
}

/* Parses "AllReduce: opCount 0 sendbuff 0x7f.. recvbuff .."; in "Send: .." root is the peer. */
static enum log_kind parse_coll(const char *text, struct log_call *c)
{
    const char *colon = strchr(text, ':');
    *c = (struct log_call){ .counted = true };
    if (!colon || !counted_function(text, (size_t)(colon - text), &c->fn))
        return LOG_LINE_OTHER;
    bool whole = after(text, " opCount ", 16, &c->op_count) && after(text, " sendbuff ", 16, &c->send) &&
                 after(text, " recvbuff ", 16, &c->recv) && after(text, " count ", 10, &c->count) &&
                 after_int(text, " datatype ", &c->dtype) && after_int(text, " op ", &c->op) &&
                 after_int(text, " root ", &c->root) && after(text, " comm ", 16, &c->handle) &&
                 after(text, " stream ", 16, &c->stream);
    if (!after_int(text, "[nranks=", &c->nranks) || c->nranks < 1 || c->nranks > NCS_RECORD_RANKS)
        c->nranks = 0;
    return whole ? LOG_LINE_CALL : LOG_LINE_ODD;
}

/* Parses the arguments of "name(a, b,c)" as numbers of these bases; false if their number differs. */
static bool arguments(const char *open, const char *bases, uint64_t *value)
{
    const char *at = open;
    for (; *bases; bases++, value++) {
        char *end;
        at++;
        while (*at == ' ')
            at++;
        if (strncmp(at, "(nil)", 5) == 0) {
            *value = 0;
            end = (char *)(uintptr_t)at + 5;
        } else {
            *value = strtoull(at, &end, *bases == 'x' ? 16 : 10);
        }
        if (end == at || *end != (bases[1] ? ',' : ')'))
            return false;
        at = end;
    }
    return true;
}

static bool log_line_names(const char *text, const char *open, const char *name)
{
    return (size_t)(open - text) == strlen(name) && strncmp(text, name, strlen(name)) == 0;
}

static enum log_kind parse_made(const char *text, const char *open, struct log_init *i)
{
    uint64_t v[6];
    *i = (struct log_init){ .complete = true, .device = -1 };
    if (log_line_names(text, open, "ncclCommInitRank")) {
        if (!arguments(open, "xdxdd", v))
            return LOG_LINE_ODD;
        i->handle = v[0];
        i->nranks = (int)v[1];
        i->id = v[2];
        i->rank = (int)v[3];
        i->device = (int)v[4];
    } else {
        if (!arguments(open, "xddxdd", v))
            return LOG_LINE_ODD;
        i->parent = v[0];
        i->color = (int)v[1];
        i->key = (int)v[2];
        i->handle = v[3];
        i->rank = (int)v[4];
        i->nranks = (int)v[5];
    }
    return i->rank >= 0 && i->nranks > i->rank && i->nranks <= NCS_RECORD_RANKS ? LOG_LINE_INIT : LOG_LINE_ODD;
}

static enum log_kind parse_operator(const char *text, const char *open, struct log_call *c)
{
    uint64_t v[5];
    bool makes = log_line_names(text, open, "ncclRedOpCreatePreMulSum");
    *c = (struct log_call){ .fn = makes ? NCS_FN_ncclRedOpCreatePreMulSum : NCS_FN_ncclRedOpDestroy, .dtype = -1 };
    if (!arguments(open, makes ? "dxddx" : "dx", v))
        return LOG_LINE_ODD;
    c->op = (int)v[0];
    c->dtype = makes ? (int)v[2] : -1;
    c->handle = v[makes ? 4 : 1];
    return LOG_LINE_CALL;
}

/* Parses "ncclAllReduce(send,recv,count,datatype,op,root,comm,stream)": every call has the same eight. */
static enum log_kind parse_traced(const char *text, struct log_init *i, struct log_call *c)
{
    const char *open = strchr(text, '(');
    uint64_t v[8];
    if (!open)
        return LOG_LINE_OTHER;
    if (log_line_names(text, open, "ncclGroupStart"))
        return LOG_LINE_OPENS;
    if (log_line_names(text, open, "ncclGroupEnd") || log_line_names(text, open, "ncclGroupSimulateEnd"))
        return LOG_LINE_CLOSES;
    if (log_line_names(text, open, "ncclCommInitRank") || log_line_names(text, open, "ncclCommSplit"))
        return parse_made(text, open, i);
    if (log_line_names(text, open, "ncclRedOpCreatePreMulSum") || log_line_names(text, open, "ncclRedOpDestroy"))
        return parse_operator(text, open, c);
    *c = (struct log_call){ .dtype = -1 };
    if (!counted_function(text, (size_t)(open - text), &c->fn))
        return LOG_LINE_OTHER;
    if (!arguments(open, "xxddddxx", v))
        return LOG_LINE_ODD;
    c->send = v[0];
    c->recv = v[1];
    c->count = v[2];
    c->dtype = (int)v[3];
    c->op = (int)v[4];
    c->root = (int)v[5];
    c->handle = v[6];
    c->stream = v[7];
    return LOG_LINE_CALL;
}

/* Parses "comm 0x55.. rank 0 nranks 4 cudaDev 0 busId 1000 - Abort COMPLETE". */
static enum log_kind parse_end(const char *text, struct log_call *c)
{
    bool aborts = strstr(text, " - Abort COMPLETE") != NULL;
    *c = (struct log_call){ .fn = aborts ? NCS_FN_ncclCommAbort : NCS_FN_ncclCommDestroy, .dtype = -1 };
    return after(text, "comm ", 16, &c->handle) ? LOG_LINE_ENDS : LOG_LINE_ODD;
}

enum log_kind ncs_log_parse(const struct log_line *line, struct log_init *init, struct log_call *call)
{
    if (line->traced)
        return parse_traced(line->text, init, call);
    if (strstr(line->text, "Init COMPLETE") || strstr(line->text, "Init START"))
        return parse_init(line->text, init);
    if (strstr(line->text, " - Abort COMPLETE") || strstr(line->text, " - Destroy COMPLETE"))
        return parse_end(line->text, call);
    if (strstr(line->text, " - Revoke COMPLETE")) {
        *call = (struct log_call){ .fn = NCS_FN_ncclCommRevoke, .dtype = -1 };
        return after(line->text, "comm ", 16, &call->handle) ? LOG_LINE_REVOKES : LOG_LINE_ODD;
    }
    return strstr(line->text, ": opCount ") ? parse_coll(line->text, call) : LOG_LINE_OTHER;
}

void ncs_log_version(const struct trace_file *file, char *version, size_t room)
{
    const char *at = strstr(file->text.text, "NCCL version ");
    size_t bytes = at ? strspn(at + 13, "0123456789.") : 0;
    if (bytes > 0 && bytes < room)
        snprintf(version, room, "%.*s", (int)bytes, at + 13);
}
