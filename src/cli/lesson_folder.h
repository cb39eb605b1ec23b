/* The folder of a lesson with files, in which the lesson's shell works: a temporary one, or one that the user wants to keep. */
#ifndef NCS_CLI_LESSON_FOLDER_H
#define NCS_CLI_LESSON_FOLDER_H

#include "prompt/shell.h"

/* Makes the folder and goes there, so that `:save` and `:load` mean its files. `keep`: the path of a folder that must not exist,
 * and that stays; NULL: a temporary one. NULL and err on failure. One at a time. */
const struct ncs_shell_host *ncs_lesson_folder_open(const char *keep, struct ncs_error *err);
/* No command of the shell runs for longer than this; 0 = no limit. */
void ncs_lesson_folder_limit(unsigned seconds);
const char *ncs_lesson_folder_path(void); /* NULL: none is open */
/* Removes the folder with its files, unless it is to be kept, and goes back. */
void ncs_lesson_folder_close(void);

#endif
