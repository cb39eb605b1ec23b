/* Files that the program keeps for its user from one session to the next. */
#ifndef NCS_CLI_STATE_FILE_H
#define NCS_CLI_STATE_FILE_H

#include <stdbool.h>

/* The path in our folder under XDG_STATE_HOME, else ~/.local/state; for ncs_free. NULL: neither is known. */
char *ncs_state_file(const char *name);
/* Creates the folders above the file; false if that fails. */
bool ncs_state_folder(const char *file);

#endif
