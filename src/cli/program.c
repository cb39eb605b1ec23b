#define _GNU_SOURCE /* memmem */
#include "cli/program.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

char *ncs_program_find(const char *name)
{
    if (strchr(name, '/'))
        return ncs_copy_text(name);
    const char *path = getenv("PATH");
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        struct ncs_str file = { 0 };
        ncs_str_add_bytes(&file, path, strcspn(path, ":"));
        ncs_str_addf(&file, "/%s", name);
        if (access(file.text, X_OK) == 0)
            return ncs_str_take(&file);
        ncs_str_free(&file);
    }
    return ncs_copy_text(name);
}

static bool read_at(FILE *f, uint64_t offset, void *to, size_t bytes)
{
    return fseeko(f, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, bytes, f) == bytes;
}

/* Reads the dynamic entries and the texts that they name; there are few entries. */
static void read_dynamic(FILE *f, const Elf64_Shdr *dynamic, const Elf64_Shdr *texts, bool *shared_runtime)
{
    if (texts->sh_size > (1 << 26) || dynamic->sh_size > (1 << 20))
        return;
    char *text = ncs_new(texts->sh_size + 1);
    size_t count = dynamic->sh_size / sizeof(Elf64_Dyn);
    Elf64_Dyn *entry = ncs_new(count * sizeof *entry);
    bool fine = read_at(f, texts->sh_offset, text, texts->sh_size) &&
                read_at(f, dynamic->sh_offset, entry, count * sizeof *entry);
    for (size_t i = 0; fine && i < count && entry[i].d_tag != DT_NULL; i++) {
        if (entry[i].d_tag == DT_NEEDED && entry[i].d_un.d_val < texts->sh_size &&
            strncmp(text + entry[i].d_un.d_val, "libcudart.so", 12) == 0)
            *shared_runtime = true;
    }
    ncs_free(entry);
    ncs_free(text);
}

/* True if an ELF file needs the shared CUDA runtime; any other file, such as a script, does not. */
static bool needs_runtime(const char *path)
{
    Elf64_Ehdr head;
    bool shared_runtime = false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    if (read_at(f, 0, &head, sizeof head) && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
        head.e_shentsize == sizeof(Elf64_Shdr))
        for (unsigned i = 0; i < head.e_shnum; i++) {
            Elf64_Shdr section, texts;
            if (read_at(f, head.e_shoff + i * sizeof section, &section, sizeof section) && section.sh_type == SHT_DYNAMIC &&
                section.sh_link < head.e_shnum && read_at(f, head.e_shoff + section.sh_link * sizeof texts, &texts, sizeof texts))
                read_dynamic(f, &section, &texts, &shared_runtime);
        }
    fclose(f);
    return shared_runtime;
}

/* The static CUDA runtime loads the driver by itself, so its code contains the name of the driver's library. */
bool ncs_program_has_runtime(const char *program)
{
    static const char driver[] = "libcuda.so.1";
    char *path = ncs_program_find(program), *bytes = NULL;
    long size = 0;
    FILE *f = needs_runtime(path) ? NULL : fopen(path, "rb");
    ncs_free(path);
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) > 0 && size < 1 << 30)
        bytes = ncs_new((size_t)size);
    bool found = bytes && read_at(f, 0, bytes, (size_t)size) && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
                 memmem(bytes, (size_t)size, driver, sizeof driver);
    ncs_free(bytes);
    if (f)
        fclose(f);
    return found;
}
