/* Functions for the running program: it reads its run's options and reports to the run. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "run/private.h"
#include "run/session.h"

#define OUTPUT_BYTES ((size_t)64 << 20)

const struct ncs_run_options *ncs_run_options(const struct ncs_run *run)
{
    return &run->options;
}

const struct ncs_api *ncs_run_api(const struct ncs_run *run)
{
    return run->api;
}

const struct ncs_api *ncs_run_driver_api(const struct ncs_run *run)
{
    return run->driver->api;
}

const struct ncs_machine *ncs_run_machine(const struct ncs_run *run)
{
    return run->machine;
}

struct ncs_journal *ncs_run_journal(const struct ncs_run *run)
{
    return run->journal;
}

uint64_t ncs_run_wrong_elements(const struct ncs_run *run)
{
    size_t kept;
    uint64_t results, elements = 0;
    const struct ncs_wrong *wrong = ncs_verify_wrong(run->verify, &kept, &results);
    for (size_t i = 0; i < kept; i++)
        elements += wrong[i].differ;
    return elements;
}

struct ncs_local *ncs_run_local(struct ncs_run *run, int rank)
{
    return &run->rank[rank].local;
}

void ncs_run_error_free(struct ncs_run_error *error)
{
    ncs_free(error->name);
    ncs_free(error->call);
    ncs_free(error->comm);
    ncs_free(error->label);
    ncs_free(error->message);
    ncs_free(error->detail);
    *error = (struct ncs_run_error){ 0 };
}

void ncs_run_error(struct ncs_run *run, struct ncs_run_error *error)
{
    struct ncs_result *r = &run->result;
    if (run->closed) {
        ncs_run_error_free(error);
        return;
    }
    struct ncs_run_error kept = *error;
    *error = (struct ncs_run_error){ 0 };
    kept.order = run->journal->calls;
    kept.serial = ++run->errors_so_far;
    NCS_PUSH(r->error, r->errors, run->errors_room, kept);
    run->machine->end(NCS_END_ERROR, kept.message, kept.place);
}

void ncs_run_error_taken(struct ncs_run *run, int rank, int thread)
{
    struct ncs_result *r = &run->result;
    for (size_t i = 0; i < r->errors && !run->closed; i++)
        if (r->error[i].rank == rank && r->error[i].thread == thread) {
            ncs_run_error_free(&r->error[i]);
            memmove(&r->error[i], &r->error[i + 1], (--r->errors - i) * sizeof *r->error);
            return;
        }
}

void ncs_run_expect(struct ncs_run *run, bool held, const char *message, const char *label, uint64_t first)
{
    struct ncs_result *r = &run->result;
    if (run->closed)
        return;
    r->expected++;
    ncs_run_compared(run, held);
    const struct ncs_local *local = ncs_local;
    if (held || r->expect_failed++ >= NCS_EXPECTS_KEPT)
        return;
    struct ncs_run_expect failed = {
        .rank = local->rank,
        .message = ncs_safe_copy(message),
        .label = ncs_copy_text(label),
        .first = first,
        .order = run->journal->calls,
    };
    if (local->where)
        failed.place = local->where(local->where_arg);
    NCS_PUSH(r->expect, r->expects, run->expects_room, failed);
}

/* After the first line that does not fit, no more lines are kept: the output is a
 * prefix of the whole. */
static void print_line(struct ncs_run *run, int rank, const char *text, size_t bytes)
{
    struct ncs_result *r = &run->result;
    size_t limit = run->options.output_limit ? run->options.output_limit : OUTPUT_BYTES;
    char prefix[16];
    size_t front = (size_t)snprintf(prefix, sizeof prefix, "[%d] ", rank);
    size_t whole = front + bytes + 1;
    if (r->output_lost > 0 || whole > limit - r->output.bytes) {
        r->output_lost += whole;
        return;
    }
    size_t start = r->output.bytes;
    ncs_str_add_bytes(&r->output, prefix, front);
    ncs_str_add_bytes(&r->output, text, bytes);
    if (run->on_output)
        run->on_output(run->output_arg, r->output.text + start);
    ncs_str_add(&r->output, "\n");
}

void ncs_run_print(struct ncs_run *run, int rank, const char *text)
{
    if (run->closed)
        return;
    for (;;) {
        size_t bytes = strcspn(text, "\n");
        print_line(run, rank, text, bytes);
        text += bytes;
        if (*text == '\0' || text[1] == '\0')
            return;
        text++;
    }
}

#define COMPUTING UINT64_C(2000000000)

#define PROCESSOR_TIME 10 /* s */

/* Notes that a call was made since. A few instructions may take long in Lua's library, so the processor's time counts, too: not
 * that on the wall, as the machine may be busy. */
static void begin_to_compute(struct ncs_run *run)
{
    run->computed_at = run->journal->calls;
    run->computed = 0;
    run->computed_by = pthread_self();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &run->computed_from);
}

static bool took_processor_time(const struct ncs_run *run)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return pthread_equal(run->computed_by, pthread_self()) && now.tv_sec - run->computed_from.tv_sec > PROCESSOR_TIME;
}

/* On the simulator the computing thread runs alone, so calls of other ranks in between show that it
 * waited. With a time limit, and on real hardware, the clock decides instead. */
void ncs_run_computes(struct ncs_run *run, uint64_t instructions, int rank, struct ncs_place (*where)(void *arg), void *arg)
{
    uint64_t most = run->options.computing ? run->options.computing : COMPUTING;
    if (run->real || run->options.timeout > 0 || run->closed || run->result.endless)
        return;
    if (run->computed_at != run->journal->calls || !run->computed)
        begin_to_compute(run);
    run->computed += instructions;
    bool slow = run->computed < most && took_processor_time(run);
    if (run->computed < most && !slow)
        return;
    struct ncs_place place = where(arg);
    struct ncs_str reason = { 0 };
    ncs_str_addf(&reason, "rank %d computes without end", rank);
    if (place.line > 0)
        ncs_str_addf(&reason, " at line %d", place.line);
    if (slow)
        ncs_str_addf(&reason, ": %d s of processor time without a call of NCCL or CUDA", PROCESSOR_TIME);
    else
        ncs_str_addf(&reason, ": %" PRIu64 " instructions without a call of NCCL or CUDA", most);
    run->result.endless = true;
    ncs_free(run->result.skip_reason);
    run->result.skip_reason = ncs_str_take(&reason);
    if (run->lives) {
        ncs_run_break(run);
        return;
    }
    run->machine->interrupt();
    run->machine->check();
}

void ncs_run_skip(struct ncs_run *run, const char *reason)
{
    if (run->closed)
        return;
    if (!run->skipped) {
        run->skipped = true;
        run->skip_order = run->journal->calls;
        run->result.skip_reason = ncs_copy_text(reason);
    }
    run->machine->interrupt();
    run->machine->check();
}
