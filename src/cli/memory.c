#include "cli/memory.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/available.h"
#include "base/mem.h"
#include "cli/job.h"

static char command_name[16];

/* Uses no heap, since none is left. */
static void memory_end_process(const char *why)
{
    char text[NCS_BUDGET_WORDS + 128];
    int bytes = snprintf(text, sizeof text, "ncclscript %s: %s\n", command_name, why);
    if (ftrylockfile(stdout) == 0)
        fflush(stdout);
    ssize_t written = write(STDERR_FILENO, text, (size_t)bytes);
    (void)written;
    _exit(ncs_job_drop(NCS_MEM_EXIT));
}

static void memory_on_spent(void)
{
    char budget[NCS_BUDGET_WORDS], why[NCS_BUDGET_WORDS + 32];
    snprintf(why, sizeof why, "%s is used up", ncs_budget_words(budget));
    memory_end_process(why);
}

static void on_exhausted(size_t bytes)
{
    (void)bytes;
    if (ncs_budget_used() >= ncs_budget())
        memory_on_spent();
    memory_end_process("the host has no memory left");
}

/* Documents that are read and written are counted, too. */
static void *json_room(size_t bytes)
{
    return ncs_resize(NULL, bytes);
}

void ncs_memory_limit(const char *command, const struct ncs_option_value *v, int processes)
{
    size_t bytes = v->given ? (size_t)v->number : ncs_available_memory("") / 2 / (size_t)(processes > 1 ? processes : 1);
    snprintf(command_name, sizeof command_name, "%s", command);
    json_set_alloc_funcs(json_room, ncs_free);
    ncs_mem_exhausted = on_exhausted;
    ncs_budget_spent = memory_on_spent;
    ncs_budget_limit(bytes < NCS_BUDGET_LEAST ? NCS_BUDGET_LEAST : bytes);
}
