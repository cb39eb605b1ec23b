/* Lua scenarios: reads what a file declares, and gives the runner a program that runs the file on
 * every rank in a Lua state of its own, with the objects of language.md, part 2. */
#ifndef NCS_SCRIPT_SCRIPT_H
#define NCS_SCRIPT_SCRIPT_H

#include "run/run.h"
#include "scenario/scenario.h"

struct ncs_script;

/* Reads and compiles the file ("-": standard input), runs it up to its first statement
 * scenario{...} without ranks, and fills *scenario (initialised by the caller). NULL and err with
 * file, line and text for a file that is missing, unreadable, no text, or wrong. `settings` are the
 * texts of --set, `ranks` that of -n (0 = not given), `policy` -1 = not given, nccl_version that of
 * --nccl-version (0 = not given): they are known when functions of the declaration (ranks, outcome)
 * are called. */
struct ncs_script_settings {
    const char *const *set; size_t sets;
    int ranks;
    int policy;
    int nccl_version;
    const char *driver;
    bool unsafe;
};
struct ncs_script *ncs_script_load(const char *file, const struct ncs_script_settings *settings,
                                   struct ncs_scenario *scenario, struct ncs_error *err);
void ncs_script_free(struct ncs_script *s); /* NULL is a no-op */

/* The program for ncs_run_new; valid as long as script and scenario. */
struct ncs_program ncs_script_program(struct ncs_script *s, const struct ncs_scenario *scenario);

#endif
