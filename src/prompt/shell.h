/* A lesson's small shell: a folder of its own, and `ncclscript run job.lua` typed as in a shell. Only commands that
 * stay inside the folder can be typed, so that a lesson from a stranger cannot reach other files. */
#ifndef NCS_PROMPT_SHELL_H
#define NCS_PROMPT_SHELL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct ncs_prompt;

/* What the shell needs of its host. Names of files are plain: no folder, no leading dot. */
struct ncs_shell_host {
    /* Runs ncclscript with these words (NULL at the end) in the folder and appends what it prints. Returns its exit
     * status; -1 and err if it cannot be run. */
    int (*run)(void *arg, char *const *word, struct ncs_str *out, struct ncs_error *err);
    bool (*write)(void *arg, const char *name, const struct ncs_str *text, struct ncs_error *err);
    bool (*read)(void *arg, const char *name, struct ncs_str *text, struct ncs_error *err);
    void (*clear)(void *arg);                     /* removes all files */
    void (*list)(void *arg, struct ncs_str *out); /* appends the names of the files, a line each */
    const char *(*folder)(void *arg);
    void *arg;
};

/* The latest command. */
struct ncs_shell_command {
    char *text; /* as typed; NULL = none since the task was set */
    int status;
    struct ncs_str output;
};

struct ncs_shell {
    const struct ncs_shell_host *host; /* borrowed; NULL: the prompt has no shell */
    struct ncs_shell_command last;
    char *writing; /* `:write`: the file whose lines are being typed; NULL = none */
    struct ncs_str lines;
};

/* Handles a line for the shell; false: it is none. */
bool shell_takes(struct ncs_prompt *p, const char *line);
bool shell_is_name(const char *name);   /* of a file in the folder */
void shell_forget(struct ncs_shell *s); /* the latest command, an unfinished file */

#endif
