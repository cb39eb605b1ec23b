/* Which process has which rank, for reports on jobs of many processes. */
#include "base/mem.h"
#include "report/text.h"

#define PROCESSES_SHOWN 8

struct process_row {
    int rank; /* as the report numbers ranks; -1 = none */
    int pid;
    bool shown;
};

/* A process that drives several ranks has a row for each. Returns the number of rows; the caller frees them. */
static size_t process_list(const struct ncs_report_run *run, struct process_row **rows)
{
    const struct ncs_diagnosis *d = &run->result->diagnosis;
    struct process_row *row = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < d->parties; i++)
        for (size_t k = 0; k < run->processes; k++)
            if (run->process[k].rank >= 0 && run->process[k].rank == d->party[i].rank)
                NCS_PUSH(row, count, room, ((struct process_row){ (int)i, run->process[k].pid, false }));
    for (size_t k = 0; k < run->processes; k++)
        if (d->parties == 0 || run->process[k].rank < 0)
            NCS_PUSH(row, count, room, ((struct process_row){ run->process[k].rank, run->process[k].pid, false }));
    *rows = row;
    return count;
}

static bool process_is_culprit(const struct ncs_finding *cause, int rank)
{
    for (size_t i = 0; cause && i < cause->culprits; i++)
        if (cause->culprit[i].rank == rank)
            return true;
    return false;
}

/* Of many rows, those of the culprits come before others. */
static void process_choose(struct process_row *row, size_t count, const struct ncs_finding *cause)
{
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < PROCESSES_SHOWN; i++)
        shown += row[i].shown = process_is_culprit(cause, row[i].rank);
    for (size_t i = 0; i < count && shown < PROCESSES_SHOWN; i++)
        if (!row[i].shown)
            shown += row[i].shown = true;
}

void ncs_text_processes(const struct ncs_text *t)
{
    struct process_row *row;
    size_t count = process_list(t->run, &row), shown = 0;
    process_choose(row, count, ncs_first_error(&t->result->diagnosis));
    for (size_t i = 0; i < count; i++) {
        if (!row[i].shown)
            continue;
        ncs_str_add(t->out, shown++ ? ", " : "  processes  ");
        if (row[i].rank >= 0)
            ncs_str_addf(t->out, "rank %d: %d", row[i].rank, row[i].pid);
        else
            ncs_str_addf(t->out, "no rank: %d", row[i].pid);
    }
    if (count > shown)
        ncs_str_addf(t->out, " and %zu more", count - shown);
    if (count)
        ncs_str_add(t->out, "\n");
    ncs_free(row);
}
