/* Files of code, which recordings of strangers name: any bytes are refused, or answer where an address is, within the file. */
#define _GNU_SOURCE
#include "base/elf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/dwarf.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static const uint64_t addresses[] = { 0, 1, 0x1000, 0x1004, 0x1139, 0x401000, 0x401010, UINT64_MAX };

static void read_lines(int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *code = ncs_dwarf_open_file(path, file);
    for (size_t i = 0; code && i < sizeof addresses / sizeof *addresses; i++) {
        struct ncs_dwarf_line line = { 0 };
        if (ncs_dwarf_find(code, addresses[i], &line) && (!line.file || line.line <= 0))
            abort();
        ncs_free(line.file);
    }
    ncs_dwarf_close(code);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct ncs_elf image = { 0 };
    unsigned char id[NCS_ELF_BUILD];
    int file = memfd_create("code", 0);
    if (file < 0 || write(file, data, bytes) != (ssize_t)bytes)
        abort();
    if (ncs_elf_read(&image, file)) {
        ncs_elf_is_static(&image);
        ncs_elf_build_id(&image, id);
        for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
            uint64_t offset = 0;
            const char *name = ncs_elf_function(&image, addresses[i], &offset);
            if (name && (strlen(name) >= bytes || offset > addresses[i]))
                abort();
        }
    }
    ncs_elf_close(&image);
    char *notes = ncs_new(bytes + 1); /* ends where the notes end, for AddressSanitizer */
    memcpy(notes, data, bytes);
    ncs_elf_build_id_in(notes, bytes, id);
    ncs_free(notes);
    if (getenv("FUZZ_LINES")) /* libdw is another project's */
        read_lines(file);
    close(file);
    return 0;
}
