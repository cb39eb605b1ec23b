/* Names of kernels by the address of their stub in the program. Modules come and go with dlopen and dlclose. */
#include <pthread.h>
#include <stdint.h>

#include "base/mem.h"
#include "shim/kernel/kernel.h"

#define BUCKETS 16384

struct known {
    const void *host, *module;
    const char *name;
    struct known *next, *next_of_module;
};

struct module {
    const void *handle;
    struct known *first;
    struct module *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *bucket[BUCKETS];
static struct module *modules; /* the latest first: it is the one that registers */

static struct known **bucket_of(const void *host)
{
    uint64_t mixed = (uint64_t)(uintptr_t)host * 0x9e3779b97f4a7c15u;
    return &bucket[mixed >> 50];
}

static struct module *module_of(const void *handle)
{
    struct module *m = modules;
    while (m && m->handle != handle)
        m = m->next;
    if (m)
        return m;
    m = ncs_new(sizeof *m);
    *m = (struct module){ .handle = handle, .next = modules };
    return modules = m;
}

void shim_kernel_register(const void *module, const void *host, const char *name)
{
    pthread_mutex_lock(&lock);
    struct module *m = module_of(module);
    struct known **at = bucket_of(host), *k = ncs_new(sizeof *k);
    *k = (struct known){ .host = host, .module = module, .name = name, .next = *at, .next_of_module = m->first };
    m->first = *at = k;
    pthread_mutex_unlock(&lock);
}

static void take_out(struct known *k)
{
    struct known **at = bucket_of(k->host);
    while (*at != k)
        at = &(*at)->next;
    *at = k->next;
}

void shim_kernel_forget(const void *module)
{
    pthread_mutex_lock(&lock);
    struct module **at = &modules;
    while (*at && (*at)->handle != module)
        at = &(*at)->next;
    struct module *gone = *at;
    if (gone) {
        *at = gone->next;
        for (struct known *k = gone->first, *next; k; k = next) {
            next = k->next_of_module;
            take_out(k);
            ncs_free(k);
        }
        ncs_free(gone);
    }
    pthread_mutex_unlock(&lock);
}

const char *shim_kernel_name(const void *host)
{
    pthread_mutex_lock(&lock);
    const struct known *k = *bucket_of(host);
    while (k && k->host != host)
        k = k->next;
    const char *name = k ? k->name : NULL;
    pthread_mutex_unlock(&lock);
    return name;
}
