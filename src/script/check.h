/* Checks a scenario without running a rank of it. */
#ifndef NCS_SCRIPT_CHECK_H
#define NCS_SCRIPT_CHECK_H

#include "script/script.h"

/* A file that is checked. Zero it before its first use; `file` and settings are borrowed. */
struct ncs_checking {
    const char *file;
    bool is_module;             /* read by `require`: declares nothing */
    struct ncs_reading reading; /* its text and its complaints */
    struct ncs_script *script;  /* NULL: it does not compile */
    struct ncs_cases cases;     /* its cases; at least one if there are no errors */
    char **module;              /* paths of the files it requires, as far as they are literals */
    size_t modules, modules_room;
};

/* Checks the syntax; in Lua, uses of unknown names and fields and forbidden assignments; the
 * declaration; in YAML, everything that ncs_notation_translate checks. Returns false and fills err
 * if the file cannot be read. Ignores settings->reading. */
bool ncs_script_check(struct ncs_checking *c, const struct ncs_script_settings *settings, struct ncs_error *err);
/* Declares one case (a number in cases) again into *scenario, which is initialised here; the caller
 * frees it. False = it failed; the reason is added to the complaints. */
bool ncs_checking_declare(struct ncs_checking *c, const struct ncs_script_settings *settings, size_t number,
                          struct ncs_scenario *scenario);
/* The part of a line (from 1) that a message is about, as far as it can be found. */
struct ncs_span ncs_checking_span(const struct ncs_checking *c, int line, const char *message);
void ncs_checking_free(struct ncs_checking *c);

#endif
