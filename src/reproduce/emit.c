#include "reproduce/emit.h"

#include <string.h>

#include "base/mem.h"
#include "reproduce/fold.h"
#include "reproduce/words.h"

void ncs_workload_add_hosts(struct ncs_str *out, const struct ncs_shape *hosts, const char *open, const char *close)
{
    ncs_str_add(out, hosts->firsts ? open : "");
    for (size_t i = 0; i < hosts->firsts; i++)
        ncs_str_addf(out, "%d, ", hosts->first[i]);
    ncs_str_addf(out, "%d%s", hosts->devices, hosts->firsts ? close : "");
}

void ncs_workload_add_comment(struct ncs_str *out, const char *begin, const char *text)
{
    ncs_str_addf(out, "%s ", begin);
    ncs_workload_add_line(out, text);
    ncs_str_add(out, "\n");
}

/* The text by which equal steps are recognised. */
static char *statement_key(const struct ncs_workload_buffers *b, const struct ncs_workload_step *step)
{
    struct ncs_workload_statement s;
    struct ncs_str out = { 0 };
    ncs_workload_state(b, step, &s);
    ncs_str_addf(&out, "%s:%s(%s, %s, %s", s.object, s.verb ? s.verb : "", s.send ? s.send : "", s.recv ? s.recv : "",
                 s.peer ? s.peer : "");
    for (size_t i = 0; i < s.options; i++)
        ncs_str_addf(&out, ", %s = %s", s.option[i].key, s.option[i].value);
    ncs_workload_statement_free(&s);
    return ncs_str_take(&out);
}

void ncs_workload_emit(const struct ncs_workload *job, const struct ncs_workload_text *text, struct ncs_str *out)
{
    struct ncs_workload_buffers buffers;
    struct ncs_folded folded;
    char **key = ncs_new((job->steps + 1) * sizeof *key);
    ncs_workload_buffers_of(job, !text->yaml, &buffers);
    for (size_t i = 0; i < job->steps; i++)
        key[i] = statement_key(&buffers, job->step[i]);
    ncs_workload_fold(job, key, &folded);
    (text->yaml ? ncs_workload_emit_yaml : ncs_workload_emit_lua)(&buffers, text, &folded, out);
    ncs_folded_free(&folded);
    NCS_FREE_ALL(key, job->steps);
    ncs_workload_buffers_free(&buffers);
}

static void add_set(const struct ncs_workload *job, const bool *set, struct ncs_str *out)
{
    size_t before = out->bytes;
    ncs_workload_add_condition(out, set, job->ranks);
    if (out->bytes == before)
        ncs_str_add(out, "true");
}

/* Appends "not (step == 3 and rank == 2)" or "(step == 3 and rank == 2)": the iteration, and the ranks that differ there. */
static void add_exception(const struct ncs_workload *job, const bool *usual, const bool *there, size_t iteration,
                          struct ncs_str *out)
{
    bool *fewer = ncs_new((size_t)job->ranks * sizeof *fewer), only_fewer = true;
    for (int r = 0; r < job->ranks; r++) {
        fewer[r] = usual[r] && !there[r];
        only_fewer &= !there[r] || usual[r];
    }
    if (only_fewer) {
        ncs_str_addf(out, "not (step == %zu and ", iteration);
        add_set(job, fewer, out);
        ncs_str_add(out, ")");
    } else {
        ncs_str_addf(out, "(step ~= %zu or ", iteration);
        add_set(job, there, out);
        ncs_str_add(out, ")");
    }
    ncs_free(fewer);
}

/* Ranks that usually do not make the step may make it in the iteration. */
static void add_additions(const struct ncs_workload *job, const struct ncs_folded *f, const struct ncs_fold *item,
                          struct ncs_str *out)
{
    const bool *usual = f->set[item->set];
    for (size_t i = 0; i < item->exceptions; i++) {
        const bool *there = f->set[item->exception[i].set];
        bool *more = ncs_new((size_t)job->ranks * sizeof *more), any = false;
        for (int r = 0; r < job->ranks; r++)
            any |= more[r] = there[r] && !usual[r];
        if (any) {
            ncs_str_addf(out, " or (step == %zu and (", item->exception[i].iteration);
            add_set(job, more, out);
            ncs_str_add(out, "))");
        }
        ncs_free(more);
    }
}

void ncs_workload_item_condition(const struct ncs_workload *job, const struct ncs_folded *f, const struct ncs_fold *item,
                                 struct ncs_str *out)
{
    const bool *usual = f->set[item->set];
    struct ncs_str own = { 0 };
    ncs_str_add(&own, "");
    ncs_workload_add_condition(&own, usual, job->ranks);
    if (item->exceptions == 0) {
        ncs_str_add(out, own.text);
        ncs_str_free(&own);
        return;
    }
    const char *between = "";
    if (own.bytes) {
        ncs_str_addf(out, "(%s)", own.text);
        between = " and ";
    }
    for (size_t i = 0; i < item->exceptions; i++) {
        ncs_str_add(out, between);
        add_exception(job, usual, f->set[item->exception[i].set], item->exception[i].iteration, out);
        between = " and ";
    }
    add_additions(job, f, item, out);
    ncs_str_free(&own);
}
