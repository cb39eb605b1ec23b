/* A step as a call of a method: its buffers, its partner, its options. */
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/order.h"
#include "reproduce/emit.h"
#include "reproduce/words.h"

/* Counts up to this one are kept; if there are larger ones, they get the next numbers in steps, in their order. */
#define COUNT_KEPT 16
#define COUNT_STEP 8

/* Lua lets a function have 200 locals: a scenario with more objects than this keeps kinds of which it has many in tables. */
#define LOCALS_MOST 100
#define MANY_OF_A_KIND 25

/* ---- buffers ---- */

static void collect_counts(struct ncs_workload_buffers *b)
{
    size_t room = 0, kept = 0;
    const struct ncs_workload_call *last = NULL;
    for (size_t i = 0; i < b->job->steps; i++)
        for (int r = 0; r < b->job->ranks; r++) {
            const struct ncs_workload_call *c = b->job->step[i]->of[r];
            if (!c || c == last || c->dtype < 0)
                continue;
            last = c;
            NCS_PUSH(b->count, b->counts, room, c->count);
        }
    if (b->counts > 0)
        qsort(b->count, b->counts, sizeof *b->count, ncs_order_counts);
    for (size_t i = 0; i < b->counts; i++)
        if (kept == 0 || b->count[i] != b->count[kept - 1])
            b->count[kept++] = b->count[i];
    b->counts = kept;
    b->scaled = kept > 0 && b->count[kept - 1] > COUNT_KEPT;
}

static uint64_t scaled_count(const struct ncs_workload_buffers *b, uint64_t count)
{
    size_t below = 0, above = 0;
    if (count <= COUNT_KEPT)
        return count;
    while (below < b->counts && b->count[below] <= COUNT_KEPT)
        below++;
    while (below + above < b->counts && b->count[below + above] < count)
        above++;
    return COUNT_KEPT + COUNT_STEP * (above + 1);
}

static bool writes_another(enum ncs_fn fn)
{
    bool reads_many = ncs_blocks_are_many(ncs_fn_info[fn].reads), writes_many = ncs_blocks_are_many(ncs_fn_info[fn].writes);
    return fn == NCS_FN_ncclRecv || reads_many || writes_many;
}

static uint64_t block_elements(uint64_t count, enum ncs_blocks blocks, int ranks)
{
    uint64_t all = count * (uint64_t)(ncs_blocks_are_many(blocks) ? ranks : 1);
    return all ? all : 1;
}

static struct ncs_workload_buffer *find_buffer(const struct ncs_workload_buffers *b, int dtype, uint64_t count)
{
    for (size_t i = 0; i < b->buffers; i++)
        if (b->buffer[i].dtype == dtype && b->buffer[i].count == count)
            return &b->buffer[i];
    return NULL;
}

/* The largest count that a rank passes in the step, for its own type. */
static uint64_t count_in(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, int dtype)
{
    uint64_t most = 0;
    step = step->whole ? step->whole : step;
    for (int r = 0; r < b->job->ranks; r++)
        if (step->of[r] && step->of[r]->dtype == dtype && step->of[r]->count > most)
            most = step->of[r]->count;
    return scaled_count(b, most);
}

static void need_buffer(struct ncs_workload_buffers *b, const struct ncs_workload_step *step, const struct ncs_workload_call *c,
                        int rank)
{
    const struct ncs_workload_family *f = &b->job->family[c->family];
    uint64_t count = count_in(b, step, c->dtype);
    uint64_t need = block_elements(count, ncs_fn_info[c->fn].reads, f->size[f->comm[rank]]);
    uint64_t need_2 = writes_another(c->fn) ? block_elements(count, ncs_fn_info[c->fn].writes, f->size[f->comm[rank]]) : 0;
    struct ncs_workload_buffer *buffer = find_buffer(b, c->dtype, count);
    if (!buffer) {
        struct ncs_workload_buffer fresh = { .dtype = c->dtype, .count = count };
        NCS_PUSH(b->buffer, b->buffers, b->room, fresh);
        buffer = &b->buffer[b->buffers - 1];
    }
    buffer->room = need > buffer->room ? need : buffer->room;
    buffer->room_2 = need_2 > buffer->room_2 ? need_2 : buffer->room_2;
}

/* "x", of several "x_64", "x_int32_64", in a table "x[64]", "x.int32_64". */
static char *buffer_name(const struct ncs_workload_buffers *b, const struct ncs_workload_buffer *buffer, bool second)
{
    bool types = false, several = b->buffers > 1, in_table = b->in_table[NCS_WORKLOAD_BUFFERS];
    struct ncs_str name = { 0 };
    for (size_t i = 1; i < b->buffers; i++)
        types |= b->buffer[i].dtype != b->buffer[0].dtype;
    ncs_str_add(&name, second ? "z" : "x");
    if (types)
        ncs_str_addf(&name, "%s%s", in_table ? "." : "_", ncs_dtype_name(buffer->dtype));
    if (several)
        ncs_str_addf(&name, in_table && !types ? "[%llu]" : "_%llu", (unsigned long long)buffer->count);
    return ncs_str_take(&name);
}

/* Chooses the kinds of objects that are in tables. */
static void choose_tables(struct ncs_workload_buffers *b)
{
    size_t count[NCS_WORKLOAD_KINDS] = { [NCS_WORKLOAD_STREAMS] = (size_t)ncs_workload_streams(b->job),
                                         [NCS_WORKLOAD_EVENTS] = (size_t)ncs_workload_events(b->job) },
           all = 0;
    for (size_t i = 0; i < b->job->families; i++)
        count[NCS_WORKLOAD_COMMS] += !b->job->family[i].is_world && b->job->family[i].comms > 0;
    for (size_t i = 0; i < b->buffers; i++)
        count[NCS_WORKLOAD_BUFFERS] += (b->buffer[i].room > 0) + (b->buffer[i].room_2 > 0);
    for (int kind = 0; kind < NCS_WORKLOAD_KINDS; kind++)
        all += count[kind];
    for (int kind = 0; kind < NCS_WORKLOAD_KINDS; kind++)
        b->in_table[kind] = all > LOCALS_MOST && count[kind] > MANY_OF_A_KIND;
}

static void name_objects(struct ncs_workload_buffers *b)
{
    for (size_t i = 0; i < b->buffers; i++) {
        b->buffer[i].name = buffer_name(b, &b->buffer[i], false);
        b->buffer[i].name_2 = buffer_name(b, &b->buffer[i], true);
    }
    b->comm = ncs_new((b->job->families + 1) * sizeof *b->comm);
    for (size_t i = 0; i < b->job->families; i++) {
        const struct ncs_workload_family *f = &b->job->family[i];
        struct ncs_str name = { 0 };
        ncs_str_addf(&name, "%s%s", b->in_table[NCS_WORKLOAD_COMMS] && !f->is_world ? "comm." : "",
                     f->is_world ? "world" : f->name);
        b->comm[i] = ncs_str_take(&name);
    }
}

void ncs_workload_buffers_of(const struct ncs_workload *job, bool lua, struct ncs_workload_buffers *b)
{
    *b = (struct ncs_workload_buffers){ .job = job };
    collect_counts(b);
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; r < job->ranks; r++) {
            const struct ncs_workload_call *c = job->step[i]->of[r];
            if (c && c->dtype >= 0)
                need_buffer(b, job->step[i], c, r);
        }
    if (lua)
        choose_tables(b);
    name_objects(b);
}

void ncs_workload_buffers_free(struct ncs_workload_buffers *b)
{
    for (size_t i = 0; i < b->buffers; i++) {
        ncs_free(b->buffer[i].name);
        ncs_free(b->buffer[i].name_2);
    }
    NCS_FREE_ALL(b->comm, b->job->families);
    ncs_free(b->buffer);
    ncs_free(b->count);
}

static const char *buffer_in(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, int dtype, bool second)
{
    const struct ncs_workload_buffer *buffer = find_buffer(b, dtype, count_in(b, step, dtype));
    return second ? buffer->name_2 : buffer->name;
}

int ncs_workload_streams(const struct ncs_workload *job)
{
    int most = 0;
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; r < job->ranks; r++)
            if (job->step[i]->of[r] && job->step[i]->of[r]->stream > most)
                most = job->step[i]->of[r]->stream;
    return most;
}

void ncs_workload_add_stream(const struct ncs_workload_buffers *b, struct ncs_str *out, int stream)
{
    if (stream == 0)
        ncs_str_add(out, "stream");
    else
        ncs_str_addf(out, b->in_table[NCS_WORKLOAD_STREAMS] ? "s[%d]" : "s%d", stream + 1);
}

int ncs_workload_events(const struct ncs_workload *job)
{
    uint64_t events = 0;
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; job->step[i]->kind == NCS_STEP_TEXT && r < job->ranks; r++) {
            const struct ncs_workload_call *c = job->step[i]->of[r];
            if (c && strstr(c->place, NCS_TEXT_EVENT) && c->count >= events)
                events = c->count + 1;
        }
    return (int)events;
}

void ncs_workload_add_event(const struct ncs_workload_buffers *b, struct ncs_str *out, int event)
{
    ncs_str_addf(out, b->in_table[NCS_WORKLOAD_EVENTS] ? "e[%d]" : "e%d", event + 1);
}

/* ---- values by rank ---- */

struct spread {
    const struct ncs_workload *job;
    const struct ncs_workload_step *step;
    long *value;
    bool *has;
    int *own, *size;
};

static void spread_open(struct spread *s, const struct ncs_workload *job, const struct ncs_workload_step *step)
{
    size_t ranks = (size_t)job->ranks;
    *s = (struct spread){ .job = job, .step = step };
    s->value = ncs_new(ranks * sizeof *s->value);
    s->has = ncs_new(ranks * sizeof *s->has);
    s->own = ncs_new(ranks * sizeof *s->own);
    s->size = ncs_new(ranks * sizeof *s->size);
    for (int r = 0; r < job->ranks; r++) {
        const struct ncs_workload_call *c = step->of[r];
        s->has[r] = c != NULL;
        if (!c || c->family < 0)
            continue;
        const struct ncs_workload_family *f = &job->family[c->family];
        s->own[r] = f->rank[r];
        s->size[r] = f->comm[r] >= 0 ? f->size[f->comm[r]] : 1;
    }
}

static void spread_close(struct spread *s)
{
    ncs_free(s->value);
    ncs_free(s->has);
    ncs_free(s->own);
    ncs_free(s->size);
}

/* The family's names of a rank's own number and of the number of ranks. */
static char *spread_format(const struct spread *s, const struct ncs_workload_family *f, const char *comm, bool neighbours)
{
    struct ncs_str out = { 0 }, rank = { 0 }, nranks = { 0 };
    ncs_str_addf(&rank, "%s%srank", f && !f->is_world ? comm : "", f && !f->is_world ? "." : "");
    ncs_str_addf(&nranks, "%s%snranks", f && !f->is_world ? comm : "", f && !f->is_world ? "." : "");
    ncs_workload_add_values(&out, &(struct ncs_workload_values){ .value = s->value,
                                                                 .has = s->has,
                                                                 .ranks = s->job->ranks,
                                                                 .own = neighbours ? s->own : NULL,
                                                                 .size = s->size,
                                                                 .rank = rank.text,
                                                                 .nranks = nranks.text });
    ncs_str_free(&rank);
    ncs_str_free(&nranks);
    ncs_str_add(&out, "");
    return ncs_str_take(&out);
}

enum facet { FACET_COUNT, FACET_PARTNER };

static long facet_of(const struct ncs_workload_buffers *b, int rank, const struct ncs_workload_call *c, enum facet facet)
{
    const struct ncs_workload_family *f = &b->job->family[c->family];
    switch (facet) {
    case FACET_COUNT: return (long)scaled_count(b, c->count);
    case FACET_PARTNER: return c->partner >= 0 && f->comm[c->partner] == f->comm[rank] ? f->rank[c->partner] : 0;
    }
    return 0;
}

/* f: the family of all the step's calls; NULL = they have several. */
static char *facet_text(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                        const struct ncs_workload_family *f, enum facet facet, bool neighbours)
{
    struct spread s;
    spread_open(&s, b->job, step);
    for (int r = 0; r < b->job->ranks; r++)
        if (step->of[r])
            s.value[r] = facet_of(b, r, step->of[r], facet);
    char *text = spread_format(&s, f, f ? b->comm[f - b->job->family] : "", neighbours && f);
    spread_close(&s);
    return text;
}

/* ---- the statement ---- */

static void add_option(struct ncs_workload_statement *s, const char *key, char *value, bool is_text)
{
    s->option[s->options++] = (struct ncs_workload_option){ key, value, is_text };
}

/* "rank == 4 and x or nil": a buffer that only the root has. Ranks that name different roots are compared one by one. */
static char *of_root(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, const char *own,
                     const char *root, const char *buffer)
{
    struct ncs_str out = { 0 }, is_root = { 0 };
    const char *open = strchr(buffer, ' ') ? "(" : "", *close = *open ? ")" : "";
    ncs_str_add(&is_root, "");
    if (root[strspn(root, "0123456789")] == '\0') {
        ncs_str_addf(&is_root, "%s == %s", own, root);
    } else {
        bool *has = ncs_new((size_t)b->job->ranks * sizeof *has);
        for (int r = 0; r < b->job->ranks; r++)
            has[r] = step->of[r] && step->of[r]->partner == r;
        ncs_workload_add_condition(&is_root, has, b->job->ranks);
        ncs_free(has);
    }
    bool simple = !strstr(is_root.text, " or ");
    if (is_root.bytes)
        ncs_str_addf(&out, "%s%s%s and %s%s%s or nil", simple ? "" : "(", is_root.text, simple ? "" : ")", open, buffer, close);
    else
        ncs_str_add(&out, buffer);
    ncs_str_free(&is_root);
    return ncs_str_take(&out);
}

static const char *method_of(enum ncs_fn fn)
{
    const char *name = ncs_fn_info[ncs_fn_info[fn].same].lua_name, *colon = name ? strchr(name, ':') : NULL;
    return colon ? colon + 1 : NULL;
}

/* What each rank passes: `text` gives the expression for a call. */
static char *text_by_rank(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                          void (*add)(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                                      const struct ncs_workload_call *c, struct ncs_str *out))
{
    size_t ranks = (size_t)b->job->ranks;
    char **text = ncs_new(ranks * sizeof *text);
    struct ncs_str out = { 0 };
    for (size_t r = 0; r < ranks; r++)
        if (step->of[r]) {
            struct ncs_str own = { 0 };
            add(b, step, step->of[r], &own);
            text[r] = ncs_str_take(&own);
        }
    ncs_workload_add_texts(&out, (const char *const *)text, b->job->ranks);
    NCS_FREE_ALL(text, ranks);
    return ncs_str_take(&out);
}

static void add_operator(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                         const struct ncs_workload_call *c, struct ncs_str *out)
{
    (void)b, (void)step;
    ncs_str_addf(out, "\"%s\"", ncs_redop_name(c->op >= 0 ? c->op : ncclSum));
}

static void add_first_buffer(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                             const struct ncs_workload_call *c, struct ncs_str *out)
{
    ncs_str_add(out, buffer_in(b, step, c->dtype, false));
}

static void add_second_buffer(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                              const struct ncs_workload_call *c, struct ncs_str *out)
{
    ncs_str_add(out, buffer_in(b, step, c->dtype, true));
}

static void add_own_stream(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                           const struct ncs_workload_call *c, struct ncs_str *out)
{
    (void)step;
    ncs_workload_add_stream(b, out, c->stream);
}

static void add_own_comm(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                         const struct ncs_workload_call *c, struct ncs_str *out)
{
    (void)step;
    ncs_str_add(out, b->comm[c->family]);
}

static void state_buffers(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                          const struct ncs_workload_call *c, const char *root, struct ncs_workload_statement *s)
{
    char *x = text_by_rank(b, step, add_first_buffer), *y = text_by_rank(b, step, add_second_buffer);
    struct ncs_str own = { 0 };
    ncs_str_addf(&own, "%s%srank", strcmp(s->object, "world") == 0 ? "" : s->object, strcmp(s->object, "world") == 0 ? "" : ".");
    bool reads = c->fn != NCS_FN_ncclRecv, writes = writes_another(c->fn);
    s->send = !reads ? NULL : c->fn == NCS_FN_ncclScatter ? of_root(b, step, own.text, root, x) : ncs_copy_text(x);
    s->recv = !writes ? NULL : c->fn == NCS_FN_ncclGather ? of_root(b, step, own.text, root, y) : ncs_copy_text(y);
    ncs_str_free(&own);
    ncs_free(x);
    ncs_free(y);
}

/* The family of all the step's calls; NULL = they have several. */
static const struct ncs_workload_family *family_of_step(const struct ncs_workload *job, const struct ncs_workload_step *step,
                                                        const struct ncs_workload_call *any)
{
    for (int r = 0; r < job->ranks; r++)
        if (step->of[r] && step->of[r]->family != any->family)
            return NULL;
    return &job->family[any->family];
}

/* "(rank == 5 and b or a)": the communicator of each rank. */
static char *object_by_rank(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step)
{
    struct ncs_str out = { 0 };
    char *text = text_by_rank(b, step, add_own_comm);
    ncs_str_addf(&out, "(%s)", text);
    ncs_free(text);
    return ncs_str_take(&out);
}

static void state_call(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                       const struct ncs_workload_call *c, struct ncs_workload_statement *s)
{
    const struct ncs_workload_family *f = family_of_step(b->job, step, c);
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    s->chosen = f ? NULL : object_by_rank(b, step);
    s->object = f ? b->comm[f - b->job->family] : s->chosen;
    s->verb = method_of(c->fn);
    if (c->dtype < 0)
        return;
    char *partner = info->rooted || info->pair ? facet_text(b, step, f, FACET_PARTNER, info->pair) : NULL;
    state_buffers(b, step, c, partner, s);
    if (info->pair)
        s->peer = partner;
    else if (partner && strcmp(partner, "0") != 0)
        add_option(s, "root", partner, false);
    else
        ncs_free(partner);
    if (info->reduces)
        add_option(s, "op", text_by_rank(b, step, add_operator), false);
    add_option(s, "count", facet_text(b, step, f, FACET_COUNT, false), false);
    char *stream = text_by_rank(b, step, add_own_stream);
    if (strcmp(stream, "stream") != 0)
        add_option(s, "stream", stream, false);
    else
        ncs_free(stream);
}

/* The statement of a TEXT step with the names of this scenario. */
static void state_text(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                       const struct ncs_workload_call *c, struct ncs_workload_statement *s)
{
    const struct ncs_workload_family *f = c->family >= 0 ? &b->job->family[c->family] : NULL;
    char *partner = f && c->partner >= 0 ? facet_text(b, step, f, FACET_PARTNER, true) : NULL;
    struct ncs_str out = { 0 };
    for (const char *t = c->place; *t; t++)
        if (*t == NCS_TEXT_PARTNER[0])
            ncs_str_add(&out, partner ? partner : "0");
        else if (*t == NCS_TEXT_COMM[0])
            ncs_str_add(&out, f ? b->comm[c->family] : "nil");
        else if (*t == NCS_TEXT_STREAM[0])
            ncs_workload_add_stream(b, &out, c->stream);
        else if (*t == NCS_TEXT_EVENT[0])
            ncs_workload_add_event(b, &out, (int)c->count);
        else if (*t == NCS_TEXT_COUNT[0])
            ncs_str_addf(&out, "%llu", (unsigned long long)scaled_count(b, c->count));
        else
            ncs_str_add_bytes(&out, t, 1);
    ncs_free(partner);
    s->chosen = ncs_str_take(&out);
    s->object = "";
    s->verb = s->chosen;
}

void ncs_workload_state(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                        struct ncs_workload_statement *s)
{
    const struct ncs_workload_call *c = ncs_workload_any_call(b->job, step);
    *s = (struct ncs_workload_statement){ .object = "cuda", .verb = "sync" };
    if (!c)
        return;
    if (step->kind == NCS_STEP_LAST)
        *s = (struct ncs_workload_statement){ .object = "", .verb = c->place };
    else if (step->kind == NCS_STEP_GROUP || step->kind == NCS_STEP_GROUP_END)
        *s = (struct ncs_workload_statement){ .object = "C", .verb = ncs_fn_info[c->fn].name };
    else if (step->kind == NCS_STEP_CALL)
        state_call(b, step, c, s);
    else if (step->kind == NCS_STEP_TEXT)
        state_text(b, step, c, s);
    else if (c->fn == NCS_FN_cudaStreamSynchronize) {
        struct ncs_str stream = { 0 };
        ncs_workload_add_stream(b, &stream, c->stream);
        s->object = s->chosen = ncs_str_take(&stream);
    }
    if (c->place && step->kind == NCS_STEP_CALL)
        add_option(s, "label", ncs_copy_text(c->place), true);
}

void ncs_workload_statement_free(struct ncs_workload_statement *s)
{
    for (size_t i = 0; i < s->options; i++)
        ncs_free(s->option[i].value);
    ncs_free(s->chosen);
    ncs_free(s->send);
    ncs_free(s->recv);
    ncs_free(s->peer);
}

/* ---- communicators ---- */

/* The lowest rank of each communicator decides the order of colors. */
void ncs_workload_split(const struct ncs_workload *job, const struct ncs_workload_family *f, struct ncs_str *color,
                        struct ncs_str *key, struct ncs_str *name)
{
    struct spread s;
    spread_open(&s, job, job->step[0]);
    bool ordered = true, named = true;
    int last = -1;
    for (int r = 0; r < job->ranks; r++) {
        s.has[r] = true;
        s.value[r] = f->comm[r];
        for (int k = 0; k < r; k++)
            ordered &= f->comm[k] != f->comm[r] || f->comm[r] < 0 || f->rank[k] < f->rank[r];
        last = f->comm[r] > last ? f->comm[r] : last;
    }
    bool contiguous = true, strided = true;
    int size = f->size[0];
    for (int r = 0; r < job->ranks; r++) {
        contiguous &= f->comm[r] == r / size;
        strided &= f->comms > 1 && f->comm[r] == r % f->comms;
    }
    if (contiguous && f->comms > 1)
        ncs_str_addf(color, "rank // %d", size);
    else if (strided)
        ncs_str_addf(color, "rank %% %d", f->comms);
    else
        ncs_workload_add_values(color, &(struct ncs_workload_values){ .value = s.value, .has = s.has, .ranks = job->ranks });
    for (int r = 0; r < job->ranks && !ordered; r++)
        s.value[r] = f->rank[r] < 0 ? 0 : f->rank[r];
    if (!ordered)
        ncs_workload_add_values(key, &(struct ncs_workload_values){ .value = s.value, .has = s.has, .ranks = job->ranks });
    for (int c = 1; c < f->comms; c++)
        named &= f->comm_name[c] && f->comm_name[0] && strcmp(f->comm_name[c], f->comm_name[0]) == 0;
    ncs_str_add(name, named && f->comm_name[0] ? f->comm_name[0] : f->name);
    spread_close(&s);
}
