/* A prompt between standard input and standard output, on a terminal or not. */
#ifndef NCS_CLI_CONSOLE_H
#define NCS_CLI_CONSOLE_H

#include "prompt/prompt.h"

/* Reads until the end of input or until the user leaves the prompt; returns the exit status. `echo`:
 * prints each line that was not typed at a terminal before its replies. `typed`: hears each line; NULL: what a statement
 * began with is dropped. `typed` may be NULL. */
int ncs_console_run(struct ncs_prompt *p, bool echo, void (*typed)(void *arg, const char *line), void *arg);
/* Writes the prompt's output; for ncs_prompt_options.out. */
void ncs_console_write(void *arg, const char *text);
/* True if standard input and standard output are a terminal. */
bool ncs_console_is_terminal(void);

#endif
