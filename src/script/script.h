/* Scenarios in Lua and YAML: reads what a file declares, and gives the runner a program that runs the
 * file on every rank in a Lua state of its own, with the objects that lua/library declares. YAML is
 * translated to Lua; its places are those of the YAML text all the same. */
#ifndef NCS_SCRIPT_SCRIPT_H
#define NCS_SCRIPT_SCRIPT_H

#include "base/complaint.h"
#include "run/run.h"
#include "scenario/matrix.h"
#include "scenario/scenario.h"

struct ncs_script;

/* A scenario's text, and what is wrong with it. Zeroed before its first use. */
struct ncs_reading {
    struct ncs_str text;
    struct ncs_source source;
    struct ncs_complaints complaints; /* about YAML: all of them, with warnings */
    bool yaml;
    bool unsafe;                      /* scripts may use files: its env may name them */
    bool is_module;                   /* for `require`, which stays in its folder */
};

/* Reads the file ("-": standard input). It is YAML by its name, or, where that says nothing, by its
 * contents. `file` is borrowed. */
bool ncs_reading_open(struct ncs_reading *r, const char *file, struct ncs_error *err);
void ncs_reading_close(struct ncs_reading *r);

/* Does the top level of a text look like that of a YAML scenario: does a line begin with the key
 * `steps` or `scenario`? */
bool ncs_reading_looks_yaml(const char *text, size_t bytes);

/* What is known when functions of a declaration (ranks, outcome) are called. */
struct ncs_script_settings {
    const char *const *set; size_t sets;           /* the texts of --set */
    const struct ncs_param *value; size_t values;  /* of parameters, over those: the case's */
    int ranks;                                     /* 0 = not given, else over the declared one */
    bool seeded; int64_t seed;                     /* --seed was given */
    int policy;                                    /* -1 = not given */
    int nccl_version;                              /* 0 = not given */
    const char *driver;
    bool unsafe;
    struct ncs_reading *reading;                   /* NULL, or gets all that is wrong with a YAML file */
};

/* Reads and compiles the file ("-": standard input). NULL and err with file, line and text when it is
 * missing, unreadable, no text, or does not compile. Of a YAML file err has the first error only:
 * settings->reading has all of them, and its warnings also when the file is fine; the caller closes it,
 * and keeps `file` until then. */
struct ncs_script *ncs_script_open(const char *file, const struct ncs_script_settings *settings,
                                   struct ncs_error *err);
/* The cases that it stands for: runs it up to its first statement scenario{...} without ranks, and
 * reads what matrix and exclude are about, nothing else. Appends to cases. */
bool ncs_script_cases(struct ncs_script *s, const struct ncs_script_settings *settings,
                      struct ncs_cases *cases, struct ncs_error *err);
/* The same for all that it declares: fills *scenario (initialised by the caller). */
bool ncs_script_declare(struct ncs_script *s, const struct ncs_script_settings *settings,
                        struct ncs_scenario *scenario, struct ncs_error *err);
/* Both, for who needs the declaration once. */
struct ncs_script *ncs_script_load(const char *file, const struct ncs_script_settings *settings,
                                   struct ncs_scenario *scenario, struct ncs_error *err);
void ncs_script_free(struct ncs_script *s); /* NULL is a no-op */

/* The program for ncs_run_new; valid as long as script and scenario. */
struct ncs_program ncs_script_program(struct ncs_script *s, const struct ncs_scenario *scenario);

#endif
