#include "shim/exec/deaths.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "shim/exec/places.h"
#include "shim/many/server.h"

enum { DEATHS_SHOWN = 8 };

static bool is_death(const struct ncs_snap_context *c)
{
    return c->state == NCS_CONTEXT_ENDED && c->ending == NCS_END_KILLED && c->message && c->thread == 0;
}

/* Launchers end processes by these signals. */
static bool is_by_launcher(const struct ncs_snap_context *c)
{
    int number = 0;
    return sscanf(c->message, "signal %d", &number) == 1 && (number == SIGTERM || number == SIGKILL);
}

static const struct ncs_call *last_call_of(const struct ncs_journal *journal, int rank)
{
    const struct ncs_call *c = journal->newest;
    while (c && (c->rank != rank || ncs_fn_info[c->fn].lib != NCS_LIB_NCCL))
        c = c->older;
    return c;
}

bool ncs_exec_deaths(const struct ncs_journal *journal, const struct ncs_snapshot *s, struct ncs_str *notes)
{
    bool others = false, any = false;
    size_t shown = 0;
    for (size_t i = 0; server_is_open() && i < s->contexts; i++)
        others |= is_death(&s->context[i]) && !is_by_launcher(&s->context[i]);
    for (size_t i = 0; server_is_open() && i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        any |= is_death(c);
        if (!is_death(c) || (others && is_by_launcher(c)) || shown++ >= DEATHS_SHOWN)
            continue;
        const struct ncs_call *last = last_call_of(journal, c->rank);
        ncs_str_addf(notes, "ncclscript: the process of rank %d was ended by %s", c->rank, c->message);
        if (last) {
            ncs_str_addf(notes, "; its last call of NCCL was %s", ncs_fn_info[last->fn].name);
            ncs_places_add(notes, last->place.line);
        }
        ncs_str_add(notes, "\n");
    }
    return any;
}
