/* A step as a call of a method: its buffers, its partner, its options. */
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "reproduce/emit.h"
#include "reproduce/words.h"

/* Counts up to this one are kept; if there are larger ones, they get the next numbers in steps, in their order. */
#define COUNT_KEPT 16
#define COUNT_STEP 8

/* ---- buffers ---- */

static int by_count(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

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
        qsort(b->count, b->counts, sizeof *b->count, by_count);
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

static void name_buffers(struct ncs_workload_buffers *b)
{
    bool types = false, several = b->buffers > 1;
    for (size_t i = 1; i < b->buffers; i++)
        types |= b->buffer[i].dtype != b->buffer[0].dtype;
    for (size_t i = 0; i < b->buffers; i++)
        for (int second = 0; second < 2; second++) {
            struct ncs_str name = { 0 };
            ncs_str_add(&name, second ? "z" : "x");
            if (types)
                ncs_str_addf(&name, "_%s", ncs_dtype_name(b->buffer[i].dtype));
            if (several)
                ncs_str_addf(&name, "_%llu", (unsigned long long)b->buffer[i].count);
            *(second ? &b->buffer[i].name_2 : &b->buffer[i].name) = ncs_str_take(&name);
        }
}

void ncs_workload_buffers_of(const struct ncs_workload *job, struct ncs_workload_buffers *b)
{
    *b = (struct ncs_workload_buffers){ .job = job };
    collect_counts(b);
    for (size_t i = 0; i < job->steps; i++)
        for (int r = 0; r < job->ranks; r++) {
            const struct ncs_workload_call *c = job->step[i]->of[r];
            if (c && c->dtype >= 0)
                need_buffer(b, job->step[i], c, r);
        }
    name_buffers(b);
}

void ncs_workload_buffers_free(struct ncs_workload_buffers *b)
{
    for (size_t i = 0; i < b->buffers; i++) {
        ncs_free(b->buffer[i].name);
        ncs_free(b->buffer[i].name_2);
    }
    ncs_free(b->buffer);
    ncs_free(b->count);
}

static const char *buffer_name(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, int dtype,
                               bool second)
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

void ncs_workload_add_stream(struct ncs_str *out, int stream)
{
    if (stream == 0)
        ncs_str_add(out, "stream");
    else
        ncs_str_addf(out, "s%d", stream + 1);
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
static char *spread_format(const struct spread *s, const struct ncs_workload_family *f, bool neighbours)
{
    struct ncs_str out = { 0 }, rank = { 0 }, nranks = { 0 };
    ncs_str_addf(&rank, "%s%srank", f && !f->is_world ? f->name : "", f && !f->is_world ? "." : "");
    ncs_str_addf(&nranks, "%s%snranks", f && !f->is_world ? f->name : "", f && !f->is_world ? "." : "");
    ncs_workload_add_values(&out, &(struct ncs_workload_values){ .value = s->value, .has = s->has, .ranks = s->job->ranks,
                                                       .own = neighbours ? s->own : NULL, .size = s->size, .rank = rank.text,
                                                       .nranks = nranks.text });
    ncs_str_free(&rank);
    ncs_str_free(&nranks);
    ncs_str_add(&out, "");
    return ncs_str_take(&out);
}

enum facet { FACET_COUNT, FACET_PARTNER, FACET_STREAM, FACET_OP };

static long facet_of(const struct ncs_workload_buffers *b, int rank, const struct ncs_workload_call *c, enum facet facet)
{
    const struct ncs_workload_family *f = &b->job->family[c->family];
    switch (facet) {
    case FACET_COUNT: return (long)scaled_count(b, c->count);
    case FACET_PARTNER: return c->partner >= 0 && f->comm[c->partner] == f->comm[rank] ? f->rank[c->partner] : 0;
    case FACET_STREAM: return c->stream;
    case FACET_OP: return c->op;
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
    char *text = spread_format(&s, f, neighbours && f);
    spread_close(&s);
    return text;
}

/* ---- the statement ---- */

static const struct ncs_workload_call *any_call(const struct ncs_workload *job, const struct ncs_workload_step *step)
{
    int r = 0;
    while (r < job->ranks && !step->of[r])
        r++;
    return r < job->ranks ? step->of[r] : NULL;
}

static void add_option(struct ncs_workload_statement *s, const char *key, char *value, bool is_text)
{
    s->option[s->options++] = (struct ncs_workload_option){ key, value, is_text };
}

/* "nranks == 4 and x or nil": a buffer that only the root has. */
static char *of_root(const char *own, const char *root, const char *buffer)
{
    struct ncs_str out = { 0 };
    ncs_str_addf(&out, "%s == %s and %s or nil", own, root, buffer);
    return ncs_str_take(&out);
}

static const char *method_of(enum ncs_fn fn)
{
    const char *name = ncs_fn_info[ncs_fn_info[fn].same].lua_name, *colon = name ? strchr(name, ':') : NULL;
    return colon ? colon + 1 : NULL;
}

/* The operator that most ranks pass is the first one's; a disagreement is spelled out. */
static char *operator_text(const struct ncs_workload *job, const struct ncs_workload_step *step, const struct ncs_workload_call *any)
{
    struct ncs_str out = { 0 };
    for (int r = 0; r < job->ranks; r++)
        if (step->of[r] && step->of[r]->op != any->op && step->of[r]->op >= 0) {
            ncs_str_addf(&out, "rank == %d and \"%s\" or \"%s\"", r, ncs_redop_name(step->of[r]->op), ncs_redop_name(any->op));
            return ncs_str_take(&out);
        }
    ncs_str_addf(&out, "\"%s\"", ncs_redop_name(any->op));
    return ncs_str_take(&out);
}

/* The buffer of the call's type; if some ranks pass another type, theirs: "rank == 1 and x_int32 or x". */
static char *buffer_of(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, bool second)
{
    const struct ncs_workload_call *first = NULL, *other = NULL;
    bool *has = ncs_new((size_t)b->job->ranks * sizeof *has);
    struct ncs_str out = { 0 };
    for (int r = 0; r < b->job->ranks; r++) {
        const struct ncs_workload_call *c = step->of[r];
        first = first ? first : c;
        has[r] = c && c->dtype != first->dtype;
        other = has[r] ? c : other;
    }
    if (other) {
        ncs_str_add(&out, "(");
        ncs_workload_add_condition(&out, has, b->job->ranks);
        ncs_str_addf(&out, ") and %s or ", buffer_name(b, step, other->dtype, second));
    }
    ncs_str_add(&out, buffer_name(b, step, first->dtype, second));
    ncs_free(has);
    return ncs_str_take(&out);
}

static void state_buffers(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step,
                          const struct ncs_workload_call *c, const char *root, struct ncs_workload_statement *s)
{
    char *x = buffer_of(b, step, false), *y = buffer_of(b, step, true);
    struct ncs_str own = { 0 };
    ncs_str_addf(&own, "%s%srank", strcmp(s->object, "world") == 0 ? "" : s->object, strcmp(s->object, "world") == 0 ? "" : ".");
    bool reads = c->fn != NCS_FN_ncclRecv, writes = writes_another(c->fn);
    s->send = !reads ? NULL : c->fn == NCS_FN_ncclScatter ? of_root(own.text, root, x) : ncs_copy_text(x);
    s->recv = !writes ? NULL : c->fn == NCS_FN_ncclGather ? of_root(own.text, root, y) : ncs_copy_text(y);
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
static char *object_by_rank(const struct ncs_workload *job, const struct ncs_workload_step *step)
{
    struct ncs_str out = { 0 };
    bool *has = ncs_new((size_t)job->ranks * sizeof *has), *done = ncs_new((job->families + 1) * sizeof *done);
    int first = -1;
    for (int r = 0; r < job->ranks; r++) {
        int family = step->of[r] ? step->of[r]->family : -1;
        if (family < 0 || done[family])
            continue;
        done[family] = true;
        if (first < 0) {
            first = family; /* comes last: the one of all other ranks */
            continue;
        }
        for (int k = 0; k < job->ranks; k++)
            has[k] = step->of[k] && step->of[k]->family == family;
        ncs_str_add(&out, out.bytes ? "" : "(");
        ncs_str_add(&out, "(");
        ncs_workload_add_condition(&out, has, job->ranks);
        ncs_str_addf(&out, ") and %s or ", job->family[family].name);
    }
    ncs_str_addf(&out, "%s)", job->family[first].name);
    ncs_free(has);
    ncs_free(done);
    return ncs_str_take(&out);
}

static void state_call(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, const struct ncs_workload_call *c,
                       struct ncs_workload_statement *s)
{
    const struct ncs_workload_family *f = family_of_step(b->job, step, c);
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    s->chosen = f ? NULL : object_by_rank(b->job, step);
    s->object = f ? f->name : s->chosen;
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
        add_option(s, "op", operator_text(b->job, step, c), false);
    add_option(s, "count", facet_text(b, step, f, FACET_COUNT, false), false);
    if (c->stream > 0) {
        struct ncs_str stream = { 0 };
        ncs_workload_add_stream(&stream, c->stream);
        add_option(s, "stream", ncs_str_take(&stream), false);
    }
}

void ncs_workload_state(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step, struct ncs_workload_statement *s)
{
    const struct ncs_workload_call *c = any_call(b->job, step);
    *s = (struct ncs_workload_statement){ .object = "cuda", .verb = "sync" };
    if (!c)
        return;
    if (step->kind == NCS_STEP_LAST)
        *s = (struct ncs_workload_statement){ .object = "", .verb = c->place };
    else if (step->kind == NCS_STEP_GROUP || step->kind == NCS_STEP_GROUP_END)
        *s = (struct ncs_workload_statement){ .object = "C", .verb = ncs_fn_info[c->fn].name };
    else if (step->kind == NCS_STEP_CALL)
        state_call(b, step, c, s);
    else if (c->fn == NCS_FN_cudaStreamSynchronize) {
        struct ncs_str stream = { 0 };
        ncs_workload_add_stream(&stream, c->stream);
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
void ncs_workload_split(const struct ncs_workload *job, const struct ncs_workload_family *f, struct ncs_str *color, struct ncs_str *key,
                   struct ncs_str *name)
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
