/* The destination of NCCL's log lines: standard output, as with NCCL, or standard error if a report for
 * machines is written to standard output; or the file of NCCL_DEBUG_FILE. */
#ifndef NCS_CLI_LOG_H
#define NCS_CLI_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"

struct ncs_log_file;

struct ncs_log {
    bool quiet; /* only into files */
    bool to_stderr;
    struct ncs_str *kept; /* lines for files, for another process to write: "path\0line\0" ...; or NULL */
    struct ncs_log_file *file;
    size_t files, files_room;
};

/* For ncs_run_options.on_log; arg is a struct ncs_log. */
void ncs_log_line(void *arg, const char *file, const char *line);
void ncs_log_close(struct ncs_log *log);

#endif
