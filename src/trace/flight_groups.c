/* The process groups of Flight Recorder dumps, and their ranks. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/flight.h"

enum { PAIR_NAME = 96 };

/* Reads "[0, 1]" or a list; the caller frees the array. */
static int *ranks_of(const struct value *v, size_t *count)
{
    int *rank = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t i = 0; i < ncs_value_count(v) && *count < NCS_RECORD_RANKS; i++) {
        int64_t n = -1;
        ncs_value_as_whole(ncs_value_at(v, i), &n);
        NCS_PUSH(rank, *count, room, n >= 0 && n < NCS_RECORD_RANKS ? (int)n : NCS_RECORD_RANKS);
    }
    const char *text = ncs_value_as_text(v);
    for (const char *p = text ? text : ""; *p && *count < NCS_RECORD_RANKS;) {
        char *end;
        long n = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1;
        p = n < 0 ? p + 1 : end;
        if (n >= 0)
            NCS_PUSH(rank, *count, room, n < NCS_RECORD_RANKS ? (int)n : NCS_RECORD_RANKS);
    }
    return rank;
}

/* True if each group that the dump describes has the rank. */
static bool flight_in_all(const struct value *config, uint32_t count, int rank, size_t *seen)
{
    bool in = true;
    for (uint32_t i = 0; i + 1 < count && in; i += 2) {
        size_t ranks, at = 0;
        int *listed = ranks_of(ncs_value_get(config->item[i + 1], "ranks"), &ranks);
        while (at < ranks && listed[at] != rank)
            at++;
        in = ranks == 0 || at < ranks;
        *seen += ranks;
        ncs_free(listed);
    }
    return in;
}

/* PyTorch may name a dump by the rank of its process in the first group that it made (pytorch#191956). A process describes
 * its own groups only, so its rank is in each of them. */
int ncs_flight_rank(const struct value *root, int named)
{
    enum { GROUPS = 256, RANKS = 1 << 22 }; /* that are looked at */
    size_t seen = 0;
    const struct value *config = ncs_value_get(root, "pg_config");
    uint32_t count = config && config->kind == VALUE_DICT && config->count <= 2 * GROUPS ? config->count : 0;
    int found = named;
    for (uint32_t i = 0; i + 1 < count && seen < RANKS && !flight_in_all(config, count, found, &seen); i += 2) {
        size_t ranks;
        int *listed = ranks_of(ncs_value_get(config->item[i + 1], "ranks"), &ranks);
        found = (size_t)named < ranks && flight_in_all(config, count, listed[named], &seen) ? listed[named] : found;
        ncs_free(listed);
    }
    return found;
}

static uint64_t key_of_name(const char *name)
{
    return ncs_hash_bytes(0, name, strlen(name));
}

/* The communicator of these ranks with that name: the same one for every dump. */
static int comm_of(struct flight *f, const char *name, const char *desc, const int *rank, size_t ranks)
{
    struct record *r = f->record;
    uint64_t key = ncs_hash_bytes(ncs_hash_bytes(1, name, strlen(name)), rank, ranks * sizeof *rank);
    int comm = (int)(uintptr_t)ncs_map_get(&f->comm, key) - 1;
    if (comm >= 0)
        return comm;
    struct ncs_str own = { 0 };
    bool plain = desc && *desc && strcmp(desc, "undefined") != 0 && !ncs_map_number(&f->name, key_of_name(desc));
    if (plain)
        ncs_str_add(&own, desc);
    else
        ncs_str_addf(&own, "pg %s", name);
    bool of_all = desc && strcmp(desc, "default_pg") == 0 && strcmp(name, "0") == 0;
    if (of_all && f->all_ranks && f->all_ranks != ranks) {
        ncs_str_free(&own);
        ncs_fail(f->err, NCS_BAD_INPUT, "the dumps are of two jobs: default_pg has %zu ranks in one, %zu in another",
                 f->all_ranks, ranks);
        ncs_fail_hint(f->err, "name the files of one job only");
        f->two_jobs = true;
        return -1;
    }
    if (of_all)
        f->all_ranks = ranks;
    comm = ncs_record_add_comm(r, (int)ranks, own.text, f->err);
    ncs_map_put_number(&f->name, key_of_name(own.text), 1);
    ncs_str_free(&own);
    if (comm >= 0) {
        r->comm[comm].role = desc ? ncs_copy_text(desc) : NULL;
        r->comm[comm].serial = isdigit((unsigned char)*name) ? strtoll(name, NULL, 10) : r->comm[comm].serial;
    }
    for (size_t i = 0; comm >= 0 && i < ranks; i++) {
        if (!ncs_record_has_rank(r, rank[i], f->err))
            return -1;
        r->comm[comm].rank[i] = rank[i];
    }
    if (comm >= 0)
        ncs_map_put(&f->comm, key, (void *)(uintptr_t)(comm + 1));
    return comm;
}

size_t ncs_flight_group(struct dump *d, const char *name, const char *desc)
{
    uint64_t key = key_of_name(name);
    size_t at = ncs_map_number(&d->group_of, key);
    if (!at) {
        struct dump_group fresh = { .name = ncs_copy_text(name), .desc = ncs_copy_text(desc), .comm = -1, .self = -1 };
        NCS_PUSH(d->group, d->groups, d->group_room, fresh);
        ncs_map_put_number(&d->group_of, key, at = d->groups);
    }
    return at - 1;
}

static int comm_in(const struct dump *d, const char *name)
{
    size_t at = ncs_map_number(&d->group_of, key_of_name(name));
    return at ? d->group[at - 1].comm : -1;
}

/* ---- that the dumps describe ---- */

static bool add_group(struct flight *f, struct dump *d, const char *name, const char *desc, const struct value *listed)
{
    size_t ranks, at = ncs_flight_group(d, name, desc);
    int *rank = ranks_of(listed, &ranks);
    int comm = ranks ? comm_of(f, name, desc, rank, ranks) : -1;
    ncs_free(rank);
    d->group[at].unlisted = ranks == 0;
    d->group[at].comm = comm;
    return ranks == 0 || comm >= 0;
}

bool ncs_flight_read_config(struct flight *f, struct dump *d, const struct value *root)
{
    const struct value *config = ncs_value_get(root, "pg_config");
    for (uint32_t i = 0; config && config->kind == VALUE_DICT && i + 1 < config->count; i += 2) {
        const struct value *v = config->item[i + 1];
        char number[32];
        const char *name = ncs_value_as_text(config->item[i]);
        if (!name)
            snprintf(number, sizeof number, "%lld", (long long)config->item[i]->whole);
        name = name ? name : number;
        if (v->kind != VALUE_DICT)
            return ncs_fail(f->err, NCS_BAD_INPUT, "pg_config.%.60s: `name`, `desc` and `ranks` are expected", name);
        if (!add_group(f, d, name, ncs_value_as_text(ncs_value_get(v, "desc")), ncs_value_get(v, "ranks")))
            return false;
    }
    return true;
}

/* Older versions describe groups without their ranks: all there are. */
static bool add_unlisted(struct flight *f, struct dump *d)
{
    size_t ranks = (size_t)f->record->ranks;
    int *all = ncs_new(ranks * sizeof *all);
    bool ok = true;
    for (size_t k = 0; k < ranks; k++)
        all[k] = (int)k;
    for (size_t i = 0; i < d->groups && ok; i++)
        if (d->group[i].unlisted) {
            d->group[i].comm = comm_of(f, d->group[i].name, d->group[i].desc, all, ranks);
            ok = d->group[i].comm >= 0 || ncs_fail_at(f->err, d->path, 0, 0);
        }
    ncs_free(all);
    return ok;
}

/* ---- that they only use ---- */

struct use {
    const char *name, *desc; /* the dumps' */
    int *rank;
    size_t ranks, room;
};

struct uses {
    struct use *of;
    size_t count, room;
    struct ncs_map at;        /* name -> index + 1 */
    struct ncs_map described; /* name -> 1 + a dump that describes it; several may, with other ranks */
};

static void add_use(struct uses *all, const char *name, const char *desc, int rank)
{
    size_t at = ncs_map_number(&all->at, key_of_name(name));
    if (!at) {
        struct use fresh = { .name = name, .desc = desc };
        NCS_PUSH(all->of, all->count, all->room, fresh);
        ncs_map_put_number(&all->at, key_of_name(name), at = all->count);
    }
    struct use *use = &all->of[at - 1];
    size_t place = use->ranks;
    NCS_PUSH(use->rank, use->ranks, use->room, rank); /* a rank has one dump, and that a group once */
    for (; place > 0 && use->rank[place - 1] > rank; place--)
        use->rank[place] = use->rank[place - 1];
    use->rank[place] = rank;
}

/* The group as another dump describes it; -1 = none does. */
static int described(const struct flight *f, const char *name, int rank)
{
    for (size_t i = 0; i < f->dumps; i++) {
        int comm = f->dump[i].readable ? comm_in(&f->dump[i], name) : -1;
        for (int k = 0; comm >= 0 && k < f->record->comm[comm].nranks; k++)
            if (f->record->comm[comm].rank[k] == rank)
                return comm;
    }
    return -1;
}

static void collect_uses(const struct flight *f, struct dump *d, struct uses *all)
{
    for (size_t i = 0; i < d->groups; i++) {
        struct dump_group *g = &d->group[i];
        if (g->comm >= 0)
            continue;
        if (ncs_map_number(&all->described, key_of_name(g->name)))
            g->comm = described(f, g->name, d->rank);
        if (g->comm < 0)
            add_use(all, g->name, g->desc, d->rank);
    }
}

/* For a group that no dump describes, takes the ranks that use it as its members. */
static bool add_used(struct flight *f, const struct use *use)
{
    int comm = comm_of(f, use->name, use->desc, use->rank, use->ranks);
    if (comm < 0)
        return ncs_fail_at(f->err, f->dump[0].path, 0, 0);
    for (size_t i = 0; i < f->dumps; i++) {
        size_t at = f->dump[i].readable ? ncs_map_number(&f->dump[i].group_of, key_of_name(use->name)) : 0;
        if (at && f->dump[i].group[at - 1].comm < 0)
            f->dump[i].group[at - 1].comm = comm;
    }
    return true;
}

static void note_guess(struct record *r, const struct uses *all)
{
    if (!all->count)
        return;
    ncs_record_note(r, "pg_config does not say which ranks are in %zu group%s: those that use %s are taken to be", all->count,
                    all->count == 1 ? "" : "s", all->count == 1 ? "it" : "each");
    r->trace->doubt = ncs_copy_text("it could also be that a group has other ranks than those that use it, which no "
                                    "pg_config of these dumps says");
}

bool ncs_flight_find_comms(struct flight *f)
{
    struct uses all = { 0 };
    bool ok = true;
    for (size_t i = 0; i < f->dumps && ok; i++)
        ok = !f->dump[i].readable || add_unlisted(f, &f->dump[i]);
    for (size_t i = 0; i < f->dumps; i++)
        for (size_t k = 0; k < f->dump[i].groups && f->dump[i].readable; k++)
            if (f->dump[i].group[k].comm >= 0)
                ncs_map_put_number(&all.described, key_of_name(f->dump[i].group[k].name), 1);
    for (size_t i = 0; i < f->dumps && ok; i++)
        if (f->dump[i].readable)
            collect_uses(f, &f->dump[i], &all);
    for (size_t i = 0; i < all.count && ok; i++)
        ok = add_used(f, &all.of[i]);
    note_guess(f->record, &all);
    NCS_FREE_EACH(all.of, all.count, rank);
    ncs_map_free(&all.at);
    ncs_map_free(&all.described);
    return ok;
}

/* ---- of two ranks ---- */

/* A send or receive outside of a batch has a communicator of the two ranks alone. */
int ncs_flight_pair(struct flight *f, int comm, int a, int b)
{
    struct record *r = f->record;
    int low = a < b ? a : b, high = a < b ? b : a;
    if (low < 0 || high >= r->comm[comm].nranks || low == high)
        return comm;
    int rank[2] = { r->comm[comm].rank[low], r->comm[comm].rank[high] };
    char name[PAIR_NAME];
    snprintf(name, sizeof name, "%.48s, pair %d-%d", r->comm[comm].name, low, high);
    int pair = comm_of(f, name, name, rank, 2);
    if (pair >= 0) {
        ncs_free(r->comm[pair].role);
        r->comm[pair].role = NULL;
        r->comm[pair].pair_of = comm;
    }
    return pair;
}
