/* Two events that can send a thread another way than other ranks: a caught error, and a value
 * that was read. Neither changes the run; the diagnosis names them beside the cause. */
#include <pthread.h>
#include <string.h>

#include "api/journal_private.h"
#include "base/hash.h"
#include "base/mem.h"

enum {
    SHARE = 16, /* errors may take 1 / SHARE of the journal's bytes: a program may catch them for hours */
    TEXT = 160, /* bytes that are kept of an error's text, at most */
    READ = 64,  /* bytes of a copy that are sampled, at most */
};

static void free_caught(struct ncs_caught *c)
{
    ncs_free(c->text);
    ncs_free(c);
}

void ncs_journal_caught(struct ncs_journal *j, const struct ncs_caught *error)
{
    const struct ncs_local *local = ncs_local;
    size_t length = strlen(error->text), bytes;
    struct ncs_caught *c;

    if (!local || local->rank < 0 || local->opening || local->ending)
        return;
    length = length > TEXT ? TEXT : length;
    bytes = sizeof *c + length + 1;
    c = ncs_new(sizeof *c);
    *c = *error;
    c->rank = local->rank;
    c->thread = local->thread;
    c->text = ncs_new(length + 1);
    memcpy(c->text, error->text, length);
    if (j->own->locked)
        pthread_mutex_lock(&j->own->lock);
    c->after = j->calls;
    bool fits = j->caught_bytes + bytes <= j->limit / SHARE;
    if (fits) {
        j->caught_bytes += bytes;
        *(j->newest_caught ? &j->newest_caught->newer : &j->oldest_caught) = c;
        j->newest_caught = c;
    }
    j->caught_lost |= !fits;
    if (j->own->locked)
        pthread_mutex_unlock(&j->own->lock);
    if (!fits)
        free_caught(c);
}

void ncs_journal_free_caught(struct ncs_journal *j)
{
    for (struct ncs_caught *c = j->oldest_caught, *newer; c; c = newer) {
        newer = c->newer;
        free_caught(c);
    }
}

/* Reads only memory that the script declared for the call (ncs_local.range): that memory exists. */
void ncs_journal_keep_read(struct ncs_call *call)
{
    const struct ncs_local *local = ncs_local;
    const char *to = call->arg[0].p;
    size_t bytes = call->arg[2].u < READ ? (size_t)call->arg[2].u : READ;

    for (int i = 0; local && local->guarded && i < local->ranges; i++) {
        const struct ncs_range *r = &local->range[i];
        const char *from = r->from;
        if (to < from || to + bytes > from + r->bytes)
            continue;
        struct ncs_call_rare *rare = ncs_call_add_rare(call);
        memcpy(rare->first, to, bytes < sizeof rare->first ? bytes : sizeof rare->first);
        memcpy(&rare->input, rare->first, sizeof rare->input);
        if (bytes > sizeof rare->first)
            rare->input = ncs_hash_bytes(call->arg[2].u, to, bytes);
        rare->input = ncs_mix(rare->input) | 1;
        return;
    }
}
