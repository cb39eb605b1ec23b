/* Scenarios in Lua and YAML: reads the declaration of a file, and gives the runner a program
 * that runs the file on every rank. Each rank has a Lua state of its own with the objects
 * that lua/library declares. YAML is translated to Lua; all reported places are still those
 * of the YAML text. */
#ifndef NCS_SCRIPT_SCRIPT_H
#define NCS_SCRIPT_SCRIPT_H

#include "base/complaint.h"
#include "run/run.h"
#include "scenario/matrix.h"
#include "scenario/scenario.h"

struct ncs_script;

/* The text of a scenario, and the complaints about it. Zero it before its first use. */
struct ncs_reading {
    struct ncs_str text;
    struct ncs_source source;
    struct ncs_complaints complaints; /* all those of YAML, with warnings */
    bool yaml;
    bool unsafe;    /* scripts may use files: its env may name them */
    bool is_module; /* for `require`, which stays in its folder */
};

/* Reads the file ("-": standard input). Its name decides if it is YAML; if the name does not tell,
 * its contents do. `file` is borrowed. */
bool ncs_reading_open(struct ncs_reading *r, const char *file, struct ncs_error *err);
void ncs_reading_close(struct ncs_reading *r);

/* True if the text looks like a YAML scenario: a line begins with the key `steps` or `scenario`. */
bool ncs_reading_looks_yaml(const char *text, size_t bytes);

/* Facts that are known before the functions of a declaration (ranks, outcome) are called. */
struct ncs_script_settings {
    const char *const *set;
    size_t sets; /* the texts of --set */
    const struct ncs_param *value;
    size_t values; /* parameters of the case; they override --set */
    int ranks;     /* 0 = not given; overrides the declared one */
    bool seeded;
    int64_t seed;     /* --seed was given */
    int policy;       /* -1 = not given */
    int nccl_version; /* 0 = not given */
    const char *driver;
    bool unsafe;
    struct ncs_reading *reading; /* gets a YAML file's complaints; may be NULL */
};

/* Reads and compiles the file ("-": standard input). Returns NULL and fills err (file, line, text)
 * if the file is missing, unreadable, not text, or does not compile. For YAML, err has only the
 * first error. settings->reading then has all errors, and the warnings even of a correct file; the
 * caller closes it, and keeps `file` until then. */
struct ncs_script *ncs_script_open(const char *file, const struct ncs_script_settings *settings, struct ncs_error *err);
/* Appends the cases of the file: runs it without ranks up to its first statement scenario{...}, and
 * reads only what matrix and exclude need. */
bool ncs_script_cases(struct ncs_script *s, const struct ncs_script_settings *settings, struct ncs_cases *cases,
                      struct ncs_error *err);
/* Reads the whole declaration into *scenario, which the caller has initialised. */
bool ncs_script_declare(struct ncs_script *s, const struct ncs_script_settings *settings, struct ncs_scenario *scenario,
                        struct ncs_error *err);
/* Opens and declares, for callers that need one declaration. */
struct ncs_script *ncs_script_load(const char *file, const struct ncs_script_settings *settings, struct ncs_scenario *scenario,
                                   struct ncs_error *err);
void ncs_script_free(struct ncs_script *s); /* NULL is a no-op */

/* The program for ncs_run_new; valid while script and scenario exist. */
struct ncs_program ncs_script_program(struct ncs_script *s, const struct ncs_scenario *scenario);

#endif
