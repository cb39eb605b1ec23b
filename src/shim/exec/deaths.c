#include "shim/exec/deaths.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "shim/exec/places.h"
#include "shim/many/job.h"

enum { DEATHS_SHOWN = 8 };

/* Launchers end processes by these signals. */
static bool is_by_launcher(const char *death)
{
    int number = 0;
    return sscanf(death, "signal %d", &number) == 1 && (number == SIGTERM || number == SIGKILL);
}

static const struct ncs_call *last_call_of(const struct ncs_journal *journal, int rank)
{
    const struct ncs_call *c = journal->newest;
    while (c && (c->rank != rank || ncs_fn_info[c->fn].lib != NCS_LIB_NCCL))
        c = c->older;
    return c;
}

static void add_death(const struct ncs_journal *journal, const struct server_process *p, struct ncs_str *notes)
{
    const struct ncs_call *last = p->ranks ? last_call_of(journal, p->rank[0]) : NULL;
    if (p->ranks)
        ncs_str_addf(notes, "ncclscript: rank %d (process %d) was ended by %s", p->rank[0], (int)p->pid, p->death);
    else
        ncs_str_addf(notes, "ncclscript: process %d was ended by %s before it joined a communicator", (int)p->pid, p->death);
    if (last) {
        ncs_str_addf(notes, "; its last call of NCCL was %s", ncs_fn_info[last->fn].name);
        ncs_places_add(notes, last->place.line);
    }
    ncs_str_add(notes, "\n");
}

bool ncs_exec_deaths(const struct ncs_journal *journal, struct ncs_str *notes)
{
    bool others = false, any = false;
    size_t shown = 0;
    for (size_t i = 0; i < job_processes(); i++)
        others |= job_process(i)->death && !is_by_launcher(job_process(i)->death);
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        any |= p->death != NULL;
        if (p->death && !(others && is_by_launcher(p->death)) && shown++ < DEATHS_SHOWN)
            add_death(journal, p, notes);
    }
    return any;
}
