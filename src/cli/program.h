/* The file of a program that exec runs: its place, and the libraries of NCCL and CUDA that it needs. */
#ifndef NCS_CLI_PROGRAM_H
#define NCS_CLI_PROGRAM_H

#include <stdbool.h>

struct ncs_needs {
    bool nccl, rpath;
    char cudart[32]; /* libcudart.so.N as in the program, "" = not needed */
};

/* Finds the file as execvp does; the caller frees the path. */
char *ncs_program_find(const char *name);

void ncs_program_needs(const char *program, struct ncs_needs *needs);

/* True if a CUDA runtime is linked into the program, and it needs no shared one. */
bool ncs_program_has_runtime(const char *program);

#endif
