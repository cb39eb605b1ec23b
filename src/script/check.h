/* What can be told of a scenario's text without running a rank of it. */
#ifndef NCS_SCRIPT_CHECK_H
#define NCS_SCRIPT_CHECK_H

#include "script/script.h"

/* A file that is checked. Zeroed before its first use; `file` and settings are borrowed. */
struct ncs_checking {
    const char *file;
    bool is_module;                /* read by `require`: declares nothing */
    struct ncs_reading reading;    /* its text, and all that is wrong with it */
    struct ncs_script *script;     /* NULL: it does not compile */
    struct ncs_cases cases;        /* that it stands for; at least one when there are no errors */
    char **module;                 /* paths of the files that it requires, where that can be told */
    size_t modules, modules_room;
};

/* Its syntax; of Lua, names of the environment and their fields that are not there or cannot be
 * assigned; what scenario{} declares; of YAML, all that ncs_notation_translate finds. False and err
 * when the file cannot be read. settings->reading is not
 * looked at. */
bool ncs_script_check(struct ncs_checking *c, const struct ncs_script_settings *settings,
                      struct ncs_error *err);
/* Declares a case (a number in cases) anew into *scenario, which is initialised here and the caller's
 * to free. False when that fails, which is added to the complaints. */
bool ncs_checking_declare(struct ncs_checking *c, const struct ncs_script_settings *settings,
                          size_t number, struct ncs_scenario *scenario);
/* The part of a line (from 1) of its text that a message is about, as far as that can be told. */
struct ncs_span ncs_checking_span(const struct ncs_checking *c, int line, const char *message);
void ncs_checking_free(struct ncs_checking *c);

#endif
