/* Edits of a rank's steps without a call, such as barriers and keys of the store: an edit inserts a
 * step, leaves one out or renames its key. Steps are numbered for each thread in the order of its
 * script. Inserted steps have no number. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/amend_private.h"

/* ---- made ready ---- */

const struct ncs_call *ncs_amend_call_with(const struct ncs_journal *j, uint64_t id)
{
    const struct ncs_call *c = j->oldest;
    while (c && c->id != id)
        c = c->newer;
    return c;
}

/* The ranks in a text such as "0..3, 5"; a text without numbers means all, as an empty list does. */
static void read_ranks(const char *text, struct change *c)
{
    size_t room = 0;
    long last = -1;
    for (const char *p = text ? text : ""; *p; p += strspn(p, ". ,")) {
        char *end;
        long number = strtol(p, &end, 10);
        p = end > p ? end : p + 1;
        last = number > last ? number : last;
    }
    for (int r = 0; r <= last; r++)
        if (ncs_is_listed(text, r))
            NCS_PUSH(c->rank, c->ranks, room, r);
}

bool ncs_amend_prepare_host(const struct ncs_journal *j, const struct ncs_past *past, struct change *c)
{
    const struct ncs_edit *e = &c->edit;
    c->thread = e->host_thread;
    c->key = ncs_copy_text(e->key);
    if (e->host == NCS_HOST_BARRIER)
        read_ranks(e->key, c);
    if (e->kind != NCS_EDIT_INSERT || !e->before)
        return e->host != NCS_HOST_SPAWN;
    const struct ncs_call *next = ncs_amend_call_with(j, e->before);
    uint64_t use = next && next->place.file ? ncs_past_use(past, next, true) : 0;
    if (!use)
        return false;
    c->after = (struct spot){ .file = ncs_copy_text(next->place.file), .line = next->place.line, .fn = next->fn, .nth = use };
    return e->host != NCS_HOST_SPAWN;
}

/* ---- put in ---- */

static void amend_host_put_in(struct ncs_run *run, const struct change *c)
{
    static const int64_t some = 1; /* the value that another rank would have set is not known */
    struct ncs_local *local = ncs_local;
    uint64_t hosts = local->hosts;
    local->amended++;
    int64_t sum;
    if (c->edit.host == NCS_HOST_BARRIER)
        ncs_run_barrier(run, c->rank, c->ranks, -1);
    else if (c->edit.host == NCS_HOST_ADD)
        ncs_run_store_add(run, c->key, some, &sum);
    else
        ncs_run_store_set(run, c->key, &some, sizeof some);
    local->amended--;
    local->hosts = hosts;
}

/* ---- on the way ---- */

static bool is_own(const struct change *c, enum ncs_edit_kind kind)
{
    return c->edit.of_host && c->edit.kind == kind && c->thread == ncs_local->thread;
}

static struct amender *amender_of(const struct ncs_run *run)
{
    struct ncs_local *local = ncs_local;
    bool own = local && local->rank >= 0 && !local->amended && !local->opening && !local->ending && !run->machine->cancelled();
    return own ? run->rank[local->rank].amender : NULL;
}

bool ncs_amend_is_at_spot(const struct ncs_call *call, const struct spot *at)
{
    return at->file && call->fn == at->fn && call->place.line == at->line && call->place.file &&
           strcmp(call->place.file, at->file) == 0;
}

/* Makes the inserted steps that are due: before this call, or (call NULL) before the nth step of
 * the thread, or (nth 0 as well) at the thread's end. */
static void put_in_due(struct ncs_run *run, const struct ncs_call *call, uint64_t nth)
{
    struct amender *a = amender_of(run);
    for (size_t i = 0; a && i < a->stages; i++)
        for (size_t k = 0; k < a->stage[i].changes; k++) {
            const struct change *c = a->stage[i].change[k];
            const struct spot *at = &c->after;
            bool here = call ? ncs_amend_is_at_spot(call, at) && a->stage[i].seen[k] + 1 == at->nth
                             : !at->file && c->edit.nth == nth;
            if (!is_own(c, NCS_EDIT_INSERT) || a->stage[i].done[k] || !here)
                continue;
            a->stage[i].done[k] = true;
            amend_host_put_in(run, c);
        }
}

void ncs_amend_hosts_before(struct ncs_run *run, const struct ncs_call *call)
{
    put_in_due(run, call, 0);
}

bool ncs_run_amend_host(struct ncs_run *run, const char **key)
{
    put_in_due(run, NULL, ncs_local->hosts + 1);
    struct amender *a = amender_of(run);
    bool deleted = false;
    for (size_t i = 0; a && i < a->stages; i++)
        for (size_t k = 0; k < a->stage[i].changes; k++) {
            const struct change *c = a->stage[i].change[k];
            if (c->edit.nth != ncs_local->hosts + 1)
                continue;
            deleted |= is_own(c, NCS_EDIT_DELETE);
            if (key && is_own(c, NCS_EDIT_ARGUMENT))
                *key = c->key;
        }
    ncs_local->hosts += deleted;
    return deleted;
}
