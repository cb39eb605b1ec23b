/* Reads what NCCL's `ncclras` prints, as text and as JSON (NCCL 2.24 to 2.30, src/ras/client_support.cc). */
#include "trace/ras.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/lines.h"

enum { RAS_COMMS = 1 << 14 };

struct ras_comm *ncs_ras_comm(struct ras *ras, const char *name, const char *path, int line)
{
    uint64_t key = ncs_hash_bytes(0, name, strlen(name));
    size_t at = ncs_map_number(&ras->comm_of, key);
    if (at)
        return &ras->comm[at - 1];
    if (ras->comms == RAS_COMMS)
        return NULL;
    struct ras_comm fresh = { .path = path, .line = line };
    snprintf(fresh.name, sizeof fresh.name, "%s", name);
    NCS_PUSH(ras->comm, ras->comms, ras->comm_room, fresh);
    ncs_map_put_number(&ras->comm_of, key, ras->comms);
    return &ras->comm[ras->comms - 1];
}

struct ras_rank *ncs_ras_rank(struct ras_comm *c, int rank)
{
    size_t at = ncs_map_number(&c->at, (uint64_t)rank + 1);
    if (!at) {
        struct ras_rank fresh = { .rank = rank };
        for (int i = 0; i < RAS_KINDS; i++)
            fresh.made[i] = -1;
        NCS_PUSH(c->of, c->ranks, c->room, fresh);
        ncs_map_put_number(&c->at, (uint64_t)rank + 1, at = c->ranks);
    }
    return &c->of[at - 1];
}

int ncs_ras_kind(struct ras *ras, const char *name, size_t bytes)
{
    for (int i = 0; i < NCS_FN_COUNT; i++) {
        const struct ncs_fn_info *info = &ncs_fn_info[i];
        if (!info->counted || info->pair || !info->name || strlen(info->name) != bytes + 4 ||
            strncmp(info->name + 4, name, bytes) != 0)
            continue;
        for (int k = 0; k < ras->kinds; k++)
            if (ras->kind[k] == (enum ncs_fn)i)
                return k;
        if (ras->kinds == RAS_KINDS)
            return -1;
        ras->kind[ras->kinds] = (enum ncs_fn)i;
        return ras->kinds++;
    }
    return -1;
}

/* ---- text ---- */

struct ras_text {
    struct ras *ras;
    struct ras_comm *comm; /* of the section at hand */
    int kind;              /* -1 = none */
    int64_t value;         /* that the ranks in the next lines have launched; -1 = none */
    bool missing;
    int size[256]; /* by number of the group; 0 = not said */
    const char *path;
    /* Of the counts of one kind: the set whose ranks are not listed, if it is one. */
    int64_t rest, rest_ranks;
    bool listed, several;
};

/* A set of ranks is over: without a list it is all that are in no other one. */
static void close_set(struct ras_text *t)
{
    if (t->value < 0 || t->listed)
        return;
    t->several |= t->rest >= 0;
    t->rest = t->value;
}

static void close_kind(struct ras_text *t)
{
    close_set(t);
    for (int k = 0; t->comm && t->kind >= 0 && t->rest >= 0 && !t->several && k < t->comm->size; k++) {
        struct ras_rank *own = ncs_ras_rank(t->comm, k);
        if (own->made[t->kind] < 0 && !own->missing)
            own->made[t->kind] = t->rest;
    }
    t->kind = -1;
    t->value = t->rest = -1;
    t->rest_ranks = 0;
    t->several = false;
}

/* "#0-1 (27a079b828ff1a75) MISMATCH": group 0, its communicator 1. */
static void open_section(struct ras_text *t, const char *text, int number)
{
    char name[40];
    int group = atoi(text + 1);
    const char *open = strchr(text, '(');
    close_kind(t);
    snprintf(name, sizeof name, "comm 0x%.*s", (int)(strcspn(open + 1, ")") < 20 ? strcspn(open + 1, ")") : 20), open + 1);
    t->comm = ncs_ras_comm(t->ras, name, t->path, number);
    if (t->comm && group >= 0 && group < 256 && t->size[group])
        t->comm->size = t->size[group];
    t->missing = strstr(text, " INCOMPLETE") != NULL;
}

/* A row of the table of groups: its number, communicators, nodes, ranks of a node, ranks of a communicator. */
static void read_group(struct ras_text *t, const char *text)
{
    int group, ranks;
    char per_node[24], status[24];
    if (sscanf(text, "%d %*d %*d %23s %d %*d %23s", &group, per_node, &ranks, status) == 4 && group >= 0 && group < 256 &&
        ranks > 0 && ranks <= NCS_RECORD_RANKS && strspn(per_node, "0123456789-") == strlen(per_node) && status[0] >= 'A')
        t->size[group] = ranks;
}

/* "26 ranks have launched up to operation 6650", "6 ranks have not launched any operations". */
static void read_set(struct ras_text *t, const char *text)
{
    int64_t value = 0;
    close_set(t);
    ncs_number_after(text, "up to operation ", &value);
    t->value = value;
    t->listed = false;
    t->rest_ranks += strtol(text, NULL, 10);
}

/* "Rank 0 -- GPU 0 managed by process 4711 on node 10.0.0.1", "Rank 5 has launched up to operation 7 -- GPU ..". */
static void read_ras_rank(struct ras_text *t, const char *text)
{
    int64_t rank, value = t->value;
    const char *has = strstr(text, " has ");
    if (!t->comm || !ncs_number_after(text, "Rank ", &rank) || rank < 0 || rank >= NCS_RECORD_RANKS)
        return;
    struct ras_rank *own = ncs_ras_rank(t->comm, (int)rank);
    const char *gpu = strstr(text, "GPU ");
    own->who = gpu ? ncs_hash_bytes(1, gpu, strlen(gpu)) : own->who;
    if (t->missing) {
        own->missing = true;
        return;
    }
    if (t->kind < 0)
        return;
    if (has) {
        close_set(t);
        value = 0;
        ncs_number_after(has, "up to operation ", &value);
        t->value = -1;
        t->rest_ranks++;
    }
    t->listed = true;
    own->made[t->kind] = value;
}

/* Without the table of groups, the ranks that are counted are all. */
static void size_by_count(struct ras_text *t)
{
    if (t->comm && t->comm->size == 0 && t->rest_ranks > 0 && t->rest_ranks <= NCS_RECORD_RANKS)
        t->comm->size = (int)t->rest_ranks;
}

void ncs_ras_read_text(struct ras *ras, const struct trace_file *file)
{
    struct ncs_lines lines = ncs_lines_of(&file->text);
    struct ras_text t = { .ras = ras, .kind = -1, .value = -1, .rest = -1, .path = file->path };
    ras->text = true;
    while (ncs_lines_next(&lines)) {
        const char *text = lines.text.text + strspn(lines.text.text, " "), *word;
        if (text[0] == '#' && strchr(text, '(') && strchr(text, ')')) {
            size_by_count(&t);
            open_section(&t, text, lines.number);
        } else if ((word = strstr(text, "ranks have different ")) && strstr(word, " operation counts")) {
            size_by_count(&t);
            close_kind(&t);
            word += strlen("ranks have different ");
            t.kind = ncs_ras_kind(ras, word, strcspn(word, " "));
            if (!t.comm) /* the lines before are not there */
                t.comm = ncs_ras_comm(ras, "the communicator", file->path, lines.number);
            if (strncmp(word, "collective ", 11) == 0) /* as versions before 2.24.3 have it: of no kind */
                t.kind = ncs_ras_kind(ras, ncs_fn_info[NCS_FN_ncclAllReduce].name + 4,
                                      strlen(ncs_fn_info[NCS_FN_ncclAllReduce].name) - 4);
        } else if (strstr(text, "ranks have launched up to operation ") || strstr(text, "ranks have not launched any")) {
            read_set(&t, text);
        } else if (strstr(text, " considered dead ") || strncmp(text, "Missing communicator data ", 26) == 0) {
            ncs_record_note(ras->record, "RAS: %.120s", text);
        } else if (strncmp(text, "Rank ", 5) == 0) {
            read_ras_rank(&t, text);
        } else {
            read_group(&t, text);
        }
    }
    size_by_count(&t);
    close_kind(&t);
}

/* ---- the reader ---- */

static bool ras_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    if (text[strspn(text, " \t\r\n")] == '{')
        return strstr(text, "\"communicators\"") &&
               (strstr(text, "\"collective_counts\"") || strstr(text, "\"communicators_count\"")); /* with none left */
    return (strstr(text, " operation counts") && strstr(text, "ranks have different ")) ||
           (strstr(text, "Communicators...") && strstr(text, "Ranks    Status  Errors"));
}

static enum trace_taken ras_take(void *state, struct trace_file *file)
{
    struct ras *ras = state;
    if (file->text.text[strspn(file->text.text, " \t\r\n")] == '{')
        return ncs_ras_read_json(ras, file) ? TRACE_TAKEN : TRACE_BAD;
    ncs_ras_read_text(ras, file);
    return TRACE_TAKEN;
}

static bool ras_finish(void *state)
{
    return ncs_ras_join(state);
}

static void ras_end(void *state)
{
    struct ras *ras = state;
    for (size_t i = 0; i < ras->comms; i++) {
        ncs_free(ras->comm[i].of);
        ncs_map_free(&ras->comm[i].at);
    }
    ncs_free(ras->comm);
    ncs_map_free(&ras->comm_of);
    ncs_free(ras->process);
    ncs_map_free(&ras->process_of);
}

const struct trace_reader ncs_reader_ras = {
    .kind = "ncclras",
    .word = "entry in RAS",
    .is = ras_is,
    .bytes = sizeof(struct ras),
    .take = ras_take,
    .finish = ras_finish,
    .end = ras_end,
};
