#include "base/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

bool ncs_elf_note_failure(int code)
{
    static atomic_bool was_short;
    if (code && ncs_status_of(code) == NCS_NO_MEMORY)
        atomic_store(&was_short, true);
    return atomic_load(&was_short);
}

bool ncs_elf_open(struct ncs_elf *image, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe or a terminal must not hold us */
    bool fine = ncs_elf_read(image, fd);
    if (fd >= 0)
        close(fd);
    else
        ncs_elf_note_failure(errno);
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
        else
            ncs_elf_note_failure(errno);
    }
    return image->bytes && memcmp(image->bytes, ELFMAG, SELFMAG) == 0 && image->bytes[EI_CLASS] == ELFCLASS64;
}

static const char *elf_part(const struct ncs_elf *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset ? image->bytes + offset : NULL;
}

enum { SEGMENTS_SEEN = 256 }; /* a hostile file has many, all with the same long notes */

/* The rows of a table are copied: a file may put them at any place, also at an odd one. */
static const char *elf_row(const char *table, size_t i, size_t bytes, void *row)
{
    return memcpy(row, table + i * bytes, bytes);
}

static Elf64_Ehdr elf_head(const struct ncs_elf *image)
{
    Elf64_Ehdr head;
    memcpy(&head, image->bytes, sizeof head);
    return head;
}

/* The function in the table that contains the address (relative to the file). */
static const char *elf_find_function(const struct ncs_elf *image, const Elf64_Shdr *table, const Elf64_Shdr *texts,
                                     uint64_t address, uint64_t *offset)
{
    const char *symbols = elf_part(image, table->sh_offset, table->sh_size);
    const char *text = elf_part(image, texts->sh_offset, texts->sh_size);
    Elf64_Sym symbol;
    if (!symbols || !text || texts->sh_size == 0 || text[texts->sh_size - 1] != '\0')
        return NULL;
    for (size_t i = 0; i < table->sh_size / sizeof symbol; i++)
        if (elf_row(symbols, i, sizeof symbol, &symbol) && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
            address >= symbol.st_value && address - symbol.st_value < symbol.st_size && symbol.st_name < texts->sh_size) {
            *offset = address - symbol.st_value;
            return text + symbol.st_name;
        }
    return NULL;
}

const char *ncs_elf_function(const struct ncs_elf *image, uint64_t address, uint64_t *offset)
{
    Elf64_Ehdr head = elf_head(image);
    Elf64_Shdr section, texts;
    const char *sections = elf_part(image, head.e_shoff, head.e_shnum * sizeof section);
    for (unsigned i = 0; sections && i < head.e_shnum; i++) {
        elf_row(sections, i, sizeof section, &section);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= head.e_shnum)
            continue;
        elf_row(sections, section.sh_link, sizeof texts, &texts);
        return elf_find_function(image, &section, &texts, address, offset); /* a file has one such table */
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
    Elf64_Ehdr head = elf_head(image);
    Elf64_Phdr segment;
    const char *segments = elf_part(image, head.e_phoff, head.e_phnum * sizeof segment);
    memset(out, 0, NCS_ELF_BUILD);
    for (unsigned i = 0; segments && i < head.e_phnum && i < SEGMENTS_SEEN; i++) {
        elf_row(segments, i, sizeof segment, &segment);
        const char *notes = segment.p_type == PT_NOTE ? elf_part(image, segment.p_offset, segment.p_filesz) : NULL;
        if (notes && ncs_elf_build_id_in(notes, segment.p_filesz, out))
            return true;
    }
    return false;
}

bool ncs_elf_is_static(const struct ncs_elf *image)
{
    Elf64_Ehdr head = elf_head(image);
    Elf64_Phdr segment;
    const char *segments = elf_part(image, head.e_phoff, head.e_phnum * sizeof segment);
    for (unsigned i = 0; segments && i < head.e_phnum; i++)
        if (elf_row(segments, i, sizeof segment, &segment) && segment.p_type == PT_INTERP)
            return false;
    return segments != NULL;
}

void ncs_elf_close(struct ncs_elf *image)
{
    if (image->bytes)
        munmap((void *)image->bytes, image->size);
    *image = (struct ncs_elf){ 0 };
}
