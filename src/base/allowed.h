/* Files that a stranger's text names: a recording names sources and files of code. Only those below the working directory, or
 * below a folder that the user allows, are opened. Not thread-safe. */
#ifndef NCS_BASE_ALLOWED_H
#define NCS_BASE_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* Allows a folder, with all that is below it. */
void ncs_allow_folder(const char *folder);

/* Opens a regular file for reading, by its absolute path. No part of it may be a link or `..`. -1: it is no such file,
 * or is not allowed: errno is EACCES then. */
int ncs_allowed_open(const char *path);
/* Appends the contents of such a file. False if it cannot be read, or is longer than limit; err has why. */
bool ncs_allowed_read(const char *path, size_t limit, struct ncs_str *text, struct ncs_error *err);

#endif
