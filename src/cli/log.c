#include "cli/log.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "cli/output.h"

struct ncs_log_file {
    char *path;
    FILE *out; /* NULL: it cannot be written, the lines go where they go without a file */
};

/* Written anew by the first line of this program's, whatever the number of runs. */
static FILE *open_file(struct ncs_log *log, const char *path)
{
    for (size_t i = 0; i < log->files; i++)
        if (strcmp(log->file[i].path, path) == 0)
            return log->file[i].out;
    FILE *out = fopen(path, "we");
    if (!out)
        fprintf(stderr, "ncclscript: NCCL_DEBUG_FILE: %s: %s\n", path, strerror(errno));
    NCS_PUSH(log->file, log->files, log->files_room,
             ((struct ncs_log_file){ ncs_copy_text(path), out }));
    return out;
}

void ncs_log_line(void *arg, const char *file, const char *line)
{
    struct ncs_log *log = arg;
    if (file && log->kept) {
        ncs_str_add_bytes(log->kept, file, strlen(file) + 1);
        ncs_str_add_bytes(log->kept, line, strlen(line) + 1);
        return;
    }
    FILE *out = file ? open_file(log, file) : NULL;
    struct ncs_str text = { 0 };
    ncs_safe_line(&text, line);
    ncs_str_add(&text, "\n");
    if (out)
        fputs(text.text, out);
    else if (log->to_stderr && !log->quiet)
        ncs_err(text.text);
    else if (!log->quiet)
        ncs_out(text.text);
    ncs_str_free(&text);
}

void ncs_log_close(struct ncs_log *log)
{
    for (size_t i = 0; i < log->files; i++) {
        if (log->file[i].out && fclose(log->file[i].out) != 0)
            fprintf(stderr, "ncclscript: NCCL_DEBUG_FILE: %s: %s\n", log->file[i].path,
                    strerror(errno));
        ncs_free(log->file[i].path);
    }
    ncs_free(log->file);
    *log = (struct ncs_log){ 0 };
}
