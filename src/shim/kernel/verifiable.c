/* The kernels with which NVIDIA's nccl-tests prepare buffers and verify results (2.13 and newer): their names and
 * arguments. The data are not those of nccl-tests: all that the programs need is that input and verification agree. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "shim/kernel/kernel.h"

struct verifiable {
    struct kernel_job job;
    struct value_source source;
    void *elements;       /* written by prepare, read by verify */
    const void *expected; /* NULL = computed here */
    int64_t count, *bad;
    int rank;
    uint64_t begin;     /* index of the first element */
    unsigned tolerance; /* in units of the last place */
};

/* ---- the work ---- */

static uint64_t load_element(const void *elements, int bytes, int64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)elements + i * bytes, (size_t)bytes);
    return bits;
}

static void run_prepare_input(struct kernel_job *job)
{
    struct verifiable *v = (struct verifiable *)job;
    int bytes = v->source.type->bytes;
    for (int64_t i = 0; i < v->count; i++) {
        uint64_t bits = shim_value_input(&v->source, v->begin + (uint64_t)i, v->rank);
        memcpy((char *)v->elements + i * bytes, &bits, (size_t)bytes);
    }
}

static void run_prepare_expected(struct kernel_job *job)
{
    struct verifiable *v = (struct verifiable *)job;
    int bytes = v->source.type->bytes;
    for (int64_t i = 0; i < v->count; i++) {
        uint64_t bits = shim_value_expected(&v->source, v->begin + (uint64_t)i);
        memcpy((char *)v->elements + i * bytes, &bits, (size_t)bytes);
    }
}

static void run_verify(struct kernel_job *job)
{
    struct verifiable *v = (struct verifiable *)job;
    int bytes = v->source.type->bytes;
    int64_t bad = 0;
    for (int64_t i = 0; i < v->count; i++) {
        uint64_t is = load_element(v->elements, bytes, i);
        uint64_t want = v->expected ? load_element(v->expected, bytes, i)
                                    : shim_value_expected(&v->source, v->begin + (uint64_t)i);
        bad += (is < want ? want - is : is - want) > v->tolerance;
    }
    __atomic_fetch_add(v->bad, bad, __ATOMIC_RELAXED);
}

/* ---- the arguments ---- */

#define ARGUMENT(to, from) memcpy(&(to), (from), sizeof(to))

static void read_prepare_input(struct verifiable *v, void **args)
{
    ARGUMENT(v->elements, args[0]);
    ARGUMENT(v->count, args[1]);
    ARGUMENT(v->source.ranks, args[3]);
    ARGUMENT(v->rank, args[4]);
    ARGUMENT(v->source.seed, args[5]);
    ARGUMENT(v->begin, args[6]);
}

static void read_prepare_expected(struct verifiable *v, void **args)
{
    ARGUMENT(v->elements, args[0]);
    ARGUMENT(v->count, args[1]);
    ARGUMENT(v->source.ranks, args[3]);
    ARGUMENT(v->source.seed, args[4]);
    ARGUMENT(v->begin, args[5]);
}

static void read_verify_prepared(struct verifiable *v, void **args)
{
    ARGUMENT(v->elements, args[0]);
    ARGUMENT(v->expected, args[1]);
    ARGUMENT(v->count, args[2]);
    ARGUMENT(v->tolerance, args[3]);
    ARGUMENT(v->bad, args[4]);
    v->source.ranks = 1;
}

static void read_verify_inline(struct verifiable *v, void **args)
{
    ARGUMENT(v->elements, args[0]);
    ARGUMENT(v->count, args[1]);
    ARGUMENT(v->source.ranks, args[3]);
    ARGUMENT(v->source.seed, args[4]);
    ARGUMENT(v->begin, args[5]);
    ARGUMENT(v->tolerance, args[6]);
    ARGUMENT(v->bad, args[7]);
}

/* ---- the names ---- */

/* `begin` is followed by the type of an element; `end` has the types of the arguments. */
static const struct form {
    const char *begin, *end;
    bool reduces; /* the name has an operator */
    void (*read)(struct verifiable *v, void **args);
    void (*run)(struct kernel_job *job);
} forms[] = {
    { "13prepareInput2I", "EEEvPT_lT0_iiml", true, read_prepare_input, run_prepare_input },
    { "16prepareExpected2I", "EEEvPT_lT0_iml", true, read_prepare_expected, run_prepare_expected },
    { "14verifyPreparedI", "_ljPl", false, read_verify_prepared, run_verify },
    { "13verifyInline2I", "EEEvPKT_lT1_imljPl", true, read_verify_inline, run_verify },
};

static const struct {
    const char *name;
    enum value_op op;
} operators[] = {
    { "9ReduceNil", VALUE_NIL }, { "9ReduceSum", VALUE_SUM }, { "10ReduceProd", VALUE_PROD },
    { "9ReduceMin", VALUE_MIN }, { "9ReduceMax", VALUE_MAX }, { "15ReducePreMulSum", VALUE_PREMULSUM },
    { "9ReduceAvg", VALUE_AVG },
};

static bool ends_with(const char *text, const char *end)
{
    size_t bytes = strlen(text), least = strlen(end);
    return bytes >= least && strcmp(text + bytes - least, end) == 0;
}

static bool read_operator(const char *types_of, enum value_op *op)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strstr(types_of, operators[i].name)) {
            *op = operators[i].op;
            return true;
        }
    return false;
}

/* The name's form, with the type and the operator. NULL = none of these kernels. */
static const struct form *read_form(const char *name, struct value_source *source)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = strstr(name, forms[i].begin);
        if (!at || !ends_with(at, forms[i].end))
            continue;
        at += strlen(forms[i].begin);
        source->type = shim_value_type(at);
        if (source->type && source->type->kind != VALUE_OTHER && (!forms[i].reduces || read_operator(at, &source->op)))
            return &forms[i];
    }
    return NULL;
}

struct kernel_job *shim_kernel_make_verifiable(const char *name, void **args)
{
    struct value_source source = { 0 };
    const struct form *form = read_form(name, &source);
    if (!form)
        return NULL;
    struct verifiable *v = ncs_new(sizeof *v);
    v->job.run = form->run;
    v->source = source;
    form->read(v, args);
    if (v->source.ranks >= 1)
        return &v->job;
    ncs_free(v);
    return NULL;
}
