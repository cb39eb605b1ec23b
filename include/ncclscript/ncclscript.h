/* libncclscript: opens scenarios, runs them, and reports what happened.
 *
 *     ncclscript_scenario *s;
 *     ncclscript_report *r;
 *     if (ncclscript_open("hang.lua", NULL, &s) == NCCLSCRIPT_OK && ncclscript_run(s, 0, &r) == NCCLSCRIPT_OK) {
 *         puts(ncclscript_report_json(r));
 *         ncclscript_report_free(r);
 *     } else {
 *         fprintf(stderr, "%s\n", ncclscript_error(s));
 *     }
 *     ncclscript_close(s);
 *
 * Threads: every function may be called from any thread, but one scenario or report from one thread at a time. A
 * process simulates one machine: runs of several threads take turns.
 *
 * Process: a run sets the environment variables that its scenario declares, and sets them back when it ends. It
 * installs no signal handler, prints nothing, and does not end the process, with one exception: if the host has no
 * memory left, the process ends with status 7.
 *
 * Stability: until version 1.0 any of this may change with a minor version; afterwards functions, codes and the
 * JSON schema (by its number) only grow. New options are appended to the struct, whose `size` says which ones the
 * caller knows. */
#ifndef NCCLSCRIPT_H
#define NCCLSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NCCLSCRIPT_API __attribute__((visibility("default")))
#else
#define NCCLSCRIPT_API
#endif

typedef enum {
    NCCLSCRIPT_OK = 0,
    NCCLSCRIPT_INVALID = 2,   /* bad options, or a file that does not load */
    NCCLSCRIPT_MEMORY = 7,    /* the memory budget was used up before the run */
    NCCLSCRIPT_INTERNAL = 70, /* a fault of ncclscript itself */
} ncclscript_code;

typedef struct ncclscript_scenario ncclscript_scenario;
typedef struct ncclscript_report ncclscript_report;

/* What `ncclscript run` has options for. Initialize with NCCLSCRIPT_OPTIONS; all texts are borrowed until
 * ncclscript_close. */
typedef struct {
    size_t size;              /* sizeof(ncclscript_options) */
    int ranks;                /* 0: as declared */
    const char *policy;       /* "strict" or "typical"; NULL: as declared */
    int64_t seed;             /* from 1: draws the schedule; 0: first in, first out; -1: as the case says, or 0 */
    const char *const *set;   /* "NAME=VALUE", NULL at the end; NULL: none */
    const char *driver;       /* "sim" or "nccl"; NULL: "sim" */
    const char *nccl_version; /* which NCCL the simulator is; NULL: as declared */
    double timeout;           /* seconds; 0: as declared */
    int no_verify;            /* not 0: results are not verified */
    int unsafe;               /* not 0: scripts may run programs, use files, set any NCCL_* and CUDA_* */
    uint64_t memory;          /* bytes that the runs of this process may use; 0: half of what is available */
    /* Receives each line that ranks print and each line of NCCL's log, without its end, during ncclscript_run on its
     * thread. NULL: the lines are dropped. */
    void (*on_output)(void *arg, const char *line);
    void *output_arg;
} ncclscript_options;

#define NCCLSCRIPT_OPTIONS                                                                \
    {                                                                                     \
        sizeof(ncclscript_options), 0, NULL, -1, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL \
    }

/* "1.0.0". Static. */
NCCLSCRIPT_API const char *ncclscript_version(void);

/* Reads a scenario in Lua or YAML. `options` may be NULL. *scenario is set whatever the code is (NULL only without
 * memory), so that ncclscript_error can be asked; the caller closes it. */
NCCLSCRIPT_API ncclscript_code ncclscript_open(const char *file, const ncclscript_options *options,
                                               ncclscript_scenario **scenario);
/* Frees it; its reports stay. NULL is a no-op. */
NCCLSCRIPT_API void ncclscript_close(ncclscript_scenario *scenario);
/* What the last failed call said: "FILE:LINE:COLUMN: error: ...", perhaps several lines; "" = nothing. Valid until
 * the next call on the scenario. */
NCCLSCRIPT_API const char *ncclscript_error(const ncclscript_scenario *scenario);

/* A scenario with a matrix stands for several cases, others for one. */
NCCLSCRIPT_API size_t ncclscript_cases(const ncclscript_scenario *scenario);
/* "ranks=4,dtype=float32"; "" if there is only one. Valid until ncclscript_close; NULL = no such case. */
NCCLSCRIPT_API const char *ncclscript_case_name(const ncclscript_scenario *scenario, size_t number);

/* Runs a case to its end. Any verdict is NCCLSCRIPT_OK, with a report that the caller frees; otherwise *report is
 * NULL. */
NCCLSCRIPT_API ncclscript_code ncclscript_run(ncclscript_scenario *scenario, size_t number, ncclscript_report **report);
/* Ends the run in progress, which then has the verdict "interrupted"; without one, nothing. Async-signal-safe. */
NCCLSCRIPT_API void ncclscript_interrupt(void);

NCCLSCRIPT_API void ncclscript_report_free(ncclscript_report *report); /* NULL is a no-op */
/* "pass", "hang", "wrong", "error" ...: `ncclscript explain verdict`. Static. */
NCCLSCRIPT_API const char *ncclscript_report_verdict(const ncclscript_report *report);
/* 1 if the run ended as the scenario declares, or was skipped; else 0. */
NCCLSCRIPT_API int ncclscript_report_as_expected(const ncclscript_report *report);
/* The status with which `ncclscript run` would end: 0 as expected, 3 hang ... */
NCCLSCRIPT_API int ncclscript_report_exit_status(const ncclscript_report *report);
/* One JSON object, schema ncclscript.report/1; the report for people. Both in UTF-8, valid until the report is freed. */
NCCLSCRIPT_API const char *ncclscript_report_json(const ncclscript_report *report);
NCCLSCRIPT_API const char *ncclscript_report_text(const ncclscript_report *report);

#ifdef __cplusplus
}
#endif

#endif
