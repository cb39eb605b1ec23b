#define _GNU_SOURCE /* memfd_create */
#include "cli/exec_series.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/gen/api.h"
#include "base/interpreter.h"
#include "cli/exec_table.h"
#include "cli/output.h"
#include "run/fault_text.h"

#define TIME_LIMIT "10s"
#define SHOWN_BYTES ((size_t)1 << 20) /* of what a program printed */
#define VARIABLES 8

/* ---- one start ---- */

/* Prints what the program wrote to the file. */
static void show_output(int file, const char *title)
{
    struct ncs_str text = { 0 };
    char part[4096];
    fprintf(stderr, "ncclscript exec: %s\n", title);
    lseek(file, 0, SEEK_SET);
    for (ssize_t bytes; text.bytes < SHOWN_BYTES && (bytes = read(file, part, sizeof part)) > 0;)
        ncs_str_add_bytes(&text, part, (size_t)bytes);
    if (text.bytes) {
        fwrite(text.text, 1, text.bytes, stderr);
        if (text.text[text.bytes - 1] != '\n')
            fputc('\n', stderr);
    }
    ncs_str_free(&text);
}

/* Starts the program once more and adds its end to the table. Returns false if the series has to stop. */
static bool run_one(const struct ncs_exec_series *series, const struct ncs_exec_variable *more, struct ncs_exec_table *table,
                    struct ncs_exec_row row)
{
    struct ncs_exec_variable all[VARIABLES] = { { "NCCLSCRIPT_QUIET", "1" }, { "NCCLSCRIPT_FORMAT", "text" } };
    struct ncs_exec_start start = series->start;
    size_t count = 2;
    if (!series->timed)
        all[count++] = (struct ncs_exec_variable){ "NCCLSCRIPT_TIMEOUT", TIME_LIMIT };
    for (; more->name && count + 1 < VARIABLES; more++)
        all[count++] = *more;
    start.more = all;
    start.output = memfd_create("output", MFD_CLOEXEC);
    ncs_exec_run(&start, true, &row.end);
    bool is_new = ncs_exec_table_add(table, &row);
    if (start.output >= 0 && row.end.started && (series->verbose || (is_new && table->shows_new)))
        show_output(start.output, row.fault ? row.fault : row.title);
    if (start.output >= 0)
        close(start.output);
    return row.end.started && row.end.status != 130 && !row.end.stopped;
}

/* ---- many seeds ---- */

int ncs_exec_repeat(const struct ncs_exec_series *series, int64_t times, int64_t seed)
{
    struct ncs_exec_table table = { .program = ncs_interpreter_script(series->start.argv), .shows_new = true };
    char number[32], title[64];
    bool goes_on = true;
    for (int64_t i = 0; i < times && goes_on; i++) {
        snprintf(number, sizeof number, "%" PRId64, seed + i);
        snprintf(title, sizeof title, "the run with --seed %s printed:", number);
        const struct ncs_exec_variable more[] = { { "NCCLSCRIPT_SEED", number }, { NULL, NULL } };
        goes_on = run_one(series, more, &table, (struct ncs_exec_row){ .seed = seed + i, .title = title });
    }
    series->json ? ncs_exec_table_json(&table) : ncs_exec_table_groups(&table);
    int status = ncs_exec_table_status(&table, true);
    ncs_exec_table_free(&table);
    return status;
}

/* ---- a fault at each place ---- */

static bool has_code(const char *fault)
{
    return strstr(fault, " code=") != NULL;
}

static bool is_failure(const char *fault)
{
    return strncmp(fault, "fail", 4) == 0 && (fault[4] == '\0' || fault[4] == ' ');
}

bool ncs_exec_sweep_check(const char *fault, struct ncs_error *err)
{
    struct ncs_fault_list list = { 0 };
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s%s", fault, is_failure(fault) && !has_code(fault) ? " code=ncclSystemError" : "");
    bool fits = ncs_fault_list_read(&list, text.text, err);
    if (fits && list.count != 1)
        fits = ncs_fail(err, NCS_BAD_INPUT, "expected one fault, such as kill");
    if (fits && list.fault[0].timed)
        fits = ncs_fail(err, NCS_BAD_INPUT, "expected a fault without call, func, at and nth: the sweep chooses the calls");
    ncs_fault_list_free(&list);
    ncs_str_free(&text);
    return fits;
}

/* The rank of the fault; without one it is 1, or 0 where no rank 1 makes a call. */
static int swept_rank(const char *fault)
{
    const char *given = strstr(fault, " rank=");
    return given ? atoi(given + strlen(" rank=")) : -1;
}

/* Runs the program without a fault, to learn its places. */
static void run_first(const struct ncs_exec_series *series, int rank, struct ncs_exec_table *table)
{
    char number[32];
    snprintf(number, sizeof number, "%d", rank);
    const struct ncs_exec_variable more[] = { { "NCCLSCRIPT_SITES", number }, { NULL, NULL } };
    run_one(series, more, table, (struct ncs_exec_row){ .title = "the run without a fault printed:" });
}

/* A code of the function's library: the given one, or the default. NULL = the call cannot fail so. */
static const char *code_for(const char *function, const char *fault)
{
    bool cuda = false, found = false;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (strcmp(ncs_fn_info[fn].name, function) == 0) {
            found = ncs_fault_can_fail(fn);
            cuda = ncs_fn_info[fn].result == NCS_RESULT_CUDA;
        }
    if (!found || (has_code(fault) && cuda != (strstr(fault, " code=cuda") != NULL)))
        return NULL;
    return has_code(fault) ? "" : cuda ? " code=cudaErrorUnknown" : " code=ncclSystemError";
}

static bool sweep_site(const struct ncs_exec_series *series, const struct ncs_exec_site *site, const char *fault, int rank,
                       struct ncs_exec_table *table)
{
    const char *code = is_failure(fault) ? code_for(site->function, fault) : "";
    bool chosen = swept_rank(fault) >= 0, goes_on = true;
    struct ncs_str text = { 0 };
    if (code && (site->of_rank || !chosen)) {
        ncs_str_addf(&text, "%s", fault);
        if (site->of_rank && !chosen)
            ncs_str_addf(&text, " rank=%d", rank);
        ncs_str_addf(&text, " func=%s at=%s%s", site->function, site->place, code);
        const struct ncs_exec_variable more[] = { { "NCCLSCRIPT_FAULTS", text.text }, { NULL, NULL } };
        goes_on = run_one(series, more, table, (struct ncs_exec_row){ .site = site, .fault = text.text });
    }
    ncs_str_free(&text);
    return goes_on;
}

int ncs_exec_sweep(const struct ncs_exec_series *series, const char *fault)
{
    struct ncs_exec_table first = { .program = ncs_interpreter_script(series->start.argv), .shows_new = true };
    struct ncs_exec_table table = { .program = ncs_interpreter_script(series->start.argv), .fault = fault };
    int rank = swept_rank(fault);
    bool chosen = rank >= 0;
    rank = chosen ? rank : 1;
    run_first(series, rank, &first);
    if (!chosen && first.rows == 1 && first.row[0].end.started && first.row[0].end.sites == 0) {
        ncs_exec_table_free(&first);
        run_first(series, rank = 0, &first);
    }
    const struct ncs_exec_end *end = &first.row[0].end;
    int status = end->status;
    if (status != 0) {
        fprintf(stderr, "ncclscript exec: the run without a fault has the status %d: nothing was swept\n", status);
    } else if (end->sites == 0) {
        fprintf(stderr, "ncclscript exec: rank %d makes no call at a known place: nothing was swept\n", rank);
        status = 5;
    } else {
        table.rank = rank;
        for (size_t i = 0; i < end->sites && sweep_site(series, &end->site[i], fault, rank, &table); i++)
            continue;
        series->json ? ncs_exec_table_json(&table) : ncs_exec_table_sites(&table);
        status = ncs_exec_table_status(&table, false);
    }
    ncs_exec_table_free(&table);
    ncs_exec_table_free(&first);
    return status;
}
