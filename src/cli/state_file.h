/* Files that the program keeps for its user from one session to the next. */
#ifndef NCS_CLI_STATE_FILE_H
#define NCS_CLI_STATE_FILE_H

#include <stdbool.h>

/* Under XDG_STATE_HOME, else ~/.local/state, in a folder of ours; for ncs_free. NULL: there is no such place. */
char *ncs_state_file(const char *name);
/* Makes the folders that it lies in; false when that cannot be. */
bool ncs_state_folder(const char *file);

#endif
