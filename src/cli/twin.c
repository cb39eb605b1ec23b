/* pipe2, strsignal */
#define _GNU_SOURCE
#include "cli/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/inbox.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "driver/driver.h"

/* VALUES: results that are compared. PATIENCE: seconds without progress on real hardware, unless an option
 * says otherwise. GRACE: seconds that a run may take beyond its time limit. */
enum { VALUES = 1 << 16, PATIENCE = 10, GRACE = 120 };

/* ---- the run, in a process of its own ---- */

/* Messages to a pipe. */
struct record {
    struct ncs_str text;
    int fd;
};

enum { TWIN_HEAD = 1, TWIN_LINE }; /* the reason; the key and the text of a line, whose kind follows TWIN_LINE */

struct twin_head {
    uint64_t checked, expectations;
    int32_t verdict, loaded;
    char nccl[16];
};

static void twin_add(struct record *r, enum ncs_twin_kind kind, const char *key, const char *text)
{
    ncs_message_add_texts(&r->text, (uint32_t)TWIN_LINE + kind, key, text, NULL);
}

static void send_off(struct record *r)
{
    ncs_write_all(r->fd, r->text.text, r->text.bytes);
    close(r->fd);
}

static void twin_add_finding(struct record *r, const struct ncs_diagnosis *d)
{
    size_t first = 0;
    struct ncs_str who = { 0 };
    while (first < d->findings && d->finding[first].level != NCS_LEVEL_ERROR)
        first++;
    if (first == d->findings)
        return;
    const struct ncs_finding *f = &d->finding[first];
    for (size_t k = 0; k < f->culprits; k++)
        ncs_str_addf(&who, "%s%d", k ? ", " : f->culprits > 1 ? "ranks " : "rank ", f->culprit[k].rank);
    twin_add(r, NCS_TWIN_FINDING, f->rule, who.text ? who.text : "nobody");
    ncs_str_free(&who);
}

static void twin_add_error(struct record *r, const struct ncs_result *result)
{
    const struct ncs_run_error *first = result->errors ? &result->error[0] : NULL;
    char key[256];
    for (size_t i = 1; i < result->errors; i++)
        if (result->error[i].order < first->order)
            first = &result->error[i];
    if (!first)
        return;
    snprintf(key, sizeof key, "line %d", first->place.line);
    twin_add(r, NCS_TWIN_ERROR, key, first->name ? first->name : ncs_error_kind_name(first->kind));
}

/* After an error, findings depend on how far the other ranks had come: they are not compared. */
static void add_failures(struct record *r, const struct ncs_result *result)
{
    char key[256];
    if (result->verdict != NCS_ERROR && result->verdict != NCS_INVALID)
        twin_add_finding(r, &result->diagnosis);
    twin_add_error(r, result);
    for (size_t i = 0; i < result->expects; i++) {
        snprintf(key, sizeof key, "rank %d, line %d", result->expect[i].rank, result->expect[i].place.line);
        twin_add(r, NCS_TWIN_EXPECTATION, key, "failed");
    }
    for (size_t i = 0; i < result->wrongs; i++) {
        const struct ncs_wrong *w = &result->wrong[i];
        snprintf(key, sizeof key, "rank %d, %s, line %d", w->rank, ncs_fn_info[w->call->fn].name, w->call->place.line);
        twin_add(r, NCS_TWIN_WRONG, key, "wrong");
    }
}

static void add_values(struct record *r, const struct ncs_result *result)
{
    for (size_t i = 0; i < result->values; i++) {
        const struct ncs_value *v = &result->value[i];
        char key[256], text[32] = "bound";
        snprintf(key, sizeof key, "rank %d, %s %llu on %d of %d, line %d", v->rank, ncs_fn_info[v->fn].name,
                 (unsigned long long)v->number, v->comm_rank, v->nranks, v->line);
        if (v->exact)
            snprintf(text, sizeof text, "%016llx", (unsigned long long)v->hash);
        twin_add(r, NCS_TWIN_VALUE, key, text);
    }
}

static void twin_add_head(struct record *r, enum ncs_verdict verdict, bool loaded, uint64_t checked, uint64_t expectations,
                          const char *nccl, const char *reason)
{
    struct ncs_str body = { 0 };
    struct twin_head head = { checked, expectations, (int32_t)verdict, loaded, "" };
    snprintf(head.nccl, sizeof head.nccl, "%s", *nccl ? nccl : "-");
    ncs_str_add_bytes(&body, &head, sizeof head);
    for (const char *c = reason ? reason : ""; *c; c++)
        ncs_str_add_bytes(&body, *c == '\n' ? " " : c, 1);
    ncs_message_add(&r->text, TWIN_HEAD, body.text, body.bytes);
    ncs_str_free(&body);
}

static void twin_carry_out(struct record *r, struct ncs_script *script, const struct ncs_scenario *s,
                           const struct ncs_run_options *o)
{
    struct ncs_str reason = { 0 };
    if (!ncs_scenario_can_run(s, o, &reason)) {
        twin_add_head(r, NCS_SKIPPED, true, 0, 0, "", reason.text);
        return;
    }
    struct ncs_program program = ncs_script_program(script, s);
    struct ncs_run *run = ncs_run_new(o, &program, NULL, NULL);
    const struct ncs_result *result = ncs_run_execute(run);
    const char *why = result->skip_reason ? result->skip_reason : result->internal.text;
    twin_add_head(r, result->verdict, true, result->checked, result->expected, result->nccl, why);
    add_failures(r, result);
    add_values(r, result);
}

static void stuck(void)
{
    _exit(ncs_verdict_exit(NCS_TIMEOUT));
}

static struct ncs_run_options options_of(const struct ncs_option_value *v, const struct ncs_scenario *s, uint64_t seed)
{
    struct ncs_run_options o = ncs_run_make_options(v, s);
    o.seed = seed;
    o.seeded = seed != 0;
    o.values = VALUES;
    if (o.timeout == 0)
        o.timeout = (int64_t)PATIENCE * 1000000000;
    return o;
}

/* Never returns: the objects that a run on real hardware leaves end with its process. */
static void be_run(const struct ncs_selection *selection, size_t run, const struct ncs_option_value *v, int fd)
{
    struct record r = { .fd = fd };
    const struct ncs_selection_file *file = &selection->file[selection->run[run].file];
    const struct ncs_case *c = ncs_selection_case(selection, run);
    struct ncs_script_settings settings = ncs_run_settings(v);
    struct ncs_scenario scenario;
    struct ncs_error err = { 0 };
    settings.value = c->value;
    settings.values = c->values;
    if (c->ranks > 0)
        settings.ranks = c->ranks;
    ncs_scenario_init(&scenario, file->path);
    if (!ncs_script_declare(file->script, &settings, &scenario, &err)) {
        ncs_print_error(&err);
        twin_add_head(&r, NCS_INVALID, false, 0, 0, "", NULL);
        send_off(&r);
        _exit(0);
    }
    struct ncs_run_options o = options_of(v, &scenario, selection->run[run].seed);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    ncs_run_stuck = stuck;
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)(o.timeout / 1000000000) + GRACE);
    twin_carry_out(&r, file->script, &scenario, &o);
    send_off(&r);
    _exit(0);
}

int ncs_twin_libraries(const char *nccl_lib, const char *cudart_lib)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct ncs_error err = { 0 };
        struct ncs_driver_choice choice = { "nccl", nccl_lib, cudart_lib };
        if (ncs_driver_load(&choice, &err))
            _exit(0);
        ncs_print_error(&err);
        fflush(NULL);
        _exit(ncs_verdict_exit(err.status == NCS_BAD_INPUT ? NCS_INVALID : NCS_SKIPPED));
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : ncs_verdict_exit(NCS_INTERNAL_FAULT);
}

/* ---- reading its messages ---- */

static int by_kind_and_key(const void *a, const void *b)
{
    const struct ncs_twin_line *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->key, y->key);
    return order ? order : strcmp(x->text, y->text);
}

static void twin_take_head(struct ncs_twin *t, const struct ncs_message *m)
{
    struct twin_head head;
    struct ncs_str reason = { 0 };
    if (m->bytes < sizeof head)
        return;
    memcpy(&head, m->body, sizeof head);
    memcpy(t->nccl, head.nccl, sizeof t->nccl);
    t->nccl[sizeof t->nccl - 1] = '\0';
    t->verdict = (enum ncs_verdict)head.verdict;
    t->loaded = head.loaded != 0;
    t->checked = head.checked;
    t->expectations = head.expectations;
    if (m->bytes > sizeof head)
        ncs_str_add_bytes(&reason, (const char *)m->body + sizeof head, m->bytes - sizeof head);
    t->reason = reason.bytes ? ncs_str_take(&reason) : NULL;
}

/* Reads to the end. False: nothing has come. */
static bool twin_understand(struct ncs_twin *t, int fd)
{
    struct ncs_inbox in = { .bytes = NULL };
    struct ncs_message m;
    const char *why;
    bool any = false;
    while (ncs_inbox_read(&in, fd, &why) != NCS_INBOX_OVER)
        for (; ncs_inbox_next(&in, UINT32_MAX, &m); any = true) {
            if (m.kind == TWIN_HEAD) {
                twin_take_head(t, &m);
                continue;
            }
            struct ncs_twin_line l = { (enum ncs_twin_kind)(m.kind - TWIN_LINE), ncs_copy_text(ncs_message_text(&m, 0)),
                                       ncs_copy_text(ncs_message_text(&m, 1)) };
            NCS_PUSH(t->line, t->lines, t->room, l);
        }
    ncs_inbox_free(&in);
    if (t->lines)
        qsort(t->line, t->lines, sizeof *t->line, by_kind_and_key);
    return any;
}

/* A run without lines has died, or was given up: notes why. */
static void explain_death(struct ncs_twin *t, int status)
{
    struct ncs_str why = { 0 };
    t->loaded = true;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        ncs_str_add(&why, "it did not return");
    else if (WIFSIGNALED(status))
        ncs_str_addf(&why, "its process died: %s", strsignal(WTERMSIG(status)));
    else
        ncs_str_addf(&why, "its process ended with status %d", WEXITSTATUS(status));
    bool late = (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) ||
                (WIFEXITED(status) && WEXITSTATUS(status) == ncs_verdict_exit(NCS_TIMEOUT));
    t->verdict = late ? NCS_TIMEOUT : NCS_LOST;
    t->reason = ncs_str_take(&why);
}

void ncs_twin_run(const struct ncs_selection *selection, size_t run, const struct ncs_option_value *value, struct ncs_twin *out)
{
    int ends[2], status = 0;
    bool understood = false;
    *out = (struct ncs_twin){ .verdict = NCS_INTERNAL_FAULT, .loaded = true };
    if (pipe2(ends, O_CLOEXEC) != 0) {
        out->reason = ncs_copy_text("no pipe could be made");
        return;
    }
    ncs_out_flush();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_run(selection, run, value, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        understood = twin_understand(out, ends[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    }
    close(ends[0]);
    if (child < 0)
        out->reason = ncs_copy_text("no process could be started");
    else if (!understood)
        explain_death(out, status);
}

void ncs_twin_free(struct ncs_twin *t)
{
    for (size_t i = 0; i < t->lines; i++) {
        ncs_free(t->line[i].key);
        ncs_free(t->line[i].text);
    }
    ncs_free(t->line);
    ncs_free(t->reason);
}
