/* The report of `doctor --hosts`, as text and as JSON. */
#include "cli/doctor_hosts.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/safe.h"

enum {
    COLUMNS = 100,
    INDENT = 12,
    TEXT_MOST = 300, /* bytes of a value in the text; JSON has all of them */
    VALUES_MOST = 8, /* values of a row in the text */
    HOSTS_MOST = 8,
};

/* Facts with a line of their own, also where all agree. */
static const struct {
    const char *key, *title;
} standing[] = { { "nccl", "NCCL" }, { "cuda", "CUDA" }, { "driver", "driver" }, { "gpus", "GPUs" } };

static const char *const weight_title[] = {
    [NCS_MAY_DIFFER] = "may differ",
    [NCS_DIFFERS] = "differs",
    [NCS_MUST_AGREE] = "must agree",
};
static const char *const weight_word[] = {
    [NCS_MAY_DIFFER] = "may-differ",
    [NCS_DIFFERS] = "differs",
    [NCS_MUST_AGREE] = "must-agree",
};

int ncs_doctor_hosts_status(const struct ncs_comparison *c)
{
    return c->differ[NCS_MUST_AGREE] || c->differ[NCS_DIFFERS] || !ncs_doctor_can_run(c);
}

static const char *hosts_title(const char *key)
{
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++)
        if (strcmp(standing[i].key, key) == 0)
            return standing[i].title;
    return NULL;
}

/* ---- text ---- */

void ncs_doctor_add_line(struct ncs_str *out, const char *title, const char *text)
{
    ncs_str_addf(out, "%-10s  ", title);
    ncs_safe_line(out, text);
    ncs_str_add(out, "\n");
}

/* Cuts between characters. */
static void hosts_add_cut(struct ncs_str *out, const char *text)
{
    size_t bytes = strlen(text);
    if (bytes <= TEXT_MOST) {
        ncs_str_add(out, text);
        return;
    }
    for (bytes = TEXT_MOST; bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80; bytes--)
        continue;
    ncs_str_add_bytes(out, text, bytes);
    ncs_str_addf(out, "... (%zu bytes)", strlen(text));
}

/* "13.0 on node1", "not set in processes 2, 3". */
static void hosts_add_value(const struct ncs_comparison *c, const struct ncs_compared *row, const struct ncs_compared_value *v,
                            struct ncs_str *out)
{
    struct ncs_str places = { 0 };
    bool process = ncs_doctor_add_places(c, &places, v->process, v->count);
    if (!v->text)
        ncs_str_add(out, row->variable ? "not set" : "unknown");
    else
        hosts_add_cut(out, v->text[0] ? v->text : "empty");
    ncs_str_addf(out, " %s %s", process ? "in" : "on", places.text);
    ncs_str_free(&places);
}

static size_t hosts_shown(const struct ncs_compared *row)
{
    return row->values < VALUES_MOST ? row->values : VALUES_MOST;
}

static void hosts_add_one_line(const struct ncs_comparison *c, const struct ncs_compared *row, struct ncs_str *line)
{
    for (size_t i = 0; i < hosts_shown(row); i++) {
        ncs_str_add(line, i ? "; " : "");
        hosts_add_value(c, row, &row->value[i], line);
    }
    if (row->values > VALUES_MOST)
        ncs_str_addf(line, "; %zu more values", row->values - VALUES_MOST);
    if (row->values == 0)
        ncs_str_add(line, "unknown");
}

static void hosts_add_many_lines(const struct ncs_comparison *c, const struct ncs_compared *row, const char *title,
                                 struct ncs_str *out)
{
    struct ncs_str line = { 0 };
    for (size_t i = 0; i < hosts_shown(row); i++) {
        ncs_str_clear(&line);
        hosts_add_value(c, row, &row->value[i], &line);
        ncs_doctor_add_line(out, i ? "" : title, line.text);
    }
    if (row->values > VALUES_MOST)
        ncs_str_addf(out, "%-10s  %zu more values\n", "", row->values - VALUES_MOST);
    ncs_str_free(&line);
}

/* `line` begins with "NAME: ", of `bytes` bytes. */
static void hosts_add_head(struct ncs_str *out, const char *title, const char *line, size_t bytes)
{
    struct ncs_str name = { 0 };
    ncs_str_add_bytes(&name, line, bytes - 1);
    ncs_doctor_add_line(out, title, name.text);
    ncs_str_free(&name);
}

/* One line, or one for each value if that is too long. */
static void hosts_add_row(const struct ncs_comparison *c, const struct ncs_compared *row, const char *title, const char *name,
                          struct ncs_str *out)
{
    struct ncs_str line = { 0 };
    if (name) {
        hosts_add_cut(&line, name);
        ncs_str_add(&line, ": ");
    }
    size_t head = line.bytes;
    hosts_add_one_line(c, row, &line);
    if (row->values < 2 || line.bytes <= COLUMNS - INDENT) {
        ncs_doctor_add_line(out, title, line.text);
    } else {
        if (head)
            hosts_add_head(out, title, line.text, head);
        hosts_add_many_lines(c, row, head ? "" : title, out);
    }
    ncs_str_free(&line);
}

static void hosts_add_processes(const struct ncs_comparison *c, struct ncs_str *out)
{
    struct ncs_str line = { 0 };
    ncs_str_addf(&line, "%d on %zu host%s: ", c->processes, c->hosts, c->hosts == 1 ? "" : "s");
    for (size_t i = 0; i < c->hosts && i < HOSTS_MOST; i++) {
        ncs_str_addf(&line, "%s%s (", i ? ", " : "", c->host[i].name);
        ncs_str_add_many_ranks(&line, c->host[i].process, c->host[i].count);
        ncs_str_add(&line, ")");
    }
    if (c->hosts > HOSTS_MOST)
        ncs_str_addf(&line, " and %zu more hosts", c->hosts - HOSTS_MOST);
    ncs_doctor_add_line(out, "processes", line.text);
    ncs_str_free(&line);
}

/* A difference that has a line already is shown again only if it must not be. */
static void hosts_add_differences(const struct ncs_comparison *c, enum ncs_weight weight, struct ncs_str *out)
{
    for (size_t i = 0; i < c->rows; i++) {
        const struct ncs_compared *row = &c->row[i];
        bool shown = row->weight < NCS_MUST_AGREE && !row->variable && hosts_title(row->key);
        if (row->values > 1 && row->weight == weight && !shown)
            hosts_add_row(c, row, weight_title[weight], row->name, out);
    }
}

static void hosts_add_lines(struct ncs_str *out, const char *title, const char *lines)
{
    for (const char *next; lines && *lines; lines = next) {
        size_t bytes = strcspn(lines, "\n");
        next = lines + bytes + (lines[bytes] != '\0');
        ncs_str_addf(out, "%-10s  %.*s\n", title, (int)bytes, lines);
    }
}

static void hosts_add_real_runs(const struct ncs_comparison *c, struct ncs_str *out)
{
    struct ncs_str line = { 0 };
    const char *title = "real runs";
    if (ncs_doctor_can_run(c)) {
        ncs_str_add(&line, c->differ[NCS_MUST_AGREE] ? "possible once what must agree agrees" : "possible");
        ncs_str_addf(&line, ": scenarios of up to %d rank%s", c->gpus, c->gpus == 1 ? "" : "s");
        if (c->can_share)
            ncs_str_add(&line, c->several ? "; more with several on a GPU" : "; more with NCCL_MULTI_RANK_GPU_ENABLE=1");
        ncs_doctor_add_line(out, title, line.text);
    }
    for (size_t i = 0; i < hosts_shown(&c->lack); i++) {
        const struct ncs_compared_value *v = &c->lack.value[i];
        if (!v->text)
            continue;
        ncs_str_clear(&line);
        ncs_str_add(&line, "not possible: ");
        ncs_doctor_add_places(c, &line, v->process, v->count);
        ncs_str_add(&line, v->count == (size_t)c->processes ? " processes: " : ": ");
        hosts_add_cut(&line, v->text);
        ncs_doctor_add_line(out, title, line.text);
        title = "";
    }
    ncs_str_free(&line);
}

static void hosts_add_sum(const struct ncs_comparison *c, struct ncs_str *out)
{
    size_t must = c->differ[NCS_MUST_AGREE], all = must + c->differ[NCS_DIFFERS];
    struct ncs_str line = { 0 };
    if (all)
        ncs_str_addf(&line, "%zu difference%s", all, all == 1 ? "" : "s");
    if (must)
        ncs_str_addf(&line, ", %zu of them in what must agree", must);
    ncs_doctor_add_line(out, "in all", line.text ? line.text : "nothing differs that matters");
    ncs_str_free(&line);
}

void ncs_doctor_hosts_text(const struct ncs_comparison *c, struct ncs_str *out)
{
    hosts_add_processes(c, out);
    for (size_t i = 0; i < sizeof standing / sizeof *standing; i++)
        hosts_add_row(c, ncs_doctor_row(c, standing[i].key), standing[i].title, NULL, out);
    hosts_add_differences(c, NCS_MUST_AGREE, out);
    hosts_add_differences(c, NCS_DIFFERS, out);
    hosts_add_differences(c, NCS_MAY_DIFFER, out);
    hosts_add_lines(out, "note", c->notes.text);
    hosts_add_sum(c, out);
    hosts_add_real_runs(c, out);
}

/* ---- JSON ---- */

static json_t *numbers_json(const int *number, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(number[i]));
    return list;
}

/* [{"value": "13.0", "processes": [0, 1], "hosts": ["node1"]}]; the hosts are those all of whose processes are among them. */
static json_t *values_json(const struct ncs_comparison *c, const struct ncs_compared *row, const char *key)
{
    json_t *list = json_array();
    for (size_t i = 0; i < row->values; i++) {
        const struct ncs_compared_value *v = &row->value[i];
        bool *whole = ncs_doctor_whole_hosts(c, v->process, v->count);
        json_t *hosts = json_array();
        for (size_t k = 0; k < c->hosts; k++)
            if (whole[k])
                json_array_append_new(hosts, json_string(c->host[k].name));
        json_array_append_new(
            list, json_pack("{s:s?, s:o, s:o}", key, v->text, "processes", numbers_json(v->process, v->count), "hosts", hosts));
        ncs_free(whole);
    }
    return list;
}

static json_t *hosts_json(const struct ncs_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->hosts; i++) {
        const struct ncs_compared_host *h = &c->host[i];
        json_array_append_new(list, json_pack("{s:s, s:o, s:i}", "name", h->name, "processes", numbers_json(h->process, h->count),
                                              "gpus", h->gpus));
    }
    return list;
}

static json_t *rows_json(const struct ncs_comparison *c, bool variables)
{
    json_t *rows = json_object();
    for (size_t i = 0; i < c->rows; i++)
        if (c->row[i].variable == variables)
            json_object_set_new(rows, c->row[i].key, values_json(c, &c->row[i], "value"));
    return rows;
}

static json_t *differences_json(const struct ncs_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->rows; i++) {
        const struct ncs_compared *row = &c->row[i];
        if (row->values > 1)
            json_array_append_new(list, json_pack("{s:s, s:b, s:s, s:s, s:o}", "key", row->key, "variable", row->variable, "name",
                                                  row->name, "severity", weight_word[row->weight], "values",
                                                  values_json(c, row, "value")));
    }
    return list;
}

static json_t *lacks_json(const struct ncs_comparison *c)
{
    json_t *all = values_json(c, &c->lack, "why"), *list = json_array(), *lack;
    size_t i;
    json_array_foreach(all, i, lack) if (!json_is_null(json_object_get(lack, "why"))) json_array_append(list, lack);
    json_decref(all);
    return list;
}

json_t *ncs_doctor_lines(const char *text)
{
    json_t *list = json_array();
    while (text && *text) {
        size_t bytes = strcspn(text, "\n");
        json_array_append_new(list, json_stringn(text, bytes));
        text += bytes + (text[bytes] != '\0');
    }
    return list;
}

void ncs_doctor_hosts_json(const struct ncs_comparison *c, struct ncs_str *out)
{
    json_t *o = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:i, s:b, s:b, s:o, s:i}", "schema",
                          "ncclscript.doctor-hosts/1", "processes", c->processes, "hosts", hosts_json(c), "facts",
                          rows_json(c, false), "environment", rows_json(c, true), "differences", differences_json(c), "notes",
                          ncs_doctor_lines(c->notes.text), "real_runs", ncs_doctor_can_run(c), "gpus", c->gpus, "can_share_gpus",
                          c->can_share, "several_ranks_per_gpu", c->several, "lacks", lacks_json(c), "exit",
                          ncs_doctor_hosts_status(c));
    ncs_json_line(o, JSON_PRESERVE_ORDER, out);
}
