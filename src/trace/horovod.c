/* Reads the lines that Horovod writes when some ranks have submitted a tensor and others have not. Horovod matches by the
 * names of tensors, not by order: each tensor is as a communicator of its own. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "trace/flight_words.h"
#include "trace/lines.h"
#include "trace/reader.h"

enum { TENSORS = 64 };

struct tensor {
    char *name;
    int *missing;
    size_t missings, room; /* ranks */
    struct ncs_map listed; /* rank + 1 -> 1 */
    bool ready;            /* those are the ranks that have it */
    const char *path;
    int line;
};

struct horovod {
    struct record *record;
    struct ncs_error *err;
    struct tensor *tensor;
    size_t tensors, room;
    size_t more;    /* tensors beyond */
    bool shortened; /* a list has more tensors than it shows */
};

static void forget_tensors(struct horovod *h)
{
    for (size_t i = 0; i < h->tensors; i++) {
        ncs_free(h->tensor[i].name);
        ncs_free(h->tensor[i].missing);
        ncs_map_free(&h->tensor[i].listed);
    }
    h->tensors = 0;
    h->more = 0;
    h->shortened = false;
}

static void add_missing_tensor(struct horovod *h, const char *name, size_t bytes, int rank, const char *path, int line)
{
    struct ncs_str own = { 0 }, valid = { 0 };
    ncs_safe_utf8(&valid, name, bytes < 100 ? bytes : 100);
    ncs_safe_line(&own, valid.text ? valid.text : "");
    ncs_str_free(&valid);
    size_t at = 0;
    while (at < h->tensors && strcmp(h->tensor[at].name, own.text ? own.text : "") != 0)
        at++;
    if (at == TENSORS) {
        h->more++;
        ncs_str_free(&own);
        return;
    }
    if (at == h->tensors) {
        struct tensor fresh = { .name = ncs_copy_text(own.text ? own.text : ""), .path = path, .line = line };
        NCS_PUSH(h->tensor, h->tensors, h->room, fresh);
    }
    ncs_str_free(&own);
    struct tensor *t = &h->tensor[at];
    if (ncs_map_number(&t->listed, (uint64_t)rank + 1))
        return;
    ncs_map_put_number(&t->listed, (uint64_t)rank + 1, 1);
    NCS_PUSH(t->missing, t->missings, t->room, rank);
}

/* "1: [allreduce.grad_1, allreduce.grad_2 ...]"; a `!` marks a rank for which Horovod ends the job. */
static bool read_missing(struct horovod *h, const char *text, const char *path, int line)
{
    const char *list = strstr(text, ": ["), *digit = list;
    while (digit && digit > text && (isdigit((unsigned char)digit[-1]) || (digit == list && digit[-1] == '!')))
        digit--;
    if (!list || digit == list || !isdigit((unsigned char)*digit))
        return false;
    long rank = strtol(digit, NULL, 10);
    const char *at = list + 3, *end = strrchr(at, ']');
    if (rank < 0 || rank >= NCS_RECORD_RANKS || !end)
        return false;
    while (at < end) {
        size_t bytes = 0;
        while (at + bytes < end && strncmp(at + bytes, ", ", 2) != 0 && strncmp(at + bytes, " ...", 4) != 0)
            bytes++;
        if (bytes)
            add_missing_tensor(h, at, bytes, (int)rank, path, line);
        if (at + bytes < end && at[bytes] == ' ')
            h->shortened = true;
        at += bytes + (at + bytes < end && at[bytes] == ' ' ? 4 : 2);
    }
    return true;
}

/* The name that ends before `list`: what stands before it on the line ends with a blank or with "ops:". */
static const char *tensor_name(const char *text, const char *list)
{
    const char *name = list;
    while (name > text && name[-1] != ' ' && name[-1] != '\t')
        name--;
    return strncmp(name, "ops:", 4) == 0 ? name + 4 : name;
}

/* "grad_1 [missing ranks: 1, 3]", as Horovod wrote until 0.18, or "grad_1 [ready ranks: 0, 2], grad_2 [ready ranks: 0]"
 * in older versions. */
static bool read_stalled(struct horovod *h, const char *text, const char *path, int line)
{
    static const char *const words[] = { " [missing ranks: ", " [ready ranks: " };
    bool any = false;
    for (const char *at = text; (at = strstr(at, " ranks: ")); at++) {
        for (int i = 0; i < 2; i++) {
            const char *list = at + strlen(" ranks: ") - strlen(words[i]), *name;
            size_t ranks;
            if (list < text || strncmp(list, words[i], strlen(words[i])) != 0)
                continue;
            name = tensor_name(text, list);
            int *rank = ncs_ranks_in(list + 2, &ranks);
            for (size_t k = 0; k < ranks && list > name; k++)
                add_missing_tensor(h, name, (size_t)(list - name), rank[k], path, line);
            for (size_t k = 0; k < h->tensors && i == 1 && ranks; k++) /* the one that was just added */
                h->tensor[k].ready |= h->tensor[k].line == line && h->tensor[k].path == path;
            ncs_free(rank);
            any = true;
        }
    }
    return any;
}

static bool horovod_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    return strstr(text, "tensors were submitted to be reduced") || strstr(text, " [missing ranks: ") ||
           strstr(text, " [ready ranks: ");
}

/* Horovod repeats its lines while tensors wait: the last ones count. */
static enum trace_taken horovod_take(void *state, struct trace_file *file)
{
    struct horovod *h = state;
    struct ncs_lines lines = ncs_lines_of(&file->text);
    bool listed = false;
    while (ncs_lines_next(&lines)) {
        const char *text = lines.text.text;
        if (strstr(text, "tensors were submitted to be reduced"))
            forget_tensors(h);
        if (strstr(text, "Missing ranks:"))
            listed = true;
        else if (!read_stalled(h, text, file->path, lines.number) && listed)
            listed = read_missing(h, text, file->path, lines.number);
    }
    return TRACE_TAKEN;
}

/* ---- calls ---- */

/* The highest rank named, and one more if every rank up to it lacks one tensor: some rank has submitted it. */
static int horovod_ranks(const struct horovod *h)
{
    int most = h->record->ranks - 1;
    for (size_t i = 0; i < h->tensors; i++)
        for (size_t k = 0; k < h->tensor[i].missings; k++)
            most = h->tensor[i].missing[k] > most ? h->tensor[i].missing[k] : most;
    for (size_t i = 0; i < h->tensors; i++)
        if (!h->tensor[i].ready && h->tensor[i].missings == (size_t)most + 1 && most + 2 <= NCS_RECORD_RANKS)
            return most + 2;
    return most + 1;
}

static void set_kind(const struct tensor *t, struct record_call *c)
{
    static const char *const before[] = { "Distributed", "Horovod", NULL };
    const char *name = t->name;
    enum ncs_fn fn;
    for (size_t i = 0; before[i]; i++)
        if (strncmp(name, before[i], strlen(before[i])) == 0)
            name += strlen(before[i]);
    if (ncs_flight_word(name, &fn) == FLIGHT_CALL)
        c->fn = fn;
    else
        c->unsaid |= NCS_UNSAID_KIND;
}

static bool tensor_lacks(const struct tensor *t, int rank)
{
    return (ncs_map_number(&t->listed, (uint64_t)rank + 1) != 0) != t->ready;
}

static bool add_tensor(struct horovod *h, const struct tensor *t, int ranks)
{
    struct record *r = h->record;
    struct ncs_str name = { 0 };
    ncs_str_addf(&name, "tensor %s", t->name);
    int comm = ncs_record_add_comm(r, ranks, name.text, h->err);
    ncs_str_free(&name);
    for (int k = 0; k < ranks && comm >= 0; k++) {
        r->comm[comm].rank[k] = k;
        if (tensor_lacks(t, k))
            continue;
        struct record_call *c = ncs_record_add(r, k, h->err);
        if (!c)
            return false;
        *c = (struct record_call){ .fn = NCS_FN_ncclAllReduce,
                                   .comm = comm,
                                   .comm_rank = k,
                                   .count = 1,
                                   .dtype = -1,
                                   .seq = 1,
                                   .apart = true, /* tensors do not wait for each other */
                                   .place = ncs_record_line(r, t->path, t->line),
                                   .unsaid = NCS_UNSAID_COUNT | NCS_UNSAID_DTYPE | NCS_UNSAID_OP | NCS_UNSAID_ROOT |
                                             NCS_UNSAID_PLACE };
        set_kind(t, c);
    }
    return comm >= 0;
}

static bool horovod_finish(void *state)
{
    struct horovod *h = state;
    struct record *r = h->record;
    int ranks = horovod_ranks(h);
    bool ok = true;
    if (r->calls || r->numbered) {
        ncs_record_note(r, "the lines of Horovod are not used: other files have the calls");
        return true;
    }
    if (!h->tensors)
        return true;
    ok = ncs_record_has_rank(r, ranks - 1, h->err);
    r->numbered = true;
    for (int k = 0; k < ranks && ok; k++)
        r->rank[k].source = h->tensor[0].path;
    for (size_t i = 0; i < h->tensors && ok; i++)
        ok = add_tensor(h, &h->tensor[i], ranks);
    if (!ok)
        return ncs_fail_at(h->err, h->tensor[0].path, 0, 0);
    if (!r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that a rank is late: Horovod writes these lines while it waits");
    if (h->shortened || h->more)
        ncs_record_note(r, "Horovod does not list all tensors that wait");
    ncs_record_note(r,
                    "Horovod's lines name tensors and the ranks that lack them: they have no sizes, data types, operators "
                    "and places, and do not say how many ranks there are; %d are assumed",
                    ranks);
    return true;
}

static void horovod_end(void *state)
{
    struct horovod *h = state;
    forget_tensors(h);
    ncs_free(h->tensor);
}

const struct trace_reader ncs_reader_horovod = {
    .kind = "Horovod's stall lines",
    .word = "line of Horovod",
    .is = horovod_is,
    .bytes = sizeof(struct horovod),
    .take = horovod_take,
    .finish = horovod_finish,
    .end = horovod_end,
};
