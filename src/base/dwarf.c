#include "base/dwarf.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/str.h"

/* As libdw.so.1 has them since version 0.158 (elfutils 0.188, libdw.h, libdwfl.h, dwarf.h). */
struct dwarf_die {
    void *address, *unit, *abbreviation;
    long padding;
};
struct dwarf_attribute {
    unsigned code, form;
    unsigned char *value;
    void *unit;
};
struct dwarf_callbacks {
    int (*find_elf)(void *, void **, const char *, uint64_t, char **, void **);
    void *find_debug, *section_address;
    char **debug_path;
};
enum { TAG_INLINED = 0x1d, TAG_FUNCTION = 0x2e, AT_FOLDER = 0x1b, AT_CALL_FILE = 0x58, AT_CALL_LINE = 0x59 };

static struct {
    void *(*begin)(const struct dwarf_callbacks *);
    void (*end)(void *dwfl);
    int (*report)(void *dwfl, pid_t);
    void *(*report_elf)(void *dwfl, const char *name, const char *path, int fd, uint64_t base, bool add_p_vaddr);
    int (*report_end)(void *dwfl, void *removed, void *arg);
    void *(*module_at)(void *dwfl, uint64_t address);
    struct dwarf_die *(*unit_at)(void *module, uint64_t address, uint64_t *bias);
    struct dwarf_die *(*next_unit)(void *module, struct dwarf_die *last, uint64_t *bias);
    int (*has_address)(struct dwarf_die *die, uint64_t address);
    void *(*line_at)(struct dwarf_die *unit, uint64_t address);
    int (*line_number)(void *line, int *number);
    const char *(*line_file)(void *line, uint64_t *time, uint64_t *size);
    const char *(*text)(struct dwarf_attribute *attribute);
    int (*scopes)(struct dwarf_die *unit, uint64_t address, struct dwarf_die **out);
    int (*parents)(struct dwarf_die *die, struct dwarf_die **out);
    int (*tag)(struct dwarf_die *die);
    struct dwarf_attribute *(*attribute)(struct dwarf_die *die, unsigned name, struct dwarf_attribute *out);
    int (*number)(struct dwarf_attribute *attribute, uint64_t *out);
    int (*files)(struct dwarf_die *unit, void **out, size_t *count);
    const char *(*file)(void *files, size_t index, uint64_t *time, uint64_t *size);
    int (*find_elf)(void *module, void **data, const char *name, uint64_t base, char **path,
                    void **elf); /* callbacks of libdw's own */
    void *find_debug, *section_address;
} dw;

static const struct {
    const char *name;
    void *at;
} symbols[] = {
    { "dwfl_begin", &dw.begin },
    { "dwfl_end", &dw.end },
    { "dwfl_linux_proc_report", &dw.report },
    { "dwfl_report_elf", &dw.report_elf },
    { "dwfl_report_end", &dw.report_end },
    { "dwfl_addrmodule", &dw.module_at },
    { "dwfl_module_addrdie", &dw.unit_at },
    { "dwfl_module_nextcu", &dw.next_unit },
    { "dwarf_haspc", &dw.has_address },
    { "dwarf_getsrc_die", &dw.line_at },
    { "dwarf_lineno", &dw.line_number },
    { "dwarf_linesrc", &dw.line_file },
    { "dwarf_formstring", &dw.text },
    { "dwarf_getscopes", &dw.scopes },
    { "dwarf_getscopes_die", &dw.parents },
    { "dwarf_tag", &dw.tag },
    { "dwarf_attr", &dw.attribute },
    { "dwarf_formudata", &dw.number },
    { "dwarf_getsrcfiles", &dw.files },
    { "dwarf_filesrc", &dw.file },
    { "dwfl_linux_proc_find_elf", &dw.find_elf },
    /* It looks in local folders only. dwfl_standard_find_debuginfo would ask servers of the network. */
    { "dwfl_build_id_find_debuginfo", &dw.find_debug },
    { "dwfl_offline_section_address", &dw.section_address },
};

static bool dwarf_load(void)
{
    static bool loaded;
    errno = 0;
    void *library = loaded ? NULL : dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            return false;
        memcpy(symbols[i].at, &symbol, sizeof symbol);
    }
    if (!loaded && !library)
        ncs_elf_note_failure(errno);
    return loaded |= library != NULL;
}

/* Without memory for a path, libdw returns ENOMEM here as if that were a descriptor. Its list of modules just lacks one then. */
static int find_elf(void *module, void **data, const char *name, uint64_t base, char **path, void **elf)
{
    int fd = dw.find_elf(module, data, name, base, path, elf);
    bool is_short = fd >= 0 && !*path;
    ncs_elf_note_failure(is_short ? ENOMEM : fd < 0 ? errno : 0);
    return is_short ? -1 : fd;
}

void *ncs_dwarf_open_process(void)
{
    static struct dwarf_callbacks callbacks; /* libdw keeps the pointer */
    if (!dwarf_load())
        return NULL;
    callbacks = (struct dwarf_callbacks){ .find_elf = find_elf, .find_debug = dw.find_debug };
    errno = 0;
    void *code = dw.begin(&callbacks);
    bool listed = code && dw.report(code, getpid()) == 0 && dw.report_end(code, NULL, NULL) == 0;
    ncs_elf_note_failure(errno);
    if (listed)
        return code;
    ncs_dwarf_close(code);
    return NULL;
}

void *ncs_dwarf_open_file(const char *path, int fd)
{
    static struct dwarf_callbacks callbacks;
    if (!dwarf_load())
        return NULL;
    callbacks = (struct dwarf_callbacks){ .find_debug = dw.find_debug, .section_address = dw.section_address };
    void *code = dw.begin(&callbacks);
    int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    bool taken = code && (fd < 0 || own >= 0) && dw.report_elf(code, path, path, own, 0, true);
    if (!taken && own >= 0)
        close(own);
    if (taken && dw.report_end(code, NULL, NULL) == 0)
        return code;
    ncs_elf_note_failure(errno);
    ncs_dwarf_close(code);
    return NULL;
}

void ncs_dwarf_close(void *code)
{
    if (code)
        dw.end(code);
}

/* ---- which line of several ---- */

/* Code of system headers and of packages that are compiled into a program. Not all of /usr: programs are built
 * in /usr/src, too. */
static bool is_system(const char *file)
{
    static const char *const folders[] = { "/usr/include/", "/usr/local/include/", "/usr/lib/", "/rustc/" };
    static const char *const parts[] = { "/include/c++/", "/.cargo/registry/" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(file, folders[i], strlen(folders[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(file, parts[i]))
            return true;
    return false;
}

static uint64_t dwarf_number(struct dwarf_die *die, unsigned name)
{
    struct dwarf_attribute attribute;
    uint64_t number = 0;
    if (!dw.attribute(die, name, &attribute) || dw.number(&attribute, &number) != 0)
        return 0;
    return number;
}

/* Where the function of these nested scopes that is no system header's calls the inlined ones. */
static const char *find_call(struct dwarf_die *unit, struct dwarf_die *scope, int scopes, int *line)
{
    void *files = NULL;
    size_t count = 0;
    if (dw.files(unit, &files, &count) != 0)
        return NULL;
    for (int i = 0; i < scopes && dw.tag(&scope[i]) != TAG_FUNCTION; i++) {
        if (dw.tag(&scope[i]) != TAG_INLINED)
            continue;
        size_t index = (size_t)dwarf_number(&scope[i], AT_CALL_FILE);
        const char *file = index < count ? dw.file(files, index, NULL, NULL) : NULL;
        *line = (int)dwarf_number(&scope[i], AT_CALL_LINE);
        if (file && *line > 0 && !is_system(file))
            return file;
    }
    return NULL;
}

static const char *outside_of_headers(struct dwarf_die *unit, uint64_t address, int *line)
{
    struct dwarf_die *inner = NULL, *scope = NULL;
    const char *file = NULL;
    if (dw.scopes(unit, address, &inner) <= 0)
        return NULL;
    int scopes = dw.parents(&inner[0], &scope);
    if (scopes > 0)
        file = find_call(unit, scope, scopes, line);
    free(scope);
    free(inner);
    return file;
}

/* The compilation unit with the address. gcc writes a table of them; clang does not, so its units are asked. */
static struct dwarf_die *find_unit(void *module, uint64_t address, uint64_t *bias)
{
    struct dwarf_die *unit = dw.unit_at(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dw.next_unit(module, unit, bias)) != NULL && dw.has_address(unit, address - *bias) != 1)
        ;
    return unit;
}

bool ncs_dwarf_find(void *code, uint64_t return_address, struct ncs_dwarf_line *out)
{
    uint64_t address = return_address - 1, bias = 0; /* inside the call, which may end its line */
    errno = 0;
    void *module = code ? dw.module_at(code, address) : NULL;
    struct dwarf_die *unit = module ? find_unit(module, address, &bias) : NULL;
    void *line = unit ? dw.line_at(unit, address - bias) : NULL;
    struct dwarf_attribute attribute;
    struct ncs_str path = { 0 };
    int number = 0, outer;
    const char *file = line && dw.line_number(line, &number) == 0 ? dw.line_file(line, NULL, NULL) : NULL;
    if (!file || number <= 0) {
        ncs_elf_note_failure(errno);
        return false;
    }
    const char *folder = dw.attribute(unit, AT_FOLDER, &attribute) ? dw.text(&attribute) : NULL;
    const char *user = is_system(file) ? outside_of_headers(unit, address - bias, &outer) : NULL;
    file = user ? user : file;
    if (file[0] != '/' && folder)
        ncs_str_addf(&path, "%s/", folder);
    ncs_str_add(&path, file);
    *out = (struct ncs_dwarf_line){ ncs_str_take(&path), user ? outer : number };
    return true;
}
