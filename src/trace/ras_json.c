/* The JSON of `ncclras`. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/ras.h"
#include "trace/value.h"

/* NCCL 2.28.9 leaves out a comma between members: puts one between a value that ends and one that begins. */
static void mend_commas(const char *text, size_t bytes, struct ncs_str *out)
{
    bool inside = false, ended = false;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        if (inside) {
            ncs_str_add_bytes(out, &c, 1);
            if (c == '\\' && i + 1 < bytes)
                ncs_str_add_bytes(out, &text[++i], 1);
            inside = c != '"';
            ended = !inside;
            continue;
        }
        if (ended && (c == '"' || c == '{' || c == '['))
            ncs_str_add(out, ",");
        ncs_str_add_bytes(out, &c, 1);
        inside = c == '"';
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
            ended = !strchr("{[,:\"", c);
    }
}

static void read_counts(struct ras *ras, struct ras_rank *own, const struct value *counts)
{
    for (uint32_t i = 0; counts && counts->kind == VALUE_DICT && i + 1 < counts->count; i += 2) {
        const char *name = ncs_value_as_text(counts->item[i]);
        int kind = name ? ncs_ras_kind(ras, name, strlen(name)) : -1;
        int64_t made;
        if (kind >= 0 && ncs_value_as_whole(counts->item[i + 1], &made) && made >= 0)
            own->made[kind] = made;
    }
}

static void see_process(struct ras *ras, const char *host, int64_t pid, int64_t device, uint64_t who)
{
    if (ncs_map_number(&ras->process_of, who))
        return;
    struct ras_process fresh = { .pid = pid, .device = device, .who = who };
    snprintf(fresh.host, sizeof fresh.host, "%s", host);
    NCS_PUSH(ras->process, ras->processes, ras->process_room, fresh);
    ncs_map_put_number(&ras->process_of, who, ras->processes);
}

static bool read_json_rank(struct ras *ras, struct ras_comm *c, const struct value *v, bool missing)
{
    int64_t rank, pid = -1, device = -1;
    const char *host = ncs_value_as_text(ncs_value_get(v, "host"));
    const struct value *status = ncs_value_get(v, "status");
    if (!ncs_value_as_whole(ncs_value_get(v, "rank"), &rank) || rank < 0 || rank >= NCS_RECORD_RANKS ||
        (c->size && rank >= c->size))
        return ncs_fail(ras->err, NCS_BAD_INPUT, "communicator %s: `rank`: a rank of the communicator is expected", c->name);
    struct ras_rank *own = ncs_ras_rank(c, (int)rank);
    ncs_value_as_whole(ncs_value_get(v, "pid"), &pid);
    ncs_value_as_whole(ncs_value_get(v, "cuda_dev"), &device);
    if (host && pid >= 0) {
        own->who = ncs_hash(ncs_hash_bytes((uint64_t)pid, host, strlen(host)), (uint64_t)device) | 1;
        see_process(ras, host, pid, device, own->who);
    }
    own->missing = missing;
    own->dead = ncs_value_is_true(ncs_value_get(status, "considered_dead"));
    own->left = missing && status && !own->dead && !ncs_value_is_true(ncs_value_get(status, "unresponsive"));
    read_counts(ras, own, ncs_value_get(v, "collective_counts"));
    return true;
}

static bool read_json_comm(struct ras *ras, const struct trace_file *file, const struct value *v)
{
    const char *hash = ncs_value_as_text(ncs_value_get(v, "hash")),
               *second = ncs_value_as_text(ncs_value_get(v, "secondary_hash"));
    const struct value *ranks = ncs_value_get(v, "ranks"), *missing = ncs_value_get(v, "missing_ranks");
    char name[40], whole[96];
    int64_t size = 0;
    if (!hash)
        return ncs_fail(ras->err, NCS_BAD_INPUT, "`communicators`: an object with `hash` is expected");
    /* The second hash tells communicators of equal hash apart. */
    snprintf(whole, sizeof whole, "%.40s %.50s", hash, second ? second : "");
    snprintf(name, sizeof name, "comm %.24s", hash);
    if (ncs_map_number(&ras->comm_of, ncs_hash_bytes(0, name, strlen(name))))
        snprintf(name, sizeof name, "comm %.20s-%08x", hash, (unsigned)ncs_hash_bytes(0, whole, strlen(whole)));
    struct ras_comm *c = ncs_ras_comm(ras, name, file->path, 0);
    if (!c)
        return true;
    if (ncs_value_as_whole(ncs_value_get(v, "size"), &size) && size > 0 && size <= NCS_RECORD_RANKS)
        c->size = (int)size;
    for (size_t i = 0; i < ncs_value_count(ranks); i++)
        if (!read_json_rank(ras, c, ncs_value_at(ranks, i), false))
            return false;
    for (size_t i = 0; i < ncs_value_count(missing); i++)
        if (!read_json_rank(ras, c, ncs_value_at(missing, i), true))
            return false;
    return true;
}

bool ncs_ras_read_json(struct ras *ras, const struct trace_file *file)
{
    struct ncs_arena arena = { 0 };
    struct ncs_str mended = { 0 };
    int64_t timeouts = 0;
    const struct value *root = ncs_value_of_json(&arena, file->text.text, file->text.bytes, ras->err);
    bool ok = true;
    if (!root) {
        struct ncs_error first = *ras->err;
        mend_commas(file->text.text, file->text.bytes, &mended);
        root = ncs_value_of_json(&arena, mended.text ? mended.text : "", mended.bytes, ras->err);
        *ras->err = root ? (struct ncs_error){ 0 } : first;
        if (!root)
            ok = ncs_fail_at(ras->err, file->path, first.line, first.column);
    }
    const struct value *list = ncs_value_get(root, "communicators");
    for (size_t i = 0; i < ncs_value_count(list) && ok; i++)
        ok = read_json_comm(ras, file, ncs_value_at(list, i));
    ncs_value_as_whole(ncs_value_get(ncs_value_get(root, "ras"), "timeouts_count"), &timeouts);
    ras->timeouts += timeouts > 0 ? (size_t)timeouts : 0;
    const char *version = ncs_value_as_text(ncs_value_get(root, "nccl_version"));
    if (ok && version && !ras->record->trace->nccl[0])
        snprintf(ras->record->trace->nccl, sizeof ras->record->trace->nccl, "%s", version);
    ncs_str_free(&mended);
    ncs_arena_free(&arena);
    return ok;
}
