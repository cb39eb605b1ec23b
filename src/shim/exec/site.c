#define _GNU_SOURCE /* dladdr */
#include "shim/exec/site.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/python.h"
#include "shim/many/wire.h"

/* Facts about an address, kept by each thread for the addresses that it has used last. */
struct known {
    const void *caller;
    int site;         /* 0 = a binding's: its address says nothing about the program */
    bool in_library;  /* Python code may be behind it */
    bool in_recorder; /* the program's own address is behind it */
};

enum { KNOWN = 64 };

static _Thread_local struct known *known; /* by hash of the address; of KNOWN elements */
static pthread_key_t known_key;
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct ncs_site *site[NCS_SITES_MOST];
static size_t sites;
static struct ncs_map by_hash; /* hash of a site -> its number */
static time_t begin;

/* ---- the table ---- */

static bool site_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_site(const struct ncs_site *a, const struct ncs_site *b)
{
    return a->address == b->address && a->line == b->line && site_same_text(a->module, b->module) &&
           site_same_text(a->file, b->file) && site_same_text(a->function, b->function);
}

static uint64_t site_hash(const struct ncs_site *s)
{
    uint64_t hash = ncs_hash(ncs_map_key(s->address), (uint64_t)s->line);
    hash = s->module ? ncs_hash_bytes(hash, s->module, strlen(s->module)) : hash;
    hash = s->file ? ncs_hash_bytes(hash, s->file, strlen(s->file)) : hash;
    return s->function ? ncs_hash_bytes(hash, s->function, strlen(s->function)) : hash;
}

/* The number of the site; adds a copy if it is new. With the lock. */
static int site_intern(const struct ncs_site *wanted)
{
    uint64_t hash = site_hash(wanted);
    size_t at;
    while ((at = ncs_map_number(&by_hash, hash)) && !is_same_site(site[at - 1], wanted))
        hash = ncs_mix(hash + 1);
    if (at || sites == NCS_SITES_MOST)
        return (int)at;
    struct ncs_site *fresh = ncs_new(sizeof *fresh);
    *fresh = (struct ncs_site){ .address = wanted->address,
                                .module = ncs_copy_text(wanted->module),
                                .file = ncs_copy_text(wanted->file),
                                .line = wanted->line,
                                .function = ncs_copy_text(wanted->function) };
    if (wanted->path)
        fresh->path = ncs_copy_text(wanted->path);
    else if (wanted->file) /* now, because the program may leave its folder */
        fresh->path = ncs_path_absolute(wanted->file);
    if (!begin)
        begin = time(NULL);
    site[sites++] = fresh;
    ncs_map_put_number(&by_hash, hash, sites);
    return (int)sites;
}

int ncs_site_named(const char *file, int line, const char *function)
{
    struct ncs_site wanted = { .file = (char *)file, .line = line, .function = (char *)function };
    pthread_mutex_lock(&lock);
    int number = site_intern(&wanted);
    pthread_mutex_unlock(&lock);
    return number;
}

void ncs_site_describe(int number, struct wire_site *out)
{
    const struct ncs_site *s = ncs_site_at(number);
    Dl_info info = { 0 };
    struct link_map *map = NULL;
    out->line = s->line;
    out->address = (uint64_t)(uintptr_t)s->address;
    snprintf(out->file, sizeof out->file, "%s", s->path ? s->path : s->file ? s->file : "");
    snprintf(out->function, sizeof out->function, "%s", s->function ? s->function : "");
    out->module[0] = '\0';
    if (!s->address || !dladdr1((void *)s->address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return;
    out->address -= map ? map->l_addr : 0;
    if (map && !map->l_prev) { /* the program's own file; its name may be relative */
        ssize_t bytes = readlink("/proc/self/exe", out->module, sizeof out->module - 1);
        out->module[bytes > 0 ? bytes : 0] = '\0';
    } else {
        snprintf(out->module, sizeof out->module, "%s", info.dli_fname);
    }
}

int ncs_site_described(const struct wire_site *d)
{
    struct ncs_site wanted = { .address = d->line > 0 ? NULL : (void *)(uintptr_t)d->address, .line = d->line };
    wanted.module = (char *)(d->module[0] ? d->module : NULL);
    wanted.file = wanted.path = (char *)(d->file[0] ? d->file : NULL);
    wanted.function = (char *)(d->function[0] ? d->function : NULL);
    pthread_mutex_lock(&lock);
    int number = site_intern(&wanted);
    pthread_mutex_unlock(&lock);
    return number;
}

struct ncs_place ncs_site_place(void *number)
{
    static const char any_file[] = "program";
    if (!number)
        return (struct ncs_place){ 0 };
    return (struct ncs_place){ .file = any_file, .line = NCS_SITE_FIRST + (int)(uintptr_t)number };
}

size_t ncs_site_count(void)
{
    pthread_mutex_lock(&lock);
    size_t count = sites;
    pthread_mutex_unlock(&lock);
    return count;
}

const struct ncs_site *ncs_site_at(int number)
{
    pthread_mutex_lock(&lock);
    const struct ncs_site *found = number > 0 && (size_t)number <= sites ? site[number - 1] : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

time_t ncs_site_begin(void)
{
    return begin;
}

/* ---- addresses ---- */

/* A language's binding makes all its calls from one address, which says nothing about the program. */
static bool is_binding(const char *path)
{
    static const char *const bindings[] = { "libffi", "_ctypes", "_cffi" };
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++)
        if (strncmp(file, bindings[i], strlen(bindings[i])) == 0)
            return true;
    return false;
}

/* Under `record` all calls come through its library. */
static bool is_recorder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "libncclscript-record.so") == 0;
}

static struct known look_at(void *caller)
{
    Dl_info info = { 0 };
    struct link_map *map = NULL;
    struct ncs_site wanted = { .address = caller };
    bool found = dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && info.dli_fname;
    struct known k = { .caller = caller, .in_library = !found || (map && map->l_prev) };
    k.in_recorder = found && is_recorder(info.dli_fname);
    if (k.in_recorder)
        return k;
    ncs_python_look();
    pthread_mutex_lock(&lock);
    k.site = found && is_binding(info.dli_fname) ? 0 : site_intern(&wanted);
    pthread_mutex_unlock(&lock);
    return k;
}

static void drop_known(void *of_thread)
{
    known = NULL; /* the thread may still make calls while it ends */
    ncs_free(of_thread);
}

static void make_known_key(void)
{
    pthread_key_create(&known_key, drop_known);
}

static struct known *known_of(void *caller)
{
    if (!known) {
        pthread_once(&known_once, make_known_key);
        known = ncs_new(KNOWN * sizeof *known);
        pthread_setspecific(known_key, known);
    }
    struct known *k = &known[ncs_mix(ncs_map_key(caller)) % KNOWN];
    if (k->caller != caller)
        *k = look_at(caller);
    return k;
}

static void *(*recorder_caller)(void);

static void find_recorder(void)
{
    *(void **)&recorder_caller = dlsym(RTLD_DEFAULT, "ncclscriptRecordCaller");
}

/* NULL = unknown. */
static void *caller_of_recorder(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    pthread_once(&found, find_recorder);
    return recorder_caller ? recorder_caller() : NULL;
}

int ncs_site_find(void *caller)
{
    if (!caller)
        return 0;
    const struct known *k = known_of(caller);
    void *outer = k->in_recorder ? caller_of_recorder() : NULL;
    if (outer)
        k = known_of(outer);
    int number = k->in_library ? ncs_python_site() : 0;
    return number ? number : k->site;
}
