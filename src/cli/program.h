/* The file of a program that exec runs: its place, and whether it has a CUDA runtime inside. */
#ifndef NCS_CLI_PROGRAM_H
#define NCS_CLI_PROGRAM_H

#include <stdbool.h>

/* Finds the file as execvp does; the caller frees the path. */
char *ncs_program_find(const char *name);

/* True if a CUDA runtime is linked into the program, and it needs no shared one. */
bool ncs_program_has_runtime(const char *program);

#endif
