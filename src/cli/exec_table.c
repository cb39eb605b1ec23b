#include "cli/exec_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/safe.h"
#include "cli/output.h"

#define SEEDS_SHOWN 12

/* ---- ends ---- */

/* ncclscript found a hang or a mistake, or a signal ended the program. That it ends with a status of its own may be how it
 * copes. */
static bool is_bad(const struct ncs_exec_end *end)
{
    return end->signal || !end->started || (end->cause && end->status);
}

void ncs_exec_table_add_end(const struct ncs_exec_end *end, struct ncs_str *out)
{
    if (!end->started)
        ncs_str_add(out, "it could not be started");
    else if (end->signal)
        ncs_str_addf(out, "ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->cause)
        ncs_safe_line(out, end->cause);
    else
        ncs_str_addf(out, "exit status %d", end->status);
}

static bool ends_alike(const struct ncs_exec_end *a, const struct ncs_exec_end *b)
{
    bool same_cause = a->cause && b->cause ? strcmp(a->cause, b->cause) == 0 : a->cause == b->cause;
    return a->started == b->started && a->status == b->status && a->signal == b->signal && same_cause;
}

/* The first row that ended so. */
static size_t first_alike(const struct ncs_exec_table *t, size_t row)
{
    size_t i = 0;
    while (!ends_alike(&t->row[i].end, &t->row[row].end))
        i++;
    return i;
}

bool ncs_exec_table_add(struct ncs_exec_table *t, const struct ncs_exec_row *row)
{
    struct ncs_exec_row own = *row;
    own.fault = ncs_copy_text(row->fault);
    own.title = NULL;
    NCS_PUSH(t->row, t->rows, t->room, own);
    return (is_bad(&own.end) || own.end.status) && first_alike(t, t->rows - 1) == t->rows - 1;
}

void ncs_exec_table_free(struct ncs_exec_table *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        ncs_free((char *)t->row[i].fault);
        ncs_exec_end_free(&t->row[i].end);
    }
    ncs_free(t->row);
    t->row = NULL;
    t->rows = t->room = 0;
}

int ncs_exec_table_status(const struct ncs_exec_table *t, bool any)
{
    for (size_t i = 0; i < t->rows; i++)
        if (t->row[i].end.status && (any || is_bad(&t->row[i].end)))
            return t->row[i].end.status;
    return 0;
}

/* ---- as text ---- */

static void table_add_seeds(const struct ncs_exec_table *t, size_t first, struct ncs_str *out)
{
    size_t shown = 0, all = 0;
    for (size_t i = first; i < t->rows; i++) {
        if (first_alike(t, i) != first)
            continue;
        if (all++ < SEEDS_SHOWN)
            ncs_str_addf(out, "%s%" PRId64, shown++ ? ", " : "", t->row[i].seed);
    }
    if (all > shown)
        ncs_str_addf(out, " and %zu more", all - shown);
}

static size_t count_alike(const struct ncs_exec_table *t, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < t->rows; i++)
        count += first_alike(t, i) == first;
    return count;
}

void ncs_exec_table_groups(const struct ncs_exec_table *t)
{
    struct ncs_str out = { 0 };
    if (t->rows == 0)
        return;
    ncs_str_addf(&out, "%zu run%s of ", t->rows, t->rows == 1 ? "" : "s");
    ncs_safe_line(&out, t->program);
    ncs_str_addf(&out, ", seeds %" PRId64 " to %" PRId64 "\n", t->row[0].seed, t->row[t->rows - 1].seed);
    for (size_t i = 0; i < t->rows; i++) {
        if (first_alike(t, i) != i)
            continue;
        size_t count = count_alike(t, i);
        ncs_str_addf(&out, "%6zu  ", count);
        ncs_exec_table_add_end(&t->row[i].end, &out);
        if (count < t->rows) {
            ncs_str_addf(&out, "\n        seed%s ", count == 1 ? "" : "s");
            table_add_seeds(t, i, &out);
        }
        ncs_str_add(&out, "\n");
    }
    ncs_out(out.text);
    ncs_str_free(&out);
}

void ncs_exec_table_sites(const struct ncs_exec_table *t)
{
    struct ncs_str out = { 0 };
    int place = 5, function = 4;
    size_t bad = 0, early = 0;
    for (size_t i = 0; i < t->rows; i++) {
        early += !t->row[i].site->of_rank;
        int p = (int)strlen(t->row[i].site->place), f = (int)strlen(t->row[i].site->function);
        place = p > place ? p : place;
        function = f > function ? f : function;
        bad += is_bad(&t->row[i].end);
    }
    ncs_safe_line(&out, t->program);
    ncs_str_addf(&out, ": %s on rank %d, before the first call at each of %zu place%s\n", t->fault, t->rank, t->rows,
                 t->rows == 1 ? "" : "s");
    ncs_str_addf(&out, "  %-*s  %-*s  how the program ended\n", place, "place", function, "call");
    for (size_t i = 0; i < t->rows; i++) {
        const struct ncs_exec_row *row = &t->row[i];
        ncs_str_addf(&out, "%s %-*s  %-*s  ", row->site->of_rank ? " " : "*", place, row->site->place, function,
                     row->site->function);
        ncs_exec_table_add_end(&row->end, &out);
        ncs_str_add(&out, "\n");
    }
    if (early)
        ncs_str_add(&out, "* no thread has a rank there: the first thread that comes has the fault\n");
    ncs_str_addf(&out, "%zu of %zu runs end without a hang, a wrong result or a crash\n", t->rows - bad, t->rows);
    ncs_out(out.text);
    ncs_str_free(&out);
}

/* ---- as JSON ---- */

static json_t *json_of(const struct ncs_exec_table *t, const struct ncs_exec_row *row)
{
    struct ncs_str end = { 0 };
    ncs_exec_table_add_end(&row->end, &end);
    json_t *o = json_object();
    if (t->fault) {
        json_object_set_new(o, "fault", json_string(row->fault));
        json_object_set_new(o, "place", json_string(row->site->place));
        json_object_set_new(o, "function", json_string(row->site->function));
        json_object_set_new(o, "rank", row->site->of_rank ? json_integer(t->rank) : json_null());
    } else {
        json_object_set_new(o, "seed", json_integer(row->seed));
    }
    json_object_set_new(o, "exit", json_integer(row->end.status));
    json_object_set_new(o, "signal", row->end.signal ? json_integer(row->end.signal) : json_null());
    json_object_set_new(o, "bad", json_boolean(is_bad(&row->end)));
    json_object_set_new(o, "end", json_string(end.text));
    ncs_str_free(&end);
    return o;
}

void ncs_exec_table_json(const struct ncs_exec_table *t)
{
    json_t *root = json_object(), *runs = json_array();
    json_object_set_new(root, "schema", json_string("ncclscript.exec/1"));
    json_object_set_new(root, "program", json_string(t->program));
    json_object_set_new(root, "sweep", t->fault ? json_string(t->fault) : json_null());
    for (size_t i = 0; i < t->rows; i++)
        json_array_append_new(runs, json_of(t, &t->row[i]));
    json_object_set_new(root, "runs", runs);
    struct ncs_str line = { 0 };
    ncs_json_line(root, 0, &line);
    ncs_out(line.text);
    ncs_str_free(&line);
}
