/* Source lines of addresses in this process's code, from debug information. libdw of elfutils is opened at
 * run time, as NCCL and CUDA are: without it no line is known. */
#ifndef NCS_EXEC_DWARF_H
#define NCS_EXEC_DWARF_H

#include <stdbool.h>

struct ncs_dwarf_line {
    char *file; /* absolute if the compiler's folder is known; the caller frees it */
    int line;
};

/* False: there is no libdw, or it cannot read this process. */
bool ncs_dwarf_open(void);
void ncs_dwarf_close(void);

/* The line of the call that returns to this address. If the compiler has inlined functions of system headers
 * there, it is the line in the function around them. */
bool ncs_dwarf_find(const void *return_address, struct ncs_dwarf_line *out);

#endif
