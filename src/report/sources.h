/* The files that a run's calls and errors come from, as they are on the disk now. Room report only. */
#ifndef NCS_REPORT_SOURCES_H
#define NCS_REPORT_SOURCES_H

#include "base/source.h"
#include "report/report.h"

struct ncs_source_file {
    const char *name;         /* as the calls have it; borrowed from the run */
    char *text;               /* NULL = it cannot be read */
    char *unread;             /* why not; NULL = it can be read, or nobody expects it here */
    bool mentioned;           /* the report for people has said why not */
    struct ncs_source source; /* of a text */
};

struct ncs_sources {
    struct ncs_source_file *file; /* the scenario's own first, each once */
    size_t files, room;
    bool strange; /* a recording names them */
};

/* A run that was recorded elsewhere names files of another machine: it has none here, nor has a
 * scenario from standard input. The files of a program are read one by one, by ncs_sources_read. */
struct ncs_sources *ncs_sources_open(const struct ncs_report_run *run);
void ncs_sources_free(struct ncs_sources *s); /* NULL is a no-op */
/* The file, read if it was not; valid until the next one is read. The path must outlive the sources. */
struct ncs_source_file *ncs_sources_read(struct ncs_sources *s, const char *path);
/* The index of the file; adds a file that is not there yet, without reading it. */
size_t ncs_sources_find(struct ncs_sources *s, const char *name);

#endif
