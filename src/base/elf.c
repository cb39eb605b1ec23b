#include "base/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool ncs_elf_open(struct ncs_elf *image, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe or a terminal must not hold us */
    bool fine = ncs_elf_read(image, fd);
    if (fd >= 0)
        close(fd);
    return fine;
}

bool ncs_elf_read(struct ncs_elf *image, int fd)
{
    struct stat st;
    *image = (struct ncs_elf){ 0 };
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size >= sizeof(Elf64_Ehdr)) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p != MAP_FAILED)
            *image = (struct ncs_elf){ p, (size_t)st.st_size };
    }
    return image->bytes && memcmp(image->bytes, ELFMAG, SELFMAG) == 0 && image->bytes[EI_CLASS] == ELFCLASS64;
}

static const void *elf_part(const struct ncs_elf *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset ? image->bytes + offset : NULL;
}

/* The function in the table that contains the address (relative to the file). */
static const char *elf_find_function(const struct ncs_elf *image, const Elf64_Shdr *table, const Elf64_Shdr *texts,
                                     uint64_t address, uint64_t *offset)
{
    const Elf64_Sym *symbol = elf_part(image, table->sh_offset, table->sh_size);
    const char *text = elf_part(image, texts->sh_offset, texts->sh_size);
    if (!symbol || !text || texts->sh_size == 0 || text[texts->sh_size - 1] != '\0')
        return NULL;
    for (size_t i = 0; i < table->sh_size / sizeof *symbol; i++)
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && address >= symbol[i].st_value &&
            address - symbol[i].st_value < symbol[i].st_size && symbol[i].st_name < texts->sh_size) {
            *offset = address - symbol[i].st_value;
            return text + symbol[i].st_name;
        }
    return NULL;
}

const char *ncs_elf_function(const struct ncs_elf *image, uint64_t address, uint64_t *offset)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->bytes;
    const Elf64_Shdr *section = elf_part(image, head->e_shoff, head->e_shnum * sizeof *section);
    for (unsigned i = 0; section && i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_SYMTAB || section[i].sh_link >= head->e_shnum)
            continue;
        const char *name = elf_find_function(image, &section[i], &section[section[i].sh_link], address, offset);
        if (name)
            return name;
    }
    return NULL;
}

bool ncs_elf_build_id_in(const char *notes, size_t bytes, unsigned char out[NCS_ELF_BUILD])
{
    static const char owner[] = "GNU";
    memset(out, 0, NCS_ELF_BUILD);
    for (size_t at = 0; bytes - at >= sizeof(Elf64_Nhdr);) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, contents = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > bytes - at || note.n_descsz > bytes - at - name)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner && note.n_descsz > 0 &&
            memcmp(notes + at, owner, sizeof owner) == 0) {
            memcpy(out, notes + at + name, note.n_descsz < NCS_ELF_BUILD ? note.n_descsz : NCS_ELF_BUILD);
            return true;
        }
        if (contents > bytes - at - name)
            return false;
        at += name + contents;
    }
    return false;
}

bool ncs_elf_build_id(const struct ncs_elf *image, unsigned char out[NCS_ELF_BUILD])
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->bytes;
    const Elf64_Phdr *segment = elf_part(image, head->e_phoff, head->e_phnum * sizeof *segment);
    memset(out, 0, NCS_ELF_BUILD);
    for (unsigned i = 0; segment && i < head->e_phnum; i++) {
        const char *notes = segment[i].p_type == PT_NOTE ? elf_part(image, segment[i].p_offset, segment[i].p_filesz) : NULL;
        if (notes && ncs_elf_build_id_in(notes, segment[i].p_filesz, out))
            return true;
    }
    return false;
}

bool ncs_elf_is_static(const struct ncs_elf *image)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)image->bytes;
    const Elf64_Phdr *segment = elf_part(image, head->e_phoff, head->e_phnum * sizeof *segment);
    for (unsigned i = 0; segment && i < head->e_phnum; i++)
        if (segment[i].p_type == PT_INTERP)
            return false;
    return segment != NULL;
}

void ncs_elf_close(struct ncs_elf *image)
{
    if (image->bytes)
        munmap((void *)image->bytes, image->size);
    *image = (struct ncs_elf){ 0 };
}
