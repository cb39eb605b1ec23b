#include "reproduce/workload.h"

#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/safe.h"

/* ---- shared arguments and places ---- */

static uint64_t job_call_hash(const struct ncs_workload_call *c)
{
    uint64_t h = ncs_hash(ncs_hash((uint64_t)c->fn, (uint64_t)c->family), c->count);
    h = ncs_hash(ncs_hash(ncs_hash(h, (uint64_t)c->dtype), (uint64_t)c->op), (uint64_t)c->partner);
    return ncs_hash(ncs_hash(ncs_hash(h, (uint64_t)c->stream), c->unsaid), ncs_map_key(c->place));
}

static bool job_calls_equal(const struct ncs_workload_call *a, const struct ncs_workload_call *b)
{
    return a->fn == b->fn && a->family == b->family && a->count == b->count && a->dtype == b->dtype && a->op == b->op &&
           a->partner == b->partner && a->stream == b->stream && a->unsaid == b->unsaid && a->place == b->place;
}

struct ncs_workload_call ncs_workload_call_alone(enum ncs_fn fn, const char *place)
{
    return (struct ncs_workload_call){ .fn = fn, .family = -1, .dtype = -1, .op = -1, .partner = -1, .place = place };
}

const struct ncs_workload_call *ncs_workload_any_call(const struct ncs_workload *job, const struct ncs_workload_step *step)
{
    int r = 0;
    while (r < job->ranks && !step->of[r])
        r++;
    return r < job->ranks ? step->of[r] : NULL;
}

const struct ncs_workload_call *ncs_workload_intern(struct ncs_workload *job, const struct ncs_workload_call *call)
{
    uint64_t hash = job_call_hash(call);
    struct ncs_workload_call *known;
    while ((known = ncs_map_get(&job->call, hash)) && !job_calls_equal(known, call))
        hash++;
    if (known)
        return known;
    known = ncs_new(sizeof *known);
    *known = *call;
    ncs_map_put(&job->call, hash, known);
    return known;
}

const char *ncs_workload_intern_place(struct ncs_workload *job, const char *text)
{
    if (!text)
        return NULL;
    uint64_t hash = ncs_hash_bytes(1, text, strlen(text));
    char *known;
    while ((known = ncs_map_get(&job->place, hash)) && strcmp(known, text) != 0)
        hash++;
    if (!known) {
        known = ncs_copy_text(text);
        ncs_map_put(&job->place, hash, known);
    }
    return known;
}

void ncs_workload_add_line(struct ncs_str *out, const char *text)
{
    struct ncs_str valid = { 0 }, line = { 0 };
    ncs_safe_utf8(&valid, text, strlen(text));
    ncs_safe_line(&line, valid.text ? valid.text : "");
    ncs_str_add(out, line.text ? line.text : "");
    ncs_str_free(&valid);
    ncs_str_free(&line);
}

void ncs_workload_note(struct ncs_workload *job, const char *fmt, ...)
{
    struct ncs_str text = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&text, fmt, args);
    va_end(args);
    NCS_PUSH(job->note, job->notes, job->note_room, ncs_str_take(&text));
}

void ncs_workload_lose(struct ncs_workload *job, const char *fmt, ...)
{
    struct ncs_str text = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&text, fmt, args);
    va_end(args);
    NCS_PUSH(job->loss, job->losses, job->loss_room, ncs_str_take(&text));
}

void ncs_workload_add_losses(const struct ncs_workload *job, bool of_data, struct ncs_str *out)
{
    if (of_data)
        ncs_str_add(out, "the contents of buffers");
    for (size_t i = 0; i < job->losses; i++)
        ncs_str_addf(out, "%s%s", of_data || i > 0 ? "; " : "", job->loss[i]);
    if (!of_data && job->losses == 0)
        ncs_str_add(out, "the times of the calls, and the lines of the program around them");
}

/* ---- steps ---- */

struct ncs_workload_step *ncs_workload_new_step(const struct ncs_workload *job, enum ncs_step_kind kind, struct ncs_step_key key)
{
    struct ncs_workload_step *s = ncs_new(sizeof *s);
    s->kind = kind;
    s->key = key;
    s->of = ncs_new((size_t)job->ranks * sizeof *s->of);
    return s;
}

void ncs_workload_free_step(struct ncs_workload_step *step)
{
    ncs_free(step->of);
    ncs_free(step);
}

static void job_free_value(void *value, void *arg)
{
    (void)arg;
    ncs_free(value);
}

static void job_free_family(struct ncs_workload_family *f)
{
    NCS_FREE_ALL(f->comm_name, f->comms);
    ncs_free(f->name);
    ncs_free(f->comm);
    ncs_free(f->rank);
    ncs_free(f->size);
}

void ncs_workload_free(struct ncs_workload *job)
{
    for (size_t i = 0; i < job->families; i++)
        job_free_family(&job->family[i]);
    for (size_t i = 0; i < job->steps; i++)
        ncs_workload_free_step(job->step[i]);
    NCS_FREE_ALL(job->note, job->notes);
    NCS_FREE_ALL(job->loss, job->losses);
    if (job->other)
        ncs_workload_free(job->other);
    ncs_free(job->other);
    ncs_map_each(&job->call, job_free_value, NULL);
    ncs_map_each(&job->place, job_free_value, NULL);
    ncs_map_free(&job->call);
    ncs_map_free(&job->place);
    ncs_free(job->family);
    ncs_free(job->step);
    *job = (struct ncs_workload){ 0 };
}
