/* Files that the program writes into a directory of the user's. */
#ifndef NCS_CLI_FOLDER_H
#define NCS_CLI_FOLDER_H

#include <stdbool.h>

#include "base/str.h"

/* Writes the text as DIRECTORY/NAME, replacing an older file, and frees it. Makes the directory if its parent exists.
 * False after a message on standard error. */
bool ncs_folder_write(const char *directory, const char *name, struct ncs_str *text);

#endif
