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

/* Reports do without the places that they cannot read, and have to mention it if the host was short of memory or descriptors then.
 * Notes such a failure, by errno; true if there was one. */
bool ncs_elf_note_failure(int code);
#define NCS_ELF_SHORT "lines and names of some places are missing: there was no memory, or no file descriptor, to read them"

/* False if it is no regular file, or no 64-bit ELF file. Close it in either case; the descriptor stays the caller's. */
bool ncs_elf_open(struct ncs_elf *image, const char *path);
bool ncs_elf_read(struct ncs_elf *image, int fd);
void ncs_elf_close(struct ncs_elf *image);

/* The function that contains an address (relative to the file), with the address's offset in it; NULL = none. The name
 * lives until the file is closed. */
const char *ncs_elf_function(const struct ncs_elf *image, uint64_t address, uint64_t *offset);

/* True if the kernel starts the program without a loader, so that nothing can be preloaded. */
bool ncs_elf_is_static(const struct ncs_elf *image);

enum { NCS_ELF_BUILD = 20 };
/* Copies the build id of a file, its beginning if it is longer; false and zeros if it has none. */
bool ncs_elf_build_id(const struct ncs_elf *image, unsigned char out[NCS_ELF_BUILD]);
/* As above, of notes in memory: the contents of a segment PT_NOTE. */
bool ncs_elf_build_id_in(const char *notes, size_t bytes, unsigned char out[NCS_ELF_BUILD]);

#endif
