/* Communicators made by split, shrink and grow. All ranks find the same child by its key: the
 * parent, the position of the call among the parent's calls of that kind, and the color. */
#include "api/journal_private.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"

static bool journal_child_is_ok(int rc)
{
    return rc == ncclSuccess || rc == ncclInProgress;
}

static uint64_t child_key(const struct ncs_journal *j, int parent, enum ncs_fn fn, uint32_t nth, uint64_t which)
{
    uint64_t made = ncs_hash((uint64_t)fn, j->comm[parent]->serial - 1);
    uint64_t key = ncs_hash(ncs_hash(made, nth), which);

    return key ? key : 1;
}

/* "world/split1.0" if the parent is "world". */
static struct ncs_comm_info *find_child(struct ncs_journal *j, uint64_t key, int nranks, int parent, const char *name)
{
    bool fresh = !ncs_map_get(&j->own->keys, key);
    struct ncs_comm_info *info = ncs_journal_add_comm(j, key, nranks);
    char text[128];

    if (fresh) {
        snprintf(text, sizeof text, "%s/%s", j->comm[parent]->name, name);
        ncs_free(info->name);
        info->name = ncs_copy_text(text);
        ncs_journal_set_parent(j, info, parent);
        j->own->children++;
    }
    return info;
}

struct ncs_comm_info *ncs_journal_growth(struct ncs_journal *j, uint64_t id, int nranks)
{
    const struct ncs_growth *g = ncs_map_get(&j->own->growths, id);
    char name[48];

    if (!g)
        return NULL;
    snprintf(name, sizeof name, "grow%u", g->nth);
    return find_child(j, g->key, nranks, g->parent, name);
}

static uint32_t *counter(struct ncs_member *m, enum ncs_fn fn)
{
    return fn == NCS_FN_ncclCommSplit ? &m->splits : fn == NCS_FN_ncclCommShrink ? &m->shrinks : &m->grows;
}

void ncs_journal_uncount_child(struct ncs_journal *j, const struct ncs_unfilled *u)
{
    --*counter(&j->comm[u->comm]->member[u->comm_rank], u->fn);
}

static void await(struct ncs_journal *j, const struct ncs_call *call, uint64_t key, struct ncs_unfilled u)
{
    u.fn = call->fn;
    u.group = call->group;
    u.comm = call->comm;
    u.comm_rank = call->comm_rank;
    u.child = key;
    u.rank = call->rank;
    if (call->fn != NCS_FN_ncclCommGrow)
        u.child_rank = u.child_nranks = -1;
    NCS_PUSH(j->own->unfilled, j->own->unfilleds, j->own->unfilled_room, u);
}

static void learn_split(struct ncs_journal *j, const struct ncs_call *call, struct ncs_member *m)
{
    struct ncs_unfilled u = { .out = ncs_call_arg(call, NCS_ARG_COMM_OUT)->p };
    int color = (int)call->arg[1].i;
    uint32_t nth = ++*counter(m, call->fn);

    if (color == NCCL_SPLIT_NOCOLOR && !call->group)
        return;
    if (color == NCCL_SPLIT_NOCOLOR)
        u.out = NULL;
    u.split = nth;
    u.color = color;
    snprintf(u.name, sizeof u.name, "split%u.%d", nth, color);
    await(j, call, child_key(j, call->comm, call->fn, nth, (uint64_t)color), u);
}

static void learn_shrink(struct ncs_journal *j, const struct ncs_call *call, struct ncs_member *m)
{
    struct ncs_unfilled u = { .out = ncs_call_arg(call, NCS_ARG_COMM_OUT)->p };
    uint32_t nth = ++*counter(m, call->fn);
    /* Sorted before, so that the hash is equal on all ranks. */
    uint64_t list = ncs_hash_bytes(0, call->arg[1].p, (size_t)call->arg[2].i * sizeof(int));

    snprintf(u.name, sizeof u.name, "shrink%u", nth);
    await(j, call, child_key(j, call->comm, call->fn, nth, list), u);
}

static void learn_growth(struct ncs_journal *j, const struct ncs_call *call)
{
    const ncclUniqueId *id = ncs_call_arg(call, NCS_ARG_ID_OUT)->p;
    struct ncs_growth g = { .parent = call->comm };

    if (!id)
        return;
    g.id = ncs_hash_bytes(0, id, sizeof *id);
    g.nth = ++j->comm[call->comm]->growths;
    g.key = child_key(j, call->comm, NCS_FN_ncclCommGrow, g.nth, 0);
    ncs_journal_add_growth(j, &g);
}

static void learn_grow(struct ncs_journal *j, const struct ncs_call *call, struct ncs_member *m)
{
    struct ncs_unfilled u = { .out = ncs_call_arg(call, NCS_ARG_COMM_OUT)->p };
    uint32_t nth = ++*counter(m, call->fn);

    snprintf(u.name, sizeof u.name, "grow%u", nth);
    u.child_rank = call->comm_rank; /* old ranks keep their numbers */
    u.child_nranks = (int)call->arg[1].i;
    await(j, call, child_key(j, call->comm, call->fn, nth, 0), u);
}

void ncs_journal_learn_child(struct ncs_journal *j, struct ncs_call *call)
{
    struct ncs_member *m;

    if (call->comm < 0 || !journal_child_is_ok(call->rc))
        return;
    m = &j->comm[call->comm]->member[call->comm_rank];
    switch ((int)call->fn) {
    case NCS_FN_ncclCommSplit: learn_split(j, call, m); break;
    case NCS_FN_ncclCommShrink: learn_shrink(j, call, m); break;
    case NCS_FN_ncclCommGetUniqueId: learn_growth(j, call); break;
    case NCS_FN_ncclCommGrow: learn_grow(j, call, m); break;
    }
}

/* ---- when the handle is there ---- */

bool ncs_journal_take_filled(struct ncs_journal *j, int rank, struct ncs_unfilled *out)
{
    struct ncs_journal_private *own = j->own;

    for (size_t i = 0; i < own->unfilleds; i++) {
        struct ncs_unfilled *u = &own->unfilled[i];

        if (!u->child || u->rank != rank || !u->out || !*u->out)
            continue;
        *out = *u;
        *u = own->unfilled[--own->unfilleds];
        return true;
    }
    return false;
}

void ncs_journal_adopt(struct ncs_journal *j, const struct ncs_unfilled *u, int rank, int nranks)
{
    struct ncs_comm_info *info = find_child(j, u->child, nranks, u->comm, u->name);
    const struct ncs_member *parent = &j->comm[u->comm]->member[u->comm_rank];

    info->split = u->split;
    info->color = u->color;
    ncs_journal_set_member(j, info, rank, *u->out, u->rank, parent->device);
}

void ncs_journal_orphan(struct ncs_journal *j, int comm, int comm_rank)
{
    struct ncs_journal_private *own = j->own;
    size_t kept = 0;

    for (size_t i = 0; i < own->unfilleds; i++) {
        const struct ncs_unfilled *u = &own->unfilled[i];

        if (!u->child || u->comm != comm || u->comm_rank != comm_rank)
            own->unfilled[kept++] = *u;
    }
    own->unfilleds = kept;
}
