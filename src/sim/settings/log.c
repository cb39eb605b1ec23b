#include "sim/settings/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/journal.h"
#include "api/version.h"
#include "base/str.h"
#include "sim/kernel/context.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/own.h"

#define SECOND ((int64_t)1000000000)

struct word {
    const char *name;
    unsigned value;
};

static const struct word levels[] = {
    { "VERSION", LOG_VERSION }, { "WARN", LOG_WARN },   { "INFO", LOG_INFO },
    { "ABORT", LOG_ABORT },     { "TRACE", LOG_TRACE }, { NULL, LOG_NONE },
};

/* clang-format off */
static const struct word subsystems[] = {
    { "INIT", LOG_INIT },   { "COLL", LOG_COLL },       { "P2P", LOG_P2P },
    { "SHM", LOG_SHM },     { "NET", LOG_NET },         { "GRAPH", LOG_GRAPH },
    { "TUNING", LOG_TUNING }, { "ENV", LOG_ENV },       { "ALLOC", LOG_ALLOC },
    { "CALL", LOG_CALL },   { "PROXY", LOG_PROXY },     { "NVLS", LOG_NVLS },
    { "BOOTSTRAP", LOG_BOOTSTRAP }, { "REG", LOG_REG }, { "PROFILE", LOG_PROFILE },
    { "RAS", LOG_RAS },     { "DESTROY", LOG_DESTROY }, { "ALL", (unsigned)LOG_ALL }, { NULL, 0 },
};
/* clang-format on */

static unsigned log_word_value(const struct word *word, const char *text, size_t bytes)
{
    for (; word->name; word++)
        if (strlen(word->name) == bytes && strncasecmp(word->name, text, bytes) == 0)
            break;
    return word->value;
}

/* "INIT,COLL" selects these subsystems, "^P2P" all others. Unknown words are ignored. */
static unsigned read_mask(const char *text)
{
    if (!text)
        return LOG_INIT | LOG_BOOTSTRAP | LOG_ENV;
    bool inverted = *text == '^';
    unsigned mask = 0;
    for (text += inverted; *text; text += strspn(text, ",")) {
        size_t bytes = strcspn(text, ",");
        mask |= log_word_value(subsystems, text, bytes);
        text += bytes;
    }
    return inverted ? ~mask : mask;
}

struct log_state sim_log_read(void)
{
    const char *level = sim_world.options.log ? sim_env_text(ENV_DEBUG) : NULL;
    return (struct log_state){
        .level = level ? (int)log_word_value(levels, level, strlen(level)) : LOG_NONE,
        .mask = read_mask(sim_env_text(ENV_DEBUG_SUBSYS)),
    };
}

void sim_log_begin(void)
{
    sim_world.log = sim_log_read();
}

static const struct log_state *log_state_of(const struct process *p)
{
    return p && p->settings ? &p->settings->log : &sim_world.log;
}

/* NCCL_DEBUG_FILE with %h and %p filled in; false = not set. */
static bool file_of(const struct process *p, struct ncs_str *file)
{
    const struct process *before = sim_own_act(p);
    const char *text = sim_env_text(ENV_DEBUG_FILE);
    sim_own_act(before);
    for (const char *at = text; at && *at; at++)
        if (at[0] == '%' && at[1] == 'h') {
            ncs_str_addf(file, "host%d", p->host);
            at++;
        } else if (at[0] == '%' && at[1] == 'p') {
            ncs_str_addf(file, "%d", p->number);
            at++;
        } else if (at[0] == '%' && at[1] == '%') {
            ncs_str_add(file, "%");
            at++;
        } else {
            ncs_str_add_bytes(file, at, 1);
        }
    return text != NULL;
}

static void hand_over(const struct process *p, struct ncs_str *line)
{
    struct ncs_str file = { 0 };
    bool given = file_of(p, &file);
    sim_world.options.log(sim_world.options.log_arg, given ? file.text : NULL, line->text);
    ncs_str_free(&file);
    ncs_str_free(line);
}

/* thread 0 is the process's main thread; lines without a thread use it. */
static void log_write_line(const struct process *p, int thread, int device, enum log_level level, const char *text)
{
    struct ncs_str line = { 0 };
    if (level == LOG_WARN) /* the only level that NCCL dates by default */
        ncs_str_addf(&line, "[%" PRId64 ".%06" PRId64 "] ", sim_world.now / SECOND, sim_world.now % SECOND / 1000);
    ncs_str_addf(&line, "host%d:%d:%d ", p->host, p->number, thread);
    if (level == LOG_TRACE)
        ncs_str_addf(&line, "NCCL CALL %s", text);
    else
        ncs_str_addf(&line, "[%d] NCCL %s %s", device, level == LOG_WARN ? "WARN" : "INFO", text);
    hand_over(p, &line);
}

static int log_thread(const struct context *c)
{
    return c->options.local ? c->options.local->thread : 0;
}

static void log_warn(struct process *p, int thread, int device, const char *fmt, va_list args)
{
    vsnprintf(p->last_error, sizeof p->last_error, fmt, args);
    if (log_state_of(p)->level >= LOG_WARN)
        log_write_line(p, thread, device, LOG_WARN, p->last_error);
}

void sim_warn(const char *fmt, ...)
{
    struct context *c = sim_context_self();
    if (!c || !c->process)
        return;
    va_list args;
    va_start(args, fmt);
    log_warn(c->process, log_thread(c), c->device, fmt, args);
    va_end(args);
    if (ncs_local && ncs_local->call)
        ncs_call_add_rare(ncs_local->call)->warned = true;
}

void sim_warn_on(const struct gpu *gpu, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    log_warn(gpu->process, 0, gpu->device, fmt, args);
    va_end(args);
}

void sim_explain_call(struct ncs_call *call, bool warned, const char *why)
{
    if (!call)
        return;
    struct ncs_call_rare *rare = ncs_call_add_rare(call);
    rare->warned |= warned;
    rare->why = why;
}

void sim_explain(const char *why)
{
    sim_explain_call(ncs_local ? ncs_local->call : NULL, false, why);
}

int sim_silent(const char *why)
{
    sim_explain(why);
    return ncclInvalidArgument;
}

void sim_crash(const char *why)
{
    const struct ncs_observer *o = &sim_world.observer;
    sim_warn("the real library crashes here: %s", why);
    if (o->crash && ncs_local && ncs_local->call)
        o->crash(o->self, ncs_local->call, why);
}

static bool log_wants_info(const struct process *p, enum log_subsys subsys)
{
    const struct log_state *log = log_state_of(p);
    return log->level >= LOG_INFO && (log->mask & (unsigned)subsys);
}

bool sim_info_wanted(enum log_subsys subsys)
{
    return log_wants_info(sim_own_process(), subsys);
}

static void info(const struct process *p, int thread, int device, const char *fmt, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, fmt, args);
    log_write_line(p, thread, device, LOG_INFO, text);
}

void sim_info(enum log_subsys subsys, const char *fmt, ...)
{
    struct context *c = sim_context_self();
    if (!c || !c->process || !log_wants_info(c->process, subsys))
        return;
    va_list args;
    va_start(args, fmt);
    info(c->process, log_thread(c), c->device, fmt, args);
    va_end(args);
}

void sim_info_on(const struct gpu *gpu, enum log_subsys subsys, const char *fmt, ...)
{
    if (!log_wants_info(gpu->process, subsys))
        return;
    va_list args;
    va_start(args, fmt);
    info(gpu->process, 0, gpu->device, fmt, args);
    va_end(args);
}

/* ---- calls ---- */

static bool log_wants_trace(const struct process *p)
{
    const struct log_state *log = log_state_of(p);
    return log->level >= LOG_TRACE && (log->mask & LOG_CALL);
}

bool sim_trace_wanted(void)
{
    return log_wants_trace(sim_own_process());
}

static void trace(const struct process *p, int thread, const char *fmt, va_list args)
{
    char text[256];
    vsnprintf(text, sizeof text, fmt, args);
    log_write_line(p, thread, 0, LOG_TRACE, text);
}

void sim_trace(const char *fmt, ...)
{
    struct context *c = sim_context_self();
    if (!c || !c->process || !log_wants_trace(c->process))
        return;
    va_list args;
    va_start(args, fmt);
    trace(c->process, log_thread(c), fmt, args);
    va_end(args);
}

void sim_trace_on(const struct gpu *gpu, const char *fmt, ...)
{
    if (!log_wants_trace(gpu->process))
        return;
    va_list args;
    va_start(args, fmt);
    trace(gpu->process, 0, fmt, args);
    va_end(args);
}

/* ---- lines that are no NCCL call's ---- */

void sim_log_print(const char *fmt, ...)
{
    struct ncs_str line = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&line, fmt, args);
    va_end(args);
    if (sim_world.options.log)
        sim_world.options.log(sim_world.options.log_arg, NULL, line.text);
    ncs_str_free(&line);
}

void sim_log_version(void)
{
    struct context *c = sim_context_self();
    const struct log_state *log = log_state_of(sim_own_process());
    if (!c || !c->process || c->process->version_said || log->level < LOG_VERSION)
        return;
    c->process->version_said = true;
    char version[16], text[64];
    snprintf(text, sizeof text, "NCCL version %s+cuda%d.%d", ncs_nccl_version_text(sim_version_now(), version, sizeof version),
             CUDA_VERSION_REPORTED / 1000, CUDA_VERSION_REPORTED % 1000 / 10);
    if (log->level >= LOG_INFO) {
        log_write_line(c->process, log_thread(c), c->device, LOG_INFO, text);
    } else {
        struct ncs_str line = { 0 };
        ncs_str_add(&line, text);
        hand_over(c->process, &line);
    }
}

struct log_pointer sim_log_pointer(uint64_t number)
{
    struct log_pointer p = { "(nil)" };
    if (number)
        snprintf(p.text, sizeof p.text, "0x%" PRIx64, number);
    return p;
}
