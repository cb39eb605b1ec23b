/* The file of a program that exec is to run: where it lies, and what it needs of NCCL and CUDA. */
#ifndef NCS_CLI_PROGRAM_H
#define NCS_CLI_PROGRAM_H

#include <stdbool.h>

struct ncs_needs {
    bool nccl, rpath;
    char cudart[32]; /* libcudart.so.N as the program names it, "" = it does not */
};

/* As execvp looks for it; the caller's. */
char *ncs_program_find(const char *name);

void ncs_program_needs(const char *program, struct ncs_needs *needs);

/* It has a CUDA runtime of its own in it, and names no shared one. */
bool ncs_program_has_runtime(const char *program);

#endif
