/* The folder of a lesson with files: a temporary one, in which the lesson's shell works. */
#ifndef NCS_CLI_LESSON_FOLDER_H
#define NCS_CLI_LESSON_FOLDER_H

#include "prompt/shell.h"

/* Makes the folder and goes there, so that `:save` and `:load` mean its files. NULL and err on failure. One at a time. */
const struct ncs_shell_host *ncs_lesson_folder_open(struct ncs_error *err);
const char *ncs_lesson_folder_path(void); /* NULL: none is open */
/* Removes the folder with its files, and goes back. */
void ncs_lesson_folder_close(void);

#endif
