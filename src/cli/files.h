/* Finds the scenario files that the operands of a command mean. */
#ifndef NCS_CLI_FILES_H
#define NCS_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct ncs_files {
    char **path;
    size_t count, room;
    size_t left_out; /* number of YAML files in folders that do not look like scenarios */
    char *left;      /* the first of them */
};

/* Adds an operand. A file (or "-") stands for itself, whether it exists or not. A folder stands for all
 * scenarios below it, by name, without hidden files and folders: *.lua, *.ncclscript.yaml, and *.yaml and
 * *.yml that have `steps` or `scenario` at their top level. Other YAML files are listed on standard error.
 * False and err if a folder cannot be read. */
bool ncs_files_add(struct ncs_files *files, const char *operand, struct ncs_error *err);
void ncs_files_free(struct ncs_files *files);

#endif
