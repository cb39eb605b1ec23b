/* The places that calls come from, each looked up once: a reader of the file has no process to ask. */
#define _GNU_SOURCE /* dladdr1 */
#include "shim/record/recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/hash.h"
#include "base/python.h"

enum { KNOWN = 1 << 13, PROBES = 32 };

/* Addresses that have been looked up. `index` is written first. */
static struct recorder_site {
    void *address;
    uint16_t index;  /* + 1 */
    bool in_library; /* Python code may be behind it */
} recorder_sites[KNOWN];
static pthread_mutex_t recorder_site_lock = PTHREAD_MUTEX_INITIALIZER, recorder_add_lock = PTHREAD_MUTEX_INITIALIZER;

/* Writes "c10d::ProcessGroupNCCL::send" of "c10::Work c10d::ProcessGroupNCCL::send<F>(...)": without the result, the
 * arguments of templates, and the parameters. */
static void shorten_cxx(const char *plain, char *to, size_t room)
{
    size_t bytes = 0;
    int depth = 0;
    for (; *plain && (depth > 0 || *plain != '(' || strncmp(plain, "(anonymous", 10) == 0); plain++) {
        depth += *plain == '<';
        if (depth == 0 && *plain == ' ' && strncmp(plain, " namespace)", 11) != 0)
            bytes = 0;
        else if (depth == 0 && bytes + 1 < room)
            to[bytes++] = *plain;
        depth -= *plain == '>';
    }
    to[bytes] = '\0';
}

/* A name of C++ as people write it, if the program has the library that knows how. */
static void cxx_name(const char *name, char *to, size_t room)
{
    char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
    int status = -1;
    void *library = strncmp(name, "_Z", 2) == 0 ? dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    char *plain = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    to[0] = '\0';
    if (plain && status == 0)
        shorten_cxx(plain, to, room);
    if (!to[0])
        snprintf(to, room, "%s", name);
    free(plain);
    if (library)
        dlclose(library);
}

/* The build id of the module at this address of the loader's, from its notes, which are mapped with its code. */
struct module_build {
    uint64_t base;
    unsigned char *build;
};

static int read_build(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    const struct module_build *of = arg;
    (void)bytes;
    if (info->dlpi_addr != of->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE &&
            ncs_elf_build_id_in((const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr), p->p_memsz, of->build))
            return 1;
    }
    return 0;
}

/* The offset is that of the file's own symbols. */
static void describe_site(struct ncs_recording_site *site, void *address, bool *in_library)
{
    Dl_info info = { 0 };
    struct link_map *map = NULL;
    *site = (struct ncs_recording_site){ .address = (uint64_t)(uintptr_t)address };
    *in_library = true;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return;
    site->offset = (uint64_t)(uintptr_t)address - (map ? map->l_addr : 0);
    *in_library = !map || map->l_prev;
    if (map)
        dl_iterate_phdr(read_build, &(struct module_build){ map->l_addr, site->build });
    snprintf(site->module, sizeof site->module, "%s", info.dli_fname);
    if (map && !map->l_prev && readlink("/proc/self/exe", site->module, sizeof site->module - 1) < 0)
        site->module[0] = '\0';
    if (info.dli_sname) {
        char name[512];
        cxx_name(info.dli_sname, name, sizeof name);
        snprintf(site->name, sizeof site->name, "%.64s+0x%llx", name,
                 (unsigned long long)((char *)address - (char *)info.dli_saddr));
    }
}

uint16_t ncs_recorder_add_site(struct recorder_file *f, const struct ncs_recording_site *site)
{
    uint16_t index = 0;
    pthread_mutex_lock(&recorder_add_lock);
    uint32_t at = f->head->sites;
    if (at < f->head->area[NCS_RECORDING_SITES].entries) {
        f->site[at] = *site;
        index = (uint16_t)(at + 1);
        f->head->sites = at + 1;
    }
    pthread_mutex_unlock(&recorder_add_lock);
    return index;
}

/* An address that is looked up for the first time. */
static struct recorder_site look_at_site(struct recorder_file *f, struct recorder_site *known, void *address)
{
    struct ncs_recording_site site;
    struct recorder_site found = { .address = address };
    int error = errno;
    describe_site(&site, address, &found.in_library); /* outside of the lock: it takes the loader's, whose holder may want ours */
    if (found.in_library && ncs_recorder_looks_for_python())
        ncs_python_look();
    pthread_mutex_lock(&recorder_site_lock);
    if (known->address == address) {
        found = *known;
    } else {
        bool is_free = !known->address;
        found.index = is_free ? ncs_recorder_add_site(f, &site) : 0;
        if (is_free) {
            known->index = found.index;
            known->in_library = found.in_library;
            __atomic_store_n(&known->address, address, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&recorder_site_lock);
    errno = error;
    return found;
}

static struct recorder_site find_site(struct recorder_file *f, void *address)
{
    uint64_t hash = ncs_mix((uint64_t)(uintptr_t)address);
    for (uint64_t i = 0; i < PROBES; i++) {
        struct recorder_site *known = &recorder_sites[(hash + i) & (KNOWN - 1)];
        void *there = __atomic_load_n(&known->address, __ATOMIC_ACQUIRE);
        if (there == address)
            return *known;
        if (!there)
            return look_at_site(f, known, address);
    }
    return (struct recorder_site){ .in_library = true };
}

uint16_t ncs_recorder_site(struct recorder_file *f, void *address)
{
    struct recorder_site site = find_site(f, address);
    uint16_t line = site.in_library ? ncs_recorder_line(f) : 0;
    return line ? line : site.index;
}

void ncs_recorder_forget_sites(void)
{
    memset(recorder_sites, 0, sizeof recorder_sites);
    pthread_mutex_init(&recorder_site_lock, NULL);
    pthread_mutex_init(&recorder_add_lock, NULL);
}
