/* Source lines of addresses in code, from debug information. libdw of elfutils is opened at run time, as NCCL and
 * CUDA are: without it no line is known. One thread at a time. */
#ifndef NCS_BASE_DWARF_H
#define NCS_BASE_DWARF_H

#include <stdbool.h>
#include <stdint.h>

struct ncs_dwarf_line {
    char *file; /* absolute if the compiler's folder is known; the caller frees it */
    int line;
};

/* The code of this process, or of one file of code. NULL: there is no libdw, or it cannot read the code. fd: of the
 * file, if it is open; it stays the caller's. -1 = none */
void *ncs_dwarf_open_process(void);
void *ncs_dwarf_open_file(const char *path, int fd);
void ncs_dwarf_close(void *code); /* NULL is none */

/* The line of the call that returns to this address; in a file's code, an address as its symbols have it. If the
 * compiler has inlined functions of system headers there, it is the line in the function around them. */
bool ncs_dwarf_find(void *code, uint64_t return_address, struct ncs_dwarf_line *out);

#endif
