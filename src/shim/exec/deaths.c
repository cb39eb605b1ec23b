#include "shim/exec/exec.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "shim/exec/places.h"
#include "shim/many/job.h"

enum { DEATHS_SHOWN = 8 };

/* Launchers end processes by these signals. They take the status at once, so it may be unknown. */
static bool is_by_launcher(const char *death)
{
    int number = 0;
    bool is_signal = sscanf(death, "signal %d", &number) == 1;
    return is_signal ? number == SIGTERM || number == SIGKILL : strncmp(death, "a signal", strlen("a signal")) == 0;
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

/* A launcher ends all processes as soon as one dies, and the ends come in any order. One that died for a reason of its own
 * stands out, or else one that was in no call while others waited in theirs. */
static int death_weight(const struct server_process *p)
{
    return !p->death ? 0 : !is_by_launcher(p->death) ? 3 : p->called ? 1 : 2;
}

enum ncs_exec_death ncs_exec_deaths(const struct ncs_journal *journal, struct ncs_str *notes)
{
    size_t shown = 0, others = 0, dead = 0, in_call = 0;
    int most = 0;
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        most = death_weight(p) > most ? death_weight(p) : most;
        dead += p->death != NULL;
        in_call += p->death && p->called;
    }
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        bool shows = most > 0 && death_weight(p) == most;
        others += p->death && !shows;
        if (shows && shown++ < DEATHS_SHOWN)
            add_death(journal, p, notes);
    }
    if (others)
        ncs_str_addf(notes, "ncclscript: %zu other process%s ended%s, perhaps by the launcher\n", others,
                     others == 1 ? " was" : "es were", most == 2 ? " in a call" : "");
    if (dead < job_processes() || !in_call) /* those that are left may have gone on without the others */
        return most > 0 ? NCS_DEATH_SOME : NCS_DEATH_NONE;
    return most == 3 ? NCS_DEATH_OWN : NCS_DEATH_CUT_OFF;
}
