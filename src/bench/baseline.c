/* Reads the document of an earlier bench and compares times with it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/document.h"
#include "bench/table.h"

#define BASELINE_LIMIT ((size_t)256 << 20)

/* One time of the earlier document. */
struct known {
    const struct ncs_bench_collective *collective;
    int64_t size;
    int type, op, root;
    bool in_place;
    double time; /* microseconds */
};

struct ncs_bench_baseline {
    char *file;
    json_t *document;
    struct known *known;
    size_t count, room;
    size_t compared, slower;
};

/* The index of the operator; -1 = none or unknown. */
static int baseline_op(const char *name)
{
    for (int i = 0; name && ncs_bench_ops[i]; i++)
        if (strcmp(ncs_bench_ops[i], name) == 0)
            return i;
    return -1;
}

/* nccl-tests writes the root as text, "    -1". */
static int baseline_root(const json_t *root)
{
    return json_is_string(root) ? atoi(json_string_value(root)) : (int)json_integer_value(root);
}

/* nccl-tests measures one collective and names it only by the program. */
static const struct ncs_bench_collective *collective_of(const json_t *document, const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "collective"));
    if (!name)
        name = json_string_value(json_array_get(json_object_get(document, "args"), 0));
    return name ? ncs_bench_find(name) : NULL;
}

static void learn_time(struct ncs_bench_baseline *b, struct known known, const json_t *figure)
{
    const json_t *time = json_object_get(figure, "time");
    if (!time)
        time = json_object_get(figure, "cpu_time");
    known.time = json_number_value(time);
    if (known.time > 0)
        NCS_PUSH(b->known, b->count, b->room, known);
}

static bool learn_row(struct ncs_bench_baseline *b, const json_t *row)
{
    const char *type = json_string_value(json_object_get(row, "type"));
    struct known known = {
        .collective = collective_of(b->document, row),
        .size = json_integer_value(json_object_get(row, "size")),
        .type = type ? ncs_bench_type(type) : -1,
        .op = baseline_op(json_string_value(json_object_get(row, "redop"))),
        .root = baseline_root(json_object_get(row, "root")),
    };
    if (!known.collective || known.type < 0)
        return false;
    learn_time(b, known, json_object_get(row, "out_of_place"));
    known.in_place = true;
    learn_time(b, known, json_object_get(row, "in_place"));
    return true;
}

static bool learn_document(struct ncs_bench_baseline *b, const char *text, struct ncs_error *err)
{
    json_error_t where;
    size_t i;
    json_t *row;
    b->document = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    if (!b->document) {
        ncs_fail(err, NCS_BAD_INPUT, "no JSON: %s", where.text);
        return ncs_fail_at(err, b->file, where.line, where.column);
    }
    const json_t *results = json_object_get(b->document, "results");
    if (!json_is_array(results)) {
        ncs_fail(err, NCS_BAD_INPUT, "no list `results`, as bench and nccl-tests write with -J");
        return ncs_fail_at(err, b->file, 0, 0);
    }
    json_array_foreach(results, i, row) if (!learn_row(b, row))
    {
        ncs_fail(err, NCS_BAD_INPUT, "result %zu names no known collective, or no known type", i + 1);
        return ncs_fail_at(err, b->file, 0, 0);
    }
    return true;
}

struct ncs_bench_baseline *ncs_bench_baseline_read(const char *file, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    if (!ncs_file_read(file, BASELINE_LIMIT, "the figures of an earlier bench (-J)", &text, err))
        return NULL;
    struct ncs_bench_baseline *b = ncs_new(sizeof *b);
    b->file = ncs_copy_text(file);
    bool ok = learn_document(b, text.text ? text.text : "", err);
    ncs_str_free(&text);
    if (ok)
        return b;
    ncs_bench_baseline_free(b);
    return NULL;
}

void ncs_bench_baseline_free(struct ncs_bench_baseline *b)
{
    if (!b)
        return;
    json_decref(b->document);
    ncs_free(b->known);
    ncs_free(b->file);
    ncs_free(b);
}

static int baseline_ranks(const json_t *document)
{
    const json_t *config = json_object_get(document, "config");
    const json_t *ranks = json_object_get(document, "ranks");
    if (ranks)
        return (int)json_integer_value(ranks);
    return (int)(json_integer_value(json_object_get(config, "nthreads")) * json_integer_value(json_object_get(config, "ngpus")));
}

static bool is_same_word(const json_t *was, const char *is)
{
    const char *word = json_string_value(was);
    return !word || strcmp(word, is) == 0;
}

bool ncs_bench_baseline_fits(const struct ncs_bench_baseline *b, const struct ncs_bench_setting *s, struct ncs_error *err)
{
    const char *clock = s->options.clock == NCS_BENCH_VIRTUAL ? "virtual" : "host";
    const json_t *driver = json_object_get(b->document, "driver"), *was = json_object_get(b->document, "clock"),
                 *model = json_object_get(b->document, "model");
    int ranks = baseline_ranks(b->document);
    if (!is_same_word(driver, s->driver) || (!driver && strcmp(s->driver, "nccl") != 0))
        ncs_fail(err, NCS_BAD_INPUT, "these are times of driver %s, this run is on driver %s",
                 driver ? json_string_value(driver) : "nccl", s->driver);
    else if (!is_same_word(was, clock))
        ncs_fail(err, NCS_BAD_INPUT, "these are times of the %s clock, this run has --clock %s", json_string_value(was), clock);
    else if (!is_same_word(model, s->model))
        ncs_fail(err, NCS_BAD_INPUT, "these are times of --model %s, this run has %s", json_string_value(model), s->model);
    else if (ranks != s->ranks)
        ncs_fail(err, NCS_BAD_INPUT, "these are times of %d ranks, this run has %d", ranks, s->ranks);
    else
        return true;
    return ncs_fail_at(err, b->file, 0, 0);
}

static const struct known *find_known(const struct ncs_bench_baseline *b, const struct ncs_bench_row *row, bool in_place)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct known *k = &b->known[i];
        if (k->collective == row->collective && k->size == (int64_t)row->size && k->type == row->type &&
            (row->op < 0 || k->op == row->op) && (row->root < 0 || k->root == row->root) && k->in_place == in_place)
            return k;
    }
    return NULL;
}

void ncs_bench_baseline_row(struct ncs_bench_baseline *b, const struct ncs_bench_row *row, double threshold,
                            struct ncs_str *slower)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        const struct ncs_bench_figure *now = in_place ? &row->in : &row->out;
        const struct known *was = find_known(b, row, in_place);
        if (!was)
            continue;
        b->compared++;
        if (now->time <= was->time * (1 + threshold))
            continue;
        b->slower++;
        ncs_str_addf(slower, "#   %s, %zu B, %s", row->collective->name, row->size, ncs_bench_type_name(row->type));
        if (row->op >= 0)
            ncs_str_addf(slower, ", %s", ncs_bench_ops[row->op]);
        if (row->root >= 0)
            ncs_str_addf(slower, ", root %d", row->root);
        ncs_str_addf(slower, ", %s: %.2f us, was %.2f us (+%.1f %%)\n", in_place ? "in place" : "out of place", now->time,
                     was->time, 100 * (now->time / was->time - 1));
    }
}

void ncs_bench_baseline_counts(const struct ncs_bench_baseline *b, size_t *compared, size_t *slower)
{
    *compared = b->compared;
    *slower = b->slower;
}
