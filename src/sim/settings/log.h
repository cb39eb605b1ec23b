/* NCCL's log. Lines have NCCL's form, but virtual hosts, processes, threads and times, so that they are
 * the same in every run. Whoever opened the machine receives them; this room prints nothing. */
#ifndef NCS_SIM_LOG_H
#define NCS_SIM_LOG_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct ncs_call;

enum log_level { LOG_NONE, LOG_VERSION, LOG_WARN, LOG_INFO, LOG_ABORT, LOG_TRACE };

/* Bits of NCCL_DEBUG_SUBSYS. The simulator logs for few of them. */
/* clang-format off */
enum log_subsys {
    LOG_INIT = 0x1, LOG_COLL = 0x2, LOG_P2P = 0x4, LOG_SHM = 0x8, LOG_NET = 0x10,
    LOG_GRAPH = 0x20, LOG_TUNING = 0x40, LOG_ENV = 0x80, LOG_ALLOC = 0x100, LOG_CALL = 0x200,
    LOG_PROXY = 0x400, LOG_NVLS = 0x800, LOG_BOOTSTRAP = 0x1000, LOG_REG = 0x2000,
    LOG_PROFILE = 0x4000, LOG_RAS = 0x8000,
    LOG_DESTROY = 0x10000, LOG_ALL = ~0,
};
/* clang-format on */

/* NCCL's WARN: writes a line, and sets the last error of the running context's process. */
void sim_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a rank whose context does not run now, by its device. */
void sim_warn_on(const struct gpu *gpu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_info(enum log_subsys subsys, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_info_on(const struct gpu *gpu, enum log_subsys subsys, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Reports that the real library would crash in the present call: a WARN, and a notice
 * to the observer. */
void sim_crash(const char *why);
/* Gives reports a reason for the present call's failure, if NCCL's log has none. why: a literal. */
void sim_explain(const char *why);
/* The same for a call that waits. `warned`: sim_warn_on has already logged for its rank. */
void sim_explain_call(struct ncs_call *call, bool warned, const char *why);
/* As sim_explain, for a failure about which NCCL logs nothing. Returns ncclInvalidArgument. */
int sim_silent(const char *why);
bool sim_info_wanted(enum log_subsys subsys); /* before costly arguments are made */

/* A line as it is, whatever the level. */
void sim_log_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What is to be logged by the environment of the process whose settings count. */
struct log_state sim_log_read(void);
/* Reads it for all processes without settings of their own. */
void sim_log_begin(void);
/* The line with NCCL's version, once per process. */
void sim_log_version(void);
/* A line of NCCL_DEBUG=TRACE with NCCL_DEBUG_SUBSYS=CALL (NCCL 2.30.7, TRACE_CALL), from which
 * calls can be replayed. NCCL traces new communicators, calls that passed their checks, groups and
 * operators, but not the end of a communicator. */
bool sim_trace_wanted(void);
void sim_trace(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for a rank whose own context does not run now. */
void sim_trace_on(const struct gpu *gpu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* As C's %p writes one. */
struct log_pointer {
    char text[24];
};
struct log_pointer sim_log_pointer(uint64_t number);
#define LOG_POINTER(number) sim_log_pointer(number).text /* until the end of the statement */

#endif
