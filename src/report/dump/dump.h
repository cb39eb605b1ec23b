/* Files as detectors and analyzers of hangs read them, written from a run: dumps of PyTorch's Flight
 * Recorder, the output of ncclras, NCCL's log. The run needs a timeline. Equal runs give equal bytes. */
#ifndef NCS_REPORT_DUMP_H
#define NCS_REPORT_DUMP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "run/run.h"

struct ncs_dump_file {
    char *name;
    struct ncs_str text;
};

/* The files of one folder. */
struct ncs_dump {
    struct ncs_dump_file *file;
    size_t files, room;
};

/* The lines of NCCL's log, by process. */
struct ncs_dump_log {
    struct ncs_dump_process {
        int process;
        struct ncs_str info, calls;
    } * of;
    size_t processes, room;
};

struct ncs_dump_format {
    const char *name; /* in --dump */
    const char *about;
    const char *before, *after; /* its files' names, around the rank; after NULL: a single file, named `before` */
    const char *level, *subsys; /* of NCCL's log, to get its lines; NULL = it needs none */
    void (*make)(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);
};

/* The formats (dump_formats.def); the last row has no name. */
extern const struct ncs_dump_format ncs_dump_format[];
extern const char *const ncs_dump_format_names[]; /* in the same order, NULL at the end */

/* True if the name is that of a file of any format; the reader of a folder would take it for a part of the dump. */
bool ncs_dump_is_name(const char *name);
/* Adds a line of NCCL's log. */
void ncs_dump_log_add(struct ncs_dump_log *log, int process, const char *line);
void ncs_dump_log_free(struct ncs_dump_log *log); /* the contents */
/* Adds a file, for a rank if the names of the format have one. Takes over the text. */
void ncs_dump_add(struct ncs_dump *dump, const struct ncs_dump_format *format, int rank, struct ncs_str *text);
void ncs_dump_free(struct ncs_dump *dump); /* the contents */

/* ---- the formats ---- */

void ncs_dump_flight(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);
void ncs_dump_flight_json(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);
void ncs_dump_ras(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);
void ncs_dump_log_info(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);
void ncs_dump_log_calls(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out);

#endif
