/* A prompt between standard input and standard output, on a terminal or not. */
#ifndef NCS_CLI_CONSOLE_H
#define NCS_CLI_CONSOLE_H

#include "prompt/prompt.h"

/* Reads until the end of input or until the prompt is left; the exit status. `echo`: shows each line that is not
 * typed at a terminal before what comes of it. */
int ncs_console_run(struct ncs_prompt *p, bool echo);
/* Writes what the prompt says; for ncs_prompt_options.out. */
void ncs_console_write(void *arg, const char *text);
/* Is somebody there to type? */
bool ncs_console_is_terminal(void);

#endif
