/* Compares the facts of all processes, row by row: which values there are, and in which processes. */
#include "cli/doctor_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

enum { GPUS_MOST = 4096 }; /* of one process; another number is not believed */

/* The facts, in the order of the report. NCCL refuses ranks of another version, to the last digit ("Mismatched NCCL version
 * detected", src/init.cc). */
static const struct {
    const char *key, *name;
    enum ncs_weight weight;
} facts[] = {
    { "nccl", "NCCL's version", NCS_MUST_AGREE },
    { "cuda", "CUDA runtime's version", NCS_DIFFERS },
    { "driver", "driver's CUDA version", NCS_DIFFERS },
    { "gpus", "GPUs", NCS_DIFFERS },
    { "ncclscript", "ncclscript's version", NCS_DIFFERS },
    { "simulator", "simulator", NCS_DIFFERS },
    { "machine", "architecture", NCS_DIFFERS },
    { "memlock", "locked-memory limit", NCS_DIFFERS },
    { "open_files", "open-files limit", NCS_DIFFERS },
    { "shm", "size of /dev/shm", NCS_DIFFERS },
    { "nccl_path", "NCCL's path", NCS_MAY_DIFFER },
    { "cuda_path", "CUDA runtime's path", NCS_MAY_DIFFER },
    { "kernel", "kernel", NCS_MAY_DIFFER },
};

/* ---- hosts ---- */

static char *compare_host_name(const char *name)
{
    struct ncs_str text = { 0 }, line = { 0 };
    ncs_safe_utf8(&text, name, strlen(name));
    ncs_safe_line(&line, text.text ? text.text : "");
    ncs_str_free(&text);
    return line.text ? ncs_str_take(&line) : ncs_copy_text("");
}

static void compare_add_host(struct ncs_comparison *c, int process, const char *given)
{
    char *name = compare_host_name(given);
    size_t i = 0;
    while (i < c->hosts && strcmp(c->host[i].name, name) != 0)
        i++;
    if (i == c->hosts)
        NCS_PUSH(c->host, c->hosts, c->hosts_room, ((struct ncs_compared_host){ .name = ncs_copy_text(name) }));
    struct ncs_compared_host *h = &c->host[i];
    NCS_PUSH(h->process, h->count, h->room, process);
    c->host_of[process] = (int)i;
    ncs_free(name);
}

static int compare_two_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t compare_sort_texts(const char **text, size_t count)
{
    size_t kept = 0;
    qsort(text, count, sizeof *text, compare_two_texts);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(text[i], text[kept - 1]) != 0)
            text[kept++] = text[i];
    return kept;
}

/* Processes of a host may see the same GPUs, or each its own. Where GPUs have no names, they are taken for the same. */
static void compare_count_gpus(struct ncs_comparison *c, struct ncs_compared_host *h)
{
    const char **id = ncs_new(0);
    size_t count = 0, room = 0;
    for (size_t i = 0; i < h->count; i++) {
        const json_t *told = c->told[h->process[i]], *list = json_object_get(told, "ids");
        json_int_t gpus = json_integer_value(json_object_get(told, "gpus"));
        for (size_t k = 0; k < json_array_size(list) && k < GPUS_MOST; k++) {
            const char *text = json_string_value(json_array_get(list, k));
            if (text && text[0])
                NCS_PUSH(id, count, room, text);
        }
        if (gpus > h->gpus && gpus <= GPUS_MOST)
            h->gpus = (int)gpus;
    }
    count = compare_sort_texts(id, count);
    if (count > (size_t)h->gpus)
        h->gpus = (int)count;
    c->gpus += h->gpus;
    ncs_free(id);
}

/* ---- rows ---- */

static void compare_value(struct ncs_compared *row, int process, const char *text)
{
    size_t i = 0;
    while (i < row->values && (!text || !row->value[i].text ? text != row->value[i].text : strcmp(text, row->value[i].text) != 0))
        i++;
    if (i == row->values)
        NCS_PUSH(row->value, row->values, row->room, ((struct ncs_compared_value){ .text = text }));
    struct ncs_compared_value *v = &row->value[i];
    NCS_PUSH(v->process, v->count, v->room, process);
}

/* `group` is the object of a process that has the key. Processes that cannot be read have a line of their own in the report. */
static void compare_row(struct ncs_comparison *c, const char *group, struct ncs_compared row)
{
    for (int i = 0; i < c->processes; i++)
        if (c->told[i])
            compare_value(&row, i, json_string_value(json_object_get(json_object_get(c->told[i], group), row.key)));
    if (row.values > 1)
        c->differ[row.weight]++;
    NCS_PUSH(c->row, c->rows, c->rows_room, row);
}

static void compare_variables(struct ncs_comparison *c)
{
    const char **name = ncs_new(0), *key;
    size_t count = 0, room = 0;
    json_t *value;
    for (int i = 0; i < c->processes; i++)
        json_object_foreach(json_object_get(c->told[i], "environment"), key, value) NCS_PUSH(name, count, room, key);
    count = compare_sort_texts(name, count);
    for (size_t i = 0; i < count; i++)
        compare_row(c, "environment",
                    (struct ncs_compared){
                        .key = name[i], .name = name[i], .variable = true, .weight = ncs_variable_of(name[i]).weight });
    ncs_free(name);
}

static void compare_lacks(struct ncs_comparison *c)
{
    for (int i = 0; i < c->processes; i++) {
        const char *why = json_string_value(json_object_get(c->told[i], "why_not"));
        bool able = json_integer_value(json_object_get(c->told[i], "gpus")) > 0;
        if (!c->told[i])
            why = "its facts cannot be read";
        compare_value(&c->lack, i, why || able ? why : "no GPU");
    }
}

/* ---- notes ---- */

static void note_sharing(struct ncs_comparison *c, const struct ncs_compared_host *h)
{
    const char *first = NULL;
    if (h->gpus == 0 || h->count <= (size_t)h->gpus)
        return;
    for (size_t i = 0; i < h->count; i++) {
        json_t *environment = json_object_get(c->told[h->process[i]], "environment");
        const char *text = json_string_value(json_object_get(environment, "CUDA_VISIBLE_DEVICES"));
        if (i > 0 && (!text || !first ? text != first : strcmp(text, first) != 0))
            return;
        first = text;
    }
    ncs_str_addf(&c->notes, "%zu processes on %s see the same %d GPU%s: CUDA_VISIBLE_DEVICES is ", h->count, h->name, h->gpus,
                 h->gpus == 1 ? "" : "s");
    ncs_safe_line(&c->notes, !first ? "not set" : first[0] ? first : "empty");
    ncs_str_add(&c->notes, " in all of them\n");
}

/* Where it works in some processes it is a difference. */
static void note_simulator(struct ncs_comparison *c)
{
    const struct ncs_compared *row = ncs_doctor_row(c, "simulator");
    const char *text = row->values == 1 ? row->value[0].text : NULL;
    if (!text || strcmp(text, "works") == 0)
        return;
    ncs_str_add(&c->notes, "the simulator does not work: ");
    ncs_safe_line(&c->notes, text);
    ncs_str_add(&c->notes, "\n");
}

static void note_left_out(struct ncs_comparison *c)
{
    int *process = ncs_new((size_t)c->processes * sizeof *process);
    size_t count = 0;
    for (int i = 0; i < c->processes; i++)
        if (json_integer_value(json_object_get(c->told[i], "left_out")) > 0)
            process[count++] = i;
    if (count) {
        ncs_str_add(&c->notes, "too large to be compared: some variables of ");
        ncs_doctor_add_places(c, &c->notes, process, count);
        ncs_str_add(&c->notes, "\n");
    }
    ncs_free(process);
}

/* ---- all of it ---- */

static void compare_told(struct ncs_comparison *c)
{
    for (size_t i = 0; i < c->hosts; i++)
        compare_count_gpus(c, &c->host[i]);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        compare_row(c, "facts", (struct ncs_compared){ .key = facts[i].key, .name = facts[i].name, .weight = facts[i].weight });
    compare_variables(c);
    compare_lacks(c);
    for (size_t i = 0; i < c->hosts; i++)
        note_sharing(c, &c->host[i]);
    note_simulator(c);
    note_left_out(c);
    c->can_share = c->several = true;
    for (int i = 0; i < c->processes; i++) {
        c->can_share &= json_is_true(json_object_get(c->told[i], "can_share"));
        c->several &= json_is_true(json_object_get(c->told[i], "several"));
    }
}

void ncs_doctor_compare(struct ncs_comparison *c, const struct ncs_told *told, int processes)
{
    *c = (struct ncs_comparison){ .processes = processes };
    c->told = ncs_new((size_t)processes * sizeof *c->told);
    c->host_of = ncs_new((size_t)processes * sizeof *c->host_of);
    for (int i = 0; i < processes; i++) {
        compare_add_host(c, i, told[i].host);
        c->told[i] = json_loadb(told[i].text ? told[i].text : "", told[i].text ? told[i].bytes : 0, 0, NULL);
        if (!json_is_object(json_object_get(c->told[i], "facts"))) {
            json_decref(c->told[i]);
            c->told[i] = NULL;
        }
    }
    compare_told(c);
}

static void compare_forget_row(struct ncs_compared *row)
{
    NCS_FREE_EACH(row->value, row->values, process);
}

void ncs_doctor_forget(struct ncs_comparison *c)
{
    for (size_t i = 0; i < c->rows; i++)
        compare_forget_row(&c->row[i]);
    compare_forget_row(&c->lack);
    for (size_t i = 0; i < c->hosts; i++) {
        ncs_free(c->host[i].name);
        ncs_free(c->host[i].process);
    }
    for (int i = 0; i < c->processes; i++)
        json_decref(c->told[i]);
    ncs_free(c->row);
    ncs_free(c->host);
    ncs_free(c->told);
    ncs_free(c->host_of);
    ncs_str_free(&c->notes);
}

const struct ncs_compared *ncs_doctor_row(const struct ncs_comparison *c, const char *key)
{
    for (size_t i = 0; i < c->rows && !c->row[i].variable; i++)
        if (strcmp(c->row[i].key, key) == 0)
            return &c->row[i];
    return NULL;
}

bool ncs_doctor_can_run(const struct ncs_comparison *c)
{
    return c->lack.values == 1 && !c->lack.value[0].text;
}

/* ---- places ---- */

bool *ncs_doctor_whole_hosts(const struct ncs_comparison *c, const int *process, size_t count)
{
    size_t *among = ncs_new(c->hosts * sizeof *among);
    bool *whole = ncs_new(c->hosts * sizeof *whole);
    for (size_t i = 0; i < count; i++)
        among[c->host_of[process[i]]]++;
    for (size_t i = 0; i < c->hosts; i++)
        whole[i] = among[i] == c->host[i].count;
    ncs_free(among);
    return whole;
}

/* Returns the number of names. */
static size_t add_host_names(const struct ncs_comparison *c, struct ncs_str *out, const bool *whole)
{
    enum { MOST = 8 };
    size_t names = 0;
    for (size_t i = 0; i < c->hosts; i++)
        if (whole[i] && names++ < MOST)
            ncs_str_addf(out, "%s%s", names > 1 ? ", " : "", c->host[i].name);
    if (names > MOST)
        ncs_str_addf(out, " and %zu more hosts", names - MOST);
    return names;
}

bool ncs_doctor_add_places(const struct ncs_comparison *c, struct ncs_str *out, const int *process, size_t count)
{
    if (count == (size_t)c->processes) {
        ncs_str_add(out, "all");
        return false;
    }
    bool *whole = ncs_doctor_whole_hosts(c, process, count);
    int *rest = ncs_new(count * sizeof *rest);
    size_t rests = 0, names = add_host_names(c, out, whole);
    bool one_host = c->hosts > 1;
    for (size_t i = 0; i < count; i++)
        if (!whole[c->host_of[process[i]]])
            rest[rests++] = process[i];
    for (size_t i = 1; i < rests; i++)
        one_host &= c->host_of[rest[i]] == c->host_of[rest[0]];
    if (rests) {
        ncs_str_addf(out, "%s%s ", names ? " and in " : "", rests == 1 ? "process" : "processes");
        ncs_str_add_many_ranks(out, rest, rests);
        if (one_host)
            ncs_str_addf(out, " on %s", c->host[c->host_of[rest[0]]].name);
    }
    ncs_free(whole);
    ncs_free(rest);
    return names == 0;
}
