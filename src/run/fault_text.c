#include "run/fault_text.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"
#include "base/str.h"

bool ncs_fault_can_fail(int fn)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    bool has_code = info->result == NCS_RESULT_NCCL || info->result == NCS_RESULT_CUDA;
    return has_code && fn != NCS_FN_ncclGroupStart && !info->closes_group;
}

int ncs_fault_code(const char *text, bool cuda)
{
    int64_t number;
    int code = -1;
    if (ncs_parse_int(text, &number))
        code = number > 0 && number < 10000 ? (int)number : -1;
    else if (cuda == (strncmp(text, "cuda", 4) == 0))
        code = ncs_result_from_name(text);
    bool in_nccl = code < ncclNumResults && code != ncclInProgress;
    return code > 0 && (cuda || in_nccl) ? code : -1;
}

static char *copy_word(const char *word, size_t bytes)
{
    struct ncs_str copy = { 0 };
    ncs_str_add_bytes(&copy, word, bytes);
    return ncs_str_take(&copy);
}

/* ---- the fields ---- */

enum field { RANK, CALL, COMM, FUNC, AT, NTH, SECONDS, CODE, PEER, FIRST, COUNT, FIELDS };

#define ALWAYS (-1) /* in place of the need of a kind */

static const struct {
    const char *name, *expected;
    int needs, also; /* the kinds that take the field, by their need */
} fields[FIELDS] = {
    [RANK] = { "rank", "a rank, from 0", ALWAYS, ALWAYS },
    [CALL] = { "call", "the number of a call, from 1", ALWAYS, ALWAYS },
    [COMM] = { "comm", "the name of a communicator, such as comm1", ALWAYS, ALWAYS },
    [FUNC] = { "func", "a C name such as ncclAllReduce", ALWAYS, ALWAYS },
    [AT] = { "at", "a place as in reports, such as train.c:66", ALWAYS, ALWAYS },
    [NTH] = { "nth", "a number from 1", ALWAYS, ALWAYS },
    [SECONDS] = { "seconds", "a time, such as 0.5 or 10ms", NCS_FAULT_NEEDS_delay, NCS_FAULT_NEEDS_peer },
    [CODE] = { "code", "an error such as ncclSystemError", NCS_FAULT_NEEDS_code, NCS_FAULT_NEEDS_code },
    [PEER] = { "peer", "the rank at the other end, from 0", NCS_FAULT_NEEDS_peer, NCS_FAULT_NEEDS_peer },
    [FIRST] = { "first", "the number of an element, from 1", NCS_FAULT_NEEDS_elements, NCS_FAULT_NEEDS_elements },
    [COUNT] = { "count", "a number of elements, from 1", NCS_FAULT_NEEDS_elements, NCS_FAULT_NEEDS_elements },
};

/* One line while it is read. */
struct reading {
    struct ncs_fault_text *fault;
    char *code; /* its text: what it means depends on the function; owned */
    bool given[FIELDS];
    int column; /* of the word at work */
    struct ncs_error *err;
};

static bool field_number(const char *value, int64_t least, int64_t most, int64_t *number)
{
    return ncs_parse_int(value, number) && *number >= least && *number <= most;
}

static bool field_is_taken(enum field f, enum ncs_fault_needs needs)
{
    return fields[f].needs == ALWAYS || fields[f].needs == (int)needs || fields[f].also == (int)needs;
}

/* False if the value is not of the field's form. */
static bool read_fault_value(struct reading *r, enum field f, const char *value)
{
    struct ncs_fault_text *to = r->fault;
    int64_t n = 0;
    bool fits = *value != '\0';
    switch (f) {
    case RANK:
        fits = field_number(value, 0, INT32_MAX - 1, &n);
        to->rank = (int)n;
        break;
    case CALL:
        fits = field_number(value, 1, UINT32_MAX, &n);
        to->call = (uint32_t)n;
        break;
    case COMM: to->comm = ncs_copy_text(value); break;
    case FUNC: fits = (to->fn = ncs_fn_from_name(value)) >= 0; break;
    case AT: to->at = ncs_copy_text(value); break;
    case NTH:
        fits = field_number(value, 1, INT64_MAX, &n);
        to->nth = (uint64_t)n;
        break;
    case SECONDS: fits = ncs_parse_duration(value, &to->nanoseconds); break;
    case CODE: r->code = ncs_copy_text(value); break;
    case PEER:
        fits = field_number(value, 0, INT32_MAX - 1, &n);
        to->peer = (int)n;
        break;
    case FIRST:
        fits = field_number(value, 1, INT64_MAX, &n);
        to->first = (uint64_t)n - 1;
        break;
    case COUNT:
        fits = field_number(value, 1, INT64_MAX, &n);
        to->count = (uint64_t)n;
        break;
    case FIELDS: break;
    }
    return fits;
}

static bool fail_here(struct reading *r, int bytes)
{
    r->err->column = r->column;
    r->err->bytes = bytes;
    return false;
}

static bool fail_unknown_field(struct reading *r, const char *word, int bytes)
{
    const char *names[FIELDS], *equals = memchr(word, '=', (size_t)bytes);
    char key[64];
    for (int f = 0; f < FIELDS; f++)
        names[f] = fields[f].name;
    snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - word) : bytes, word);
    ncs_fail(r->err, NCS_BAD_INPUT, "`%.*s` is no field of a fault", bytes, word);
    if (ncs_nearest(key, names, FIELDS))
        ncs_fail_near(r->err, key, names, FIELDS);
    else
        ncs_fail_hint(r->err, "a fault has a kind and fields, such as kill rank=2 call=7");
    return fail_here(r, bytes);
}

static bool read_fault_field(struct reading *r, const char *word, int bytes)
{
    enum ncs_fault_needs needs = ncs_fault_info[r->fault->kind].needs;
    for (enum field f = 0; f < FIELDS; f++) {
        size_t name = strlen(fields[f].name);
        if (strncmp(word, fields[f].name, name) != 0 || word[name] != '=')
            continue;
        if (!field_is_taken(f, needs)) {
            ncs_fail(r->err, NCS_BAD_INPUT, "%s takes no %s", ncs_fault_info[r->fault->kind].name, fields[f].name);
            return fail_here(r, bytes);
        }
        if (r->given[f]) {
            ncs_fail(r->err, NCS_BAD_INPUT, "%s is given twice", fields[f].name);
            return fail_here(r, bytes);
        }
        r->given[f] = true;
        char *value = copy_word(word + name + 1, (size_t)bytes - name - 1);
        bool fits = read_fault_value(r, f, value);
        ncs_free(value);
        if (fits)
            return true;
        ncs_fail(r->err, NCS_BAD_INPUT, "`%.*s`: expected %s", bytes, word, fields[f].expected);
        return fail_here(r, bytes);
    }
    return fail_unknown_field(r, word, bytes);
}

static void hint_kinds(struct ncs_error *err)
{
    struct ncs_str kinds = { 0 };
    for (int kind = 0; kind < NCS_FAULTS; kind++)
        ncs_str_addf(&kinds, "%s%s", kind ? ", " : "", ncs_fault_names[kind]);
    ncs_fail_hint(err, "the kinds are %s", kinds.text);
    ncs_str_free(&kinds);
}

static bool read_fault_kind(struct reading *r, const char *word, int bytes)
{
    for (int kind = 0; kind < NCS_FAULTS; kind++)
        if (strlen(ncs_fault_info[kind].name) == (size_t)bytes && strncmp(word, ncs_fault_info[kind].name, (size_t)bytes) == 0) {
            r->fault->kind = (enum ncs_fault_kind)kind;
            return true;
        }
    char *text = copy_word(word, (size_t)bytes);
    ncs_fail(r->err, NCS_BAD_INPUT, "`%s` is no kind of fault", text);
    if (ncs_nearest(text, ncs_fault_names, 0))
        ncs_fail_near(r->err, text, ncs_fault_names, 0);
    else
        hint_kinds(r->err);
    ncs_free(text);
    return fail_here(r, bytes);
}

/* ---- the line ---- */

static bool miss_field(struct reading *r, const char *what)
{
    ncs_fail(r->err, NCS_BAD_INPUT, "%s needs %s", ncs_fault_info[r->fault->kind].name, what);
    r->column = 1;
    return fail_here(r, 0);
}

static bool read_fault_code(struct reading *r)
{
    struct ncs_fault_text *f = r->fault;
    bool cuda = f->fn >= 0 ? ncs_fn_info[f->fn].result == NCS_RESULT_CUDA : f->at && strncmp(r->code, "cuda", 4) == 0;
    cuda &= f->kind == NCS_FAULT_FAIL;
    f->code = ncs_fault_code(r->code, cuda);
    if (f->code > 0)
        return true;
    ncs_fail(r->err, NCS_BAD_INPUT, "code=%s is not an error of %s", r->code, cuda ? "CUDA" : "NCCL");
    r->column = 1;
    return fail_here(r, 0);
}

/* The fields must fit each other. */
static bool check_fault_fields(struct reading *r)
{
    struct ncs_fault_text *f = r->fault;
    enum ncs_fault_needs needs = ncs_fault_info[f->kind].needs;
    bool by_use = r->given[FUNC] || r->given[AT];
    if (r->given[CALL] && by_use)
        return miss_field(r, "call, or func and at, not both");
    if (r->given[NTH] && !by_use)
        return miss_field(r, "func or at with nth, which counts the uses");
    if (needs == NCS_FAULT_NEEDS_delay && !r->given[SECONDS])
        return miss_field(r, "seconds, the delay");
    if (needs == NCS_FAULT_NEEDS_code && !r->given[CODE])
        return miss_field(r, "code, an error such as ncclSystemError");
    if (needs == NCS_FAULT_NEEDS_peer && !r->given[PEER])
        return miss_field(r, "peer, the rank at the other end of the link");
    if (f->kind == NCS_FAULT_FAIL && f->fn >= 0 && !ncs_fault_can_fail(f->fn)) {
        ncs_fail(r->err, NCS_BAD_INPUT, "%s cannot be left out", ncs_fn_info[f->fn].name);
        r->column = 1;
        return fail_here(r, 0);
    }
    f->timed = f->call || by_use;
    if (!f->timed)
        f->call = 1;
    return !r->given[CODE] || read_fault_code(r);
}

static bool read_fault_words(struct reading *r, const char *line, size_t bytes)
{
    static const char blank[] = " \t\r";
    bool first = true;
    for (size_t at = 0; at < bytes;) {
        size_t gap = strspn(line + at, blank);
        at += gap;
        size_t word = strcspn(line + at, " \t\r\n#");
        if (at >= bytes || word == 0)
            break;
        r->column = (int)at + 1;
        bool read = first ? read_fault_kind(r, line + at, (int)word) : read_fault_field(r, line + at, (int)word);
        if (!read)
            return false;
        first = false;
        at += word;
    }
    return check_fault_fields(r);
}

static void free_fault_text(struct ncs_fault_text *f)
{
    ncs_free(f->comm);
    ncs_free(f->at);
    ncs_free(f->text);
}

static bool read_fault_line(struct ncs_fault_list *list, const char *line, size_t bytes, int number, struct ncs_error *err)
{
    struct ncs_fault_text fault = { .rank = -1, .fn = -1, .nth = 1, .nanoseconds = -1, .peer = -1, .line = number };
    struct reading r = { .fault = &fault, .err = err };
    bool read = read_fault_words(&r, line, bytes);
    ncs_free(r.code);
    if (!read) {
        err->line = number;
        free_fault_text(&fault);
        return false;
    }
    fault.text = copy_word(line, bytes);
    NCS_PUSH(list->fault, list->count, list->room, fault);
    return true;
}

bool ncs_fault_list_read(struct ncs_fault_list *list, const char *text, struct ncs_error *err)
{
    int number = 1;
    for (const char *line = text; *line; number++) {
        size_t whole = strcspn(line, "\n"), bytes = strcspn(line, "#\n"), lead = strspn(line, " \t\r");
        while (bytes > 0 && strchr(" \t\r", line[bytes - 1]))
            bytes--;
        if (lead < bytes && !read_fault_line(list, line, bytes, number, err))
            return false;
        line += whole;
        line += *line == '\n';
    }
    return true;
}

void ncs_fault_list_free(struct ncs_fault_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free_fault_text(&list->fault[i]);
    ncs_free(list->fault);
    *list = (struct ncs_fault_list){ 0 };
}
