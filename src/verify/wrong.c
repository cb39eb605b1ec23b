/* Keeps wrong results: their place, their first wrong element, and the mistake that they look like. */
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "verify/element.h"
#include "verify/pattern.h"
#include "verify/private.h"

/* The texts of two elements that differ; in hexadecimal if they would look the same. */
static void write_texts(struct ncs_suspect *s, struct ncs_wrong *w)
{
    size_t bytes = ncs_dtype_bytes(s->dtype), run;
    const unsigned char *got = s->out + s->first * bytes;

    ncs_element_text(s->dtype, got, w->got, sizeof w->got);
    if (ncs_is_reduction(s->op)) {
        struct ncs_terms terms = ncs_terms_of(s->op, s->offset);
        ncs_expect(&terms, s->arithmetic, s->first, 1, s->scratch);
        ncs_expected_text(s->scratch, 0, w->want, sizeof w->want);
        if (s->scratch->wide && strcmp(w->got, w->want) == 0)
            ncs_element_value_text(21, s->scratch->bound[0].value, w->want, sizeof w->want);
        return;
    }
    const unsigned char *want = ncs_moved_at(s->op, s->share, bytes, s->first, &run);
    ncs_element_text(s->dtype, want, w->want, sizeof w->want);
    if (strcmp(w->got, w->want) == 0) { /* NaNs of different bits */
        static const char digits[] = "0123456789abcdef";
        for (size_t i = 0; i < bytes; i++) {
            const unsigned char a = got[bytes - 1 - i], b = want[bytes - 1 - i];
            w->got[2 * i] = digits[a / 16];
            w->got[2 * i + 1] = digits[a % 16];
            w->want[2 * i] = digits[b / 16];
            w->want[2 * i + 1] = digits[b % 16];
        }
        w->got[2 * bytes] = w->want[2 * bytes] = 0;
    }
}

/* Inserts an entry into the kept ones, which are ordered by the calls' ids; NULL: it is not kept. */
static struct ncs_wrong *wrong_place_of(struct ncs_verify *v, const struct ncs_call *call)
{
    size_t at = v->kept;

    while (at > 0 && v->wrong[at - 1].call->id > call->id)
        at--;
    if (at == NCS_WRONGS)
        return NULL;
    if (v->kept == NCS_WRONGS)
        ncs_call_unpin(v->wrong[--v->kept].call);
    memmove(&v->wrong[at + 1], &v->wrong[at], (v->kept - at) * sizeof *v->wrong);
    v->kept++;
    return &v->wrong[at];
}

struct ncs_wrong *ncs_verify_add_wrong(struct ncs_verify *v, struct ncs_call *call)
{
    struct ncs_wrong *w = wrong_place_of(v, call);

    v->wrongs++;
    if (!w)
        return NULL;
    ncs_call_pin(call);
    *w = (struct ncs_wrong){
        .call = call, .comm = call->comm, .comm_rank = call->comm_rank, .number = call->number, .rank = call->rank
    };
    const char *fault = ncs_map_get(&v->spoilt, call->id);
    if (fault)
        snprintf(w->text, sizeof w->text, "%s changed what the call wrote", fault);
    return w;
}

static void wrong_report(struct ncs_verify *v, struct ncs_suspect *s)
{
    struct ncs_wrong *w = ncs_verify_add_wrong(v, s->op->share[s->share].call);

    if (!w)
        return;
    w->first = s->first + 1;
    w->differ = s->differ;
    w->total = s->total;
    write_texts(s, w);
    if (!s->op->foreseen && !w->text[0])
        ncs_name_pattern(s, w);
}

void ncs_verify_report(struct ncs_verify *v, const struct ncs_operation *op, const struct tally *tallies)
{
    bool any_right = false;

    for (int i = 0; i < op->shares; i++)
        any_right |= tallies[i].out && tallies[i].differ == 0;
    for (int i = 0; i < op->shares; i++) {
        const struct tally *t = &tallies[i];
        if (!t->out || t->differ == 0)
            continue;
        const struct ncs_call *call = op->share[i].call;
        struct ncs_suspect s = {
            .op = op,
            .share = i,
            .out = t->out,
            .dtype = ncs_call_dtype(call),
            .total = op->share[i].outputs,
            .first = t->first,
            .differ = t->differ,
            .offset = op->movement->reduces && op->movement->parts_in ? (size_t)i * op->count : 0,
            .arithmetic = v->arithmetic,
            .others_right = any_right && op->movement->reduces && !op->movement->parts_in && !op->movement->to_root,
            .all_wrong = !any_right,
            .scratch = &v->scratch,
        };
        wrong_report(v, &s);
    }
}
