/* NCCL's log, a file for each process. The simulator writes the lines; they are only sorted here. */
#include <string.h>

#include "base/mem.h"
#include "report/dump/dump_private.h"

static struct ncs_dump_process *dump_log_process(struct ncs_dump_log *log, int process)
{
    size_t i = log->processes;
    while (i > 0 && log->of[i - 1].process != process)
        i--;
    if (i > 0)
        return &log->of[i - 1];
    NCS_PUSH(log->of, log->processes, log->room, ((struct ncs_dump_process){ .process = process }));
    return &log->of[log->processes - 1];
}

/* The lines of COLL, which repeat those of CALL, are not in INIT,CALL; the simulator has no further subsystems that
 * write at the level INFO. */
void ncs_dump_log_add(struct ncs_dump_log *log, int process, const char *line)
{
    struct ncs_dump_process *p = dump_log_process(log, process);
    bool call = strstr(line, " NCCL CALL ") != NULL, coll = strstr(line, ": opCount ") && strstr(line, " NCCL INFO ");
    if (!call)
        ncs_str_addf(&p->info, "%s\n", line);
    if (!coll)
        ncs_str_addf(&p->calls, "%s\n", line);
}

void ncs_dump_log_free(struct ncs_dump_log *log)
{
    for (size_t i = 0; i < log->processes; i++) {
        ncs_str_free(&log->of[i].info);
        ncs_str_free(&log->of[i].calls);
    }
    ncs_free(log->of);
    *log = (struct ncs_dump_log){ 0 };
}

static void dump_log_copy(const struct ncs_str *lines, const struct ncs_dump_format *format, int process, struct ncs_dump *out)
{
    struct ncs_str text = { 0 };
    if (lines->bytes)
        ncs_str_add_bytes(&text, lines->text, lines->bytes);
    if (text.bytes)
        ncs_dump_add(out, format, process, &text);
}

void ncs_dump_log_info(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out)
{
    (void)result;
    for (size_t i = 0; i < log->processes; i++)
        dump_log_copy(&log->of[i].info, &ncs_dump_format[DUMP_LOG], log->of[i].process, out);
}

void ncs_dump_log_calls(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out)
{
    (void)result;
    for (size_t i = 0; i < log->processes; i++)
        dump_log_copy(&log->of[i].calls, &ncs_dump_format[DUMP_CALLS], log->of[i].process, out);
}
