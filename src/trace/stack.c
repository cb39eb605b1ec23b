/* Reads stacks of all ranks, as py-spy and gdb print them: groups the ranks by the innermost line of the user's own code,
 * and by the collective that they are in. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/safe.h"
#include "trace/flight_words.h"
#include "trace/lines.h"
#include "trace/reader.h"

struct stack {                     /* of one thread */
    char file[256], function[128]; /* of the innermost line of the user's code; empty = none */
    long line;
    int fn;    /* the collective that is called there; -1 = none */
    bool pair; /* it is a send or a receive */
    bool frames, main;
};

struct stack_rank {
    int rank;
    struct stack top;
    const char *path;
    int number; /* of the stack's first line */
};

struct stacks {
    struct record *record;
    struct ncs_error *err;
    struct stack_rank *of;
    size_t count, room;
    struct ncs_map at; /* rank + 1 -> index + 1 */
    int next;          /* the rank of a process that nothing names */
    bool counted;      /* some are numbered as they come */
    size_t again;      /* stacks of a rank that has one already */
};

/* ---- frames ---- */

/* py-spy shortens the paths of Python's own files. */
static bool is_of_python(const char *file)
{
    static const char *const own[] = { "threading.py", "queue.py",      "selectors.py",     "socket.py",
                                       "runpy.py",     "subprocess.py", "multiprocessing/", "concurrent/",
                                       "asyncio/",     "contextlib.py", "<frozen",          NULL };
    for (size_t i = 0; own[i]; i++)
        if (strncmp(file, own[i], strlen(own[i])) == 0)
            return true;
    return false;
}

static void see_function(struct stack *s, const char *name)
{
    enum ncs_fn fn;
    bool of_nccl = strncmp(name, "nccl", 4) == 0 || strncmp(name, "pnccl", 5) == 0;
    const char *own = of_nccl ? strchr(name, 'l') + 1 : name;
    enum flight_word word = s->file[0] || s->fn >= 0 || s->pair ? FLIGHT_OTHER : ncs_flight_word(own, &fn);
    if (word == FLIGHT_CALL)
        s->fn = (int)fn;
    s->pair |= word == FLIGHT_P2P;
}

static void see_line(struct stack *s, const char *function, const char *file, size_t bytes, long line)
{
    if (s->file[0] || line <= 0)
        return;
    snprintf(s->file, sizeof s->file, "%.*s", (int)(bytes < sizeof s->file ? bytes : sizeof s->file - 1), file);
    snprintf(s->function, sizeof s->function, "%.100s", function);
    s->line = line;
}

/* "    all_reduce (torch/distributed/distributed_c10d.py:2806)": inner frames come first. */
static bool read_python_frame(struct stack *s, const char *text)
{
    char name[128], file[512];
    const char *at = text + strspn(text, " \t"), *open = strstr(at, " ("), *colon = open ? strrchr(open, ':') : NULL;
    if (at == text || !colon || !isdigit((unsigned char)colon[1]) || colon[1 + strspn(colon + 1, "0123456789")] != ')')
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(open - at), at);
    snprintf(file, sizeof file, "%.*s", (int)(colon - open - 2), open + 2);
    s->frames = true;
    if (strstr(file, "torch/distributed/") || !strstr(file, ".py"))
        see_function(s, name);
    if (ncs_flight_is_users(file) && !is_of_python(file))
        see_line(s, name, file, strlen(file), strtol(colon + 1, NULL, 10));
    return true;
}

/* "#4  0x0000555555555234 in train_step (rank=2) at train.c:88", "#1  ncclAllReduce () from /usr/lib/libnccl.so.2". */
static bool read_native_frame(struct stack *s, const char *text)
{
    char name[128];
    const char *at = text + strspn(text, " "), *in, *place;
    if (at[0] != '#' || !isdigit((unsigned char)at[1]))
        return false;
    at += 1 + strspn(at + 1, "0123456789");
    at += strspn(at, " ");
    in = strncmp(at, "0x", 2) == 0 ? strstr(at, " in ") : NULL;
    at = in ? in + 4 : at;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " (<@"), at);
    s->frames = true;
    bool library = strncmp(name, "nccl", 4) == 0 || strncmp(name, "pnccl", 5) == 0 || strncmp(name, "cu", 2) == 0 ||
                   strncmp(name, "__", 2) == 0 || strstr(at, " from /");
    if (library)
        see_function(s, name);
    place = strstr(at, ") at ");
    const char *colon = place ? strrchr(place, ':') : NULL;
    if (!library && colon && isdigit((unsigned char)colon[1]) && place[5] != '.' && strncmp(place + 5, "/build", 6) != 0 &&
        strncmp(place + 5, "/usr", 4) != 0)
        see_line(s, name, place + 5, (size_t)(colon - place - 5), strtol(colon + 1, NULL, 10));
    return true;
}

/* ---- processes ---- */

struct stack_reader {
    struct stacks *all;
    const char *path;
    int file_rank, rank;    /* of the file's name; of the process at hand, -1 = not said */
    struct stack now, best; /* of the thread at hand; of the process */
    int number;
};

static void close_thread(struct stack_reader *p)
{
    struct stack *s = &p->now;
    bool better = s->frames &&
                  (!p->best.frames || (s->main && !p->best.main) || (s->main == p->best.main && !p->best.file[0] && s->file[0]));
    if (better)
        p->best = *s;
    p->now = (struct stack){ .fn = -1 };
}

static void close_process(struct stack_reader *p)
{
    struct stacks *all = p->all;
    close_thread(p);
    int rank = p->rank >= 0 ? p->rank : p->file_rank;
    if (p->best.frames) {
        if (rank < 0) {
            rank = all->next++;
            all->counted = true;
        }
        if (ncs_map_number(&all->at, (uint64_t)rank + 1)) {
            all->again++;
        } else if (rank < NCS_RECORD_RANKS) {
            struct stack_rank fresh = { .rank = rank, .top = p->best, .path = p->path, .number = p->number };
            NCS_PUSH(all->of, all->count, all->room, fresh);
            ncs_map_put_number(&all->at, (uint64_t)rank + 1, all->count);
        }
    }
    p->best = (struct stack){ .fn = -1 };
    p->rank = -1;
}

/* "Process 4711: python train.py", "--- rank 3 ---", "Thread 4711 (idle): "MainThread"", "Thread 1 (Thread 0x7f.. (LWP 9))" */
static void read_stack_line(struct stack_reader *p, const char *text, int number)
{
    int64_t n;
    if (read_python_frame(&p->now, text) || read_native_frame(&p->now, text))
        return;
    bool process = strncmp(text, "Process ", 8) == 0 || strncmp(text, "Attaching to process ", 21) == 0;
    bool named = (ncs_number_after(text, "rank ", &n) || ncs_number_after(text, "Rank ", &n) ||
                  ncs_number_after(text, "[rank", &n)) &&
                 n >= 0 && n < NCS_RECORD_RANKS && strlen(text) < 80;
    if (process || named) {
        int rank = named ? (int)n : !p->best.frames && !p->now.frames ? p->rank : -1;
        close_process(p);
        p->rank = rank; /* a line with the rank may stand before the one with the process */
        p->number = number;
    } else if (strncmp(text, "Thread ", 7) == 0) {
        close_thread(p);
        p->now.main = strstr(text, "MainThread") || strncmp(text, "Thread 1 ", 9) == 0;
        p->number = p->number ? p->number : number;
    }
}

/* ---- what they say ---- */

static bool same_top(const struct stack *a, const struct stack *b)
{
    return strcmp(a->file, b->file) == 0 && a->line == b->line && a->fn == b->fn;
}

static void describe_top(const struct stack *s, struct ncs_str *out)
{
    struct ncs_str place = { 0 };
    ncs_str_addf(&place, "%s:%ld in %s", s->file, s->line, s->function);
    if (!s->file[0])
        ncs_str_add(out, "in no line of the user's code");
    else
        ncs_safe_line(out, place.text);
    if (s->fn >= 0)
        ncs_str_addf(out, ", in %s", ncs_fn_info[s->fn].name + strlen("nccl"));
    else if (s->pair)
        ncs_str_add(out, ", in a send or receive");
    ncs_str_free(&place);
}

static uint64_t key_of_top(const struct stack *s)
{
    return ncs_hash(ncs_hash(ncs_hash_bytes(0, s->file, strlen(s->file)), (uint64_t)s->line), (uint64_t)s->fn);
}

/* How many ranks are at the place of each, once all equal ones are counted. */
static size_t *count_tops(const struct stacks *all)
{
    struct ncs_map count = { 0 };
    size_t *alike = ncs_new(all->count * sizeof *alike);
    for (size_t i = 0; i < all->count; i++)
        ncs_map_put_number(&count, key_of_top(&all->of[i].top), ncs_map_number(&count, key_of_top(&all->of[i].top)) + 1);
    for (size_t i = 0; i < all->count; i++)
        alike[i] = ncs_map_number(&count, key_of_top(&all->of[i].top));
    ncs_map_free(&count);
    return alike;
}

/* A note for the ranks of each place, the most ranks first. Returns those of the first one. */
static size_t note_places(const struct stacks *all, size_t *most_of)
{
    enum { SHOWN = 8 };
    size_t *alike = count_tops(all), largest = 0;
    for (int shown = 0; shown < SHOWN; shown++) {
        size_t most = 0, first = 0;
        for (size_t i = 0; i < all->count; i++) {
            first = alike[i] > most ? i : first;
            most = alike[i] > most ? alike[i] : most;
        }
        if (most == 0)
            break;
        int *rank = ncs_new(most * sizeof *rank);
        size_t ranks = 0;
        for (size_t k = 0; k < all->count; k++)
            if (alike[k] && same_top(&all->of[first].top, &all->of[k].top)) {
                rank[ranks++] = all->of[k].rank;
                alike[k] = 0;
            }
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "by the stacks, rank%s ", ranks == 1 ? "" : "s");
        ncs_str_add_many_ranks(&text, rank, ranks);
        ncs_str_add(&text, ranks == 1 ? " is at " : " are at ");
        describe_top(&all->of[first].top, &text);
        ncs_record_note(all->record, "%s", text.text);
        ncs_str_free(&text);
        ncs_free(rank);
        if (shown == 0) {
            largest = most;
            *most_of = first;
        }
    }
    ncs_free(alike);
    return largest;
}

/* Most ranks are at one place: names the others. */
static void note_odd(const struct stacks *all, const struct stack *top)
{
    struct ncs_str who = { 0 };
    int *rank = ncs_new(all->count * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!same_top(&all->of[i].top, top))
            rank[ranks++] = all->of[i].rank;
    ncs_str_add_many_ranks(&who, rank, ranks);
    ncs_record_note(all->record, "most ranks are at one line, rank%s %s %s elsewhere: look there first", ranks == 1 ? "" : "s",
                    who.text, ranks == 1 ? "is" : "are");
    ncs_str_free(&who);
    ncs_free(rank);
}

static int compare_stack_ranks(const void *a, const void *b)
{
    int x = ((const struct stack_rank *)a)->rank, y = ((const struct stack_rank *)b)->rank;
    return (x > y) - (x < y);
}

/* If most ranks are in one collective, they wait there for the others. */
static bool add_stack_calls(struct stacks *all)
{
    struct record *r = all->record;
    int ranks = all->of[all->count - 1].rank + 1;
    int comm = ncs_record_has_rank(r, ranks - 1, all->err) ? ncs_record_add_comm(r, ranks, "job", all->err) : -1;
    r->numbered = true;
    for (int k = 0; k < ranks && comm >= 0; k++)
        r->comm[comm].rank[k] = k;
    for (size_t i = 0; i < all->count && comm >= 0; i++) {
        const struct stack_rank *own = &all->of[i];
        r->rank[own->rank].source = own->path;
        if (own->top.fn < 0)
            continue;
        struct record_call *c = ncs_record_add(r, own->rank, all->err);
        if (!c)
            return false;
        *c = (struct record_call){ .fn = (enum ncs_fn)own->top.fn,
                                   .comm = comm,
                                   .comm_rank = own->rank,
                                   .count = 1,
                                   .dtype = -1,
                                   .seq = 1,
                                   .unsaid = NCS_UNSAID_COUNT | NCS_UNSAID_DTYPE | NCS_UNSAID_OP | NCS_UNSAID_ROOT,
                                   .place = ncs_record_place(r, own->top.file, own->top.line) };
    }
    if (comm >= 0 && !r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that a rank is on its way there, or that ranks are on different "
                                        "communicators: stacks show one moment, and neither communicators nor earlier calls");
    return comm >= 0;
}

/* ---- the reader ---- */

static bool stack_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    bool native = strncmp(text, "#0 ", 3) == 0 || strstr(text, "\n#0 ");
    return (strstr(text, "MainThread") && strstr(text, ".py:")) || (strstr(text, "\nPython v") && strstr(text, ".py:")) ||
           (native && (strstr(text, " from /") || strstr(text, ") at ")));
}

static enum trace_taken stack_take(void *state, struct trace_file *file)
{
    struct stacks *all = state;
    size_t before = all->count;
    struct ncs_lines lines = ncs_lines_of(&file->text);
    struct stack_reader p = {
        .all = all, .path = file->path, .file_rank = file->rank, .rank = -1, .now = { .fn = -1 }, .best = { .fn = -1 }
    };
    /* A number in the name of one file with many processes is not their rank. */
    const char *first = strstr(file->text.text, "Process "), *second = first ? strstr(first + 1, "\nProcess ") : NULL;
    if (second)
        p.file_rank = -1;
    while (ncs_lines_next(&lines))
        read_stack_line(&p, lines.text.text, lines.number);
    close_process(&p);
    return all->count > before ? TRACE_TAKEN : TRACE_NOT_MINE;
}

static bool stack_finish(void *state)
{
    struct stacks *all = state;
    struct record *r = all->record;
    size_t most_of = 0;
    bool ok = true;
    if (all->count)
        qsort(all->of, all->count, sizeof *all->of, compare_stack_ranks);
    size_t most = all->count ? note_places(all, &most_of) : 0;
    bool alone = r->calls == 0 && !r->numbered, alike = all->count > 2 && most * 3 >= all->count * 2;
    if (alike && most < all->count)
        note_odd(all, &all->of[most_of].top);
    if (alone && alike && all->of[most_of].top.fn >= 0)
        ok = add_stack_calls(all) || ncs_fail_at(all->err, all->of[0].path, 0, 0);
    if (all->counted)
        ncs_record_note(r, "nothing names the rank of some stacks: these are numbered as they come");
    if (all->again)
        ncs_record_note(r, "%zu stack%s of ranks that have one already %s left out", all->again, all->again == 1 ? "" : "s",
                        all->again == 1 ? "is" : "are");
    return ok;
}

static void stack_end(void *state)
{
    struct stacks *all = state;
    ncs_free(all->of);
    ncs_map_free(&all->at);
}

const struct trace_reader ncs_reader_stack = {
    .kind = "stacks",
    .word = "stack",
    .is = stack_is,
    .bytes = sizeof(struct stacks),
    .take = stack_take,
    .finish = stack_finish,
    .end = stack_end,
};
