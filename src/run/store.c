#include "run/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/order.h"
#include "run/private.h"

struct entry {
    char *key;
    bool set;
    unsigned char *value;
    size_t bytes;
    struct ncs_gate *gate; /* NULL until somebody waits for the key */
    char *text;            /* "store key `go`"; with the gate */
    struct entry *next;
};

/* A rank at a barrier. The barrier owns it, because the stack of a waiting rank may be dropped at
 * any time. */
struct visitor {
    size_t member;
    bool released;
    struct visitor *previous, *next;
};

struct run_barrier {
    int *rank; /* ascending, without repetition */
    size_t ranks;
    size_t *waiting; /* unreleased visitors by member; each thread of a rank counts */
    size_t present;  /* members with an unreleased visitor */
    struct visitor *first, *last;
    struct ncs_gate *gate;
    char *text; /* "ranks 0, 1" */
    struct run_barrier *next;
};

static int64_t deadline_after(const struct ncs_machine *m, int64_t timeout)
{
    if (timeout < 0)
        return -1;
    int64_t now = m->now();
    return timeout < INT64_MAX - now ? now + timeout : INT64_MAX;
}

static void end_host_wait(struct ncs_host_step *step, bool met)
{
    if (step) {
        step->over = true;
        step->in_vain = !met;
    }
}

/* ---- keys ---- */

static struct entry *store_entry_of(struct run_store *store, const char *key)
{
    uint64_t hash = ncs_hash_bytes(0, key, strlen(key));
    struct entry *chain = ncs_map_get(&store->keys, hash);
    for (struct entry *e = chain; e; e = e->next)
        if (strcmp(e->key, key) == 0)
            return e;
    struct entry *e = ncs_new(sizeof *e);
    e->key = ncs_copy_text(key);
    e->next = chain;
    ncs_map_put(&store->keys, hash, e);
    return e;
}

static void store_wake(struct run_store *store, const struct entry *e, const struct ncs_machine *m)
{
    if (!e->gate && !store->changed)
        store->changed = m->gate_new();
    m->gate_wake(e->gate ? e->gate : store->changed);
}

/* Setting a key to its present value is no progress, so a loop of such sets can be found
 * to be a livelock. */
static bool store_assign(struct ncs_run *run, struct entry *e, const void *value, size_t bytes)
{
    if (e->set && e->bytes == bytes && (bytes == 0 || memcmp(e->value, value, bytes) == 0))
        return true;
    unsigned char *copy = ncs_room(bytes);
    if (!copy)
        return false;
    ncs_free(e->value);
    e->value = copy;
    if (bytes > 0)
        memcpy(e->value, value, bytes);
    e->bytes = bytes;
    e->set = true;
    store_wake(&run->store, e, run->machine);
    return true;
}

/* The hash of the id that the value holds: behind the letter for ids, or as a text behind letter and
 * length (script/value.c). A text of that length that is no id has a hash that no id has. 0 = none. */
static uint64_t store_entry_id(const struct entry *e)
{
    size_t before = e->bytes - sizeof(ncclUniqueId);
    bool fits = e->bytes > sizeof(ncclUniqueId) && (before == 1 || (before == 1 + sizeof(size_t) && e->value[0] == 's'));
    return fits ? ncs_hash_bytes(0, e->value + before, sizeof(ncclUniqueId)) : 0;
}

bool ncs_run_store_set(struct ncs_run *run, const char *key, const void *value, size_t bytes)
{
    if (ncs_run_amend_host(run, &key))
        return true;
    struct ncs_host_step *step = ncs_journal_host(run->journal, NCS_HOST_SET, key, -1);
    struct entry *e = store_entry_of(&run->store, key);
    bool set = store_assign(run, e, value, bytes);
    if (step && set)
        step->unique_id = store_entry_id(e);
    return set;
}

static bool wait_for_key(struct ncs_run *run, struct entry *e, int64_t timeout)
{
    const struct ncs_machine *m = run->machine;
    if (timeout == 0) {
        m->clock(false); /* a look at the store is a poll */
        return e->set;
    }
    if (!e->gate) {
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "store key `%s`", e->key);
        e->text = ncs_str_take(&text);
        e->gate = m->gate_new();
    }
    int64_t deadline = deadline_after(m, timeout);
    bool woken = true;
    while (!e->set && woken)
        woken = ncs_run_gate_wait(run, e->gate, deadline, &(struct run_gate_what){ "store:get", e->text, -1, 0 });
    return e->set;
}

bool ncs_run_store_get(struct ncs_run *run, const char *key, int64_t timeout, void **value, size_t *bytes)
{
    *value = NULL;
    *bytes = 0;
    if (timeout && ncs_run_amend_host(run, &key))
        return false;
    struct entry *e = store_entry_of(&run->store, key);
    /* A read that does not wait is no step. */
    struct ncs_host_step *step = timeout ? ncs_journal_host(run->journal, NCS_HOST_GET, key, -1) : NULL;
    if (!e->set)
        ncs_run_before_wait(run);
    bool set = e->set || wait_for_key(run, e, timeout);
    end_host_wait(step, set);
    ncs_journal_heard(run->journal);
    if (!set)
        return false;
    ncs_run_waited(run);
    *value = ncs_new(e->bytes);
    memcpy(*value, e->value, e->bytes);
    *bytes = e->bytes;
    if (step)
        step->unique_id = store_entry_id(e);
    return true;
}

bool ncs_run_store_add(struct ncs_run *run, const char *key, int64_t n, int64_t *sum)
{
    ncs_run_amend_host(run, &key);
    ncs_journal_host(run->journal, NCS_HOST_ADD, key, -1);
    struct entry *e = store_entry_of(&run->store, key);
    int64_t total = 0;
    if (e->set && e->bytes != sizeof total)
        return false;
    if (e->set)
        memcpy(&total, e->value, sizeof total);
    total = (int64_t)((uint64_t)total + (uint64_t)n);
    if (!store_assign(run, e, &total, sizeof total))
        ncs_budget_stop();
    ncs_journal_heard(run->journal);
    ncs_run_waited(run);
    *sum = total;
    return true;
}

/* ---- barriers ---- */

/* The ranks in ascending order, each once. */
static int *members_of(const int *ranks, size_t *count)
{
    int *member = ncs_new(*count * sizeof *member);
    if (*count > 0) {
        memcpy(member, ranks, *count * sizeof *member);
        qsort(member, *count, sizeof *member, ncs_order_ints);
    }
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (kept == 0 || member[kept - 1] != member[i])
            member[kept++] = member[i];
    *count = kept;
    return member;
}

/* Takes over member. */
static struct run_barrier *store_barrier_of(struct run_store *store, const struct ncs_machine *m, int *member, size_t count)
{
    uint64_t hash = ncs_hash_bytes(0, member, count * sizeof *member);
    struct run_barrier *chain = ncs_map_get(&store->barriers, hash);
    for (struct run_barrier *b = chain; b; b = b->next)
        if (b->ranks == count && memcmp(b->rank, member, count * sizeof *member) == 0) {
            ncs_free(member);
            return b;
        }
    struct run_barrier *b = ncs_new(sizeof *b);
    b->rank = member;
    b->ranks = count;
    b->waiting = ncs_new(count * sizeof *b->waiting);
    b->gate = m->gate_new();
    struct ncs_str text = { 0 };
    ncs_str_add(&text, count == 1 ? "rank " : "ranks ");
    ncs_str_add_ranks(&text, member, count);
    b->text = ncs_str_take(&text);
    b->next = chain;
    ncs_map_put(&store->barriers, hash, b);
    return b;
}

static struct visitor *store_arrive(struct run_barrier *b, size_t member)
{
    struct visitor *v = ncs_new(sizeof *v);
    v->member = member;
    v->previous = b->last;
    if (b->last)
        b->last->next = v;
    else
        b->first = v;
    b->last = v;
    if (b->waiting[member]++ == 0)
        b->present++;
    return v;
}

static void count_out(struct run_barrier *b, const struct visitor *v)
{
    if (--b->waiting[v->member] == 0)
        b->present--;
}

static void store_leave(struct run_barrier *b, struct visitor *v)
{
    if (!v->released)
        count_out(b, v);
    if (v->previous)
        v->previous->next = v->next;
    else
        b->first = v->next;
    if (v->next)
        v->next->previous = v->previous;
    else
        b->last = v->previous;
    ncs_free(v);
}

/* All are here: the first visitor of every member may go. */
static void store_release(struct run_barrier *b, const struct ncs_machine *m)
{
    bool *gone = ncs_new(b->ranks * sizeof *gone);
    for (struct visitor *v = b->first; v; v = v->next) {
        if (v->released || gone[v->member])
            continue;
        gone[v->member] = v->released = true;
        count_out(b, v);
    }
    ncs_free(gone);
    m->gate_wake(b->gate);
}

static struct run_barrier *named_barrier(struct ncs_run *run, const int *ranks, size_t count)
{
    struct run_store *store = &run->store;
    if (ranks) {
        int *member = members_of(ranks, &count);
        return store_barrier_of(store, run->machine, member, count);
    }
    if (!store->everyone) {
        count = (size_t)run->options.ranks;
        int *all = ncs_new(count * sizeof *all);
        for (size_t i = 0; i < count; i++)
            all[i] = (int)i;
        store->everyone = store_barrier_of(store, run->machine, all, count);
    }
    return store->everyone;
}

bool ncs_run_barrier(struct ncs_run *run, const int *ranks, size_t count, int64_t timeout)
{
    const struct ncs_machine *m = run->machine;
    struct run_barrier *b = named_barrier(run, ranks, count);
    int self = ncs_local->rank;
    const int *at = bsearch(&self, b->rank, b->ranks, sizeof self, ncs_order_ints);
    if (!at)
        return false;
    if (ncs_run_amend_host(run, NULL))
        return true;
    struct ncs_host_step *step = ncs_journal_host(run->journal, NCS_HOST_BARRIER, b->text, -1);
    ncs_run_before_wait(run);
    struct visitor *v = store_arrive(b, (size_t)(at - b->rank));
    if (b->present == b->ranks)
        store_release(b, m);
    int64_t deadline = deadline_after(m, timeout);
    bool woken = true;
    while (!v->released && woken)
        woken = ncs_run_gate_wait(run, b->gate, deadline, &(struct run_gate_what){ "barrier", b->text, -1, 0 });
    bool met = v->released;
    end_host_wait(step, met);
    ncs_journal_heard(run->journal);
    store_leave(b, v);
    ncs_run_waited(run);
    return met;
}

/* ---- the end ---- */

static void free_entries(void *value, void *arg)
{
    const struct ncs_machine *m = arg;
    for (struct entry *e = value, *next; e; e = next) {
        next = e->next;
        if (e->gate)
            m->gate_free(e->gate);
        ncs_free(e->text);
        ncs_free(e->value);
        ncs_free(e->key);
        ncs_free(e);
    }
}

static void free_barriers(void *value, void *arg)
{
    const struct ncs_machine *m = arg;
    for (struct run_barrier *b = value, *next; b; b = next) {
        next = b->next;
        for (struct visitor *v = b->first, *then; v; v = then) {
            then = v->next;
            ncs_free(v);
        }
        m->gate_free(b->gate);
        ncs_free(b->rank);
        ncs_free(b->waiting);
        ncs_free(b->text);
        ncs_free(b);
    }
}

void ncs_run_store_free(struct run_store *store, const struct ncs_machine *machine)
{
    ncs_map_each(&store->keys, free_entries, (void *)machine);
    ncs_map_each(&store->barriers, free_barriers, (void *)machine);
    if (store->changed)
        machine->gate_free(store->changed);
    ncs_map_free(&store->keys);
    ncs_map_free(&store->barriers);
    ncs_run_id_free(store);
}
