/* A file of code read from disk: its full table of symbols is not mapped with the code. */
#ifndef NCS_BASE_ELF_H
#define NCS_BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ncs_elf {
    const char *bytes;
    size_t size;
};

/* False if the file is no 64-bit ELF file. Close it in either case. */
bool ncs_elf_open(struct ncs_elf *image, const char *path);
void ncs_elf_close(struct ncs_elf *image);

/* The function that contains an address (relative to the file), with the address's offset in it; NULL = none. The name
 * lives until the file is closed. */
const char *ncs_elf_function(const struct ncs_elf *image, uint64_t address, uint64_t *offset);

#endif
