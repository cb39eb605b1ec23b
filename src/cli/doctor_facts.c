/* The facts of one process: a JSON text of schema ncclscript.doctor-facts/1, which goes to the process that compares. */
#define _GNU_SOURCE /* environ */
#include "cli/doctor_facts.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/safe.h"

#define GIB ((uint64_t)1 << 30)

/* Variables that change what NCCL, CUDA or the network below them do. */
static const char *const facts_prefix[] = {
    "NCCL_", "CUDA_", "UCX_", "OMPI_MCA_btl", "FI_", "LD_LIBRARY_PATH=", NULL,
};

static void facts_set(json_t *to, const char *key, const char *text)
{
    struct ncs_str safe = { 0 };
    ncs_safe_utf8(&safe, text, strlen(text));
    json_object_set_new(to, key, json_string(safe.text ? safe.text : ""));
    ncs_str_free(&safe);
}

/* ---- libraries and GPUs ---- */

static void facts_add_library(json_t *to, const struct ncs_library *l, const char *version_key, const char *path_key)
{
    char version[24];
    facts_set(to, version_key, l->handle ? ncs_library_version(l, version, sizeof version) : "not found");
    if (l->handle && l->path)
        facts_set(to, path_key, l->path);
}

static bool facts_are_alike(const struct ncs_health_device *a, const struct ncs_health_device *b)
{
    return strcmp(a->name, b->name) == 0 && a->major == b->major && a->minor == b->minor;
}

/* "8 x NVIDIA H100 80GB (capability 9.0)", and so on for GPUs of other names. */
static void facts_add_devices(json_t *to, const struct ncs_health *h)
{
    struct ncs_str text = { 0 };
    int listed = h->devices < NCS_HEALTH_DEVICES ? h->devices : NCS_HEALTH_DEVICES;
    for (int i = 0, next; i < listed; i = next) {
        const struct ncs_health_device *d = &h->device[i];
        for (next = i + 1; next < listed && facts_are_alike(d, &h->device[next]); next++)
            continue;
        int alike = next - i + (next == listed ? h->devices - listed : 0);
        ncs_str_addf(&text, "%s%d x %s (capability %d.%d)", i ? ", " : "", alike, d->name[0] ? d->name : "unnamed", d->major,
                     d->minor);
    }
    facts_set(to, "gpus", text.text ? text.text : "none");
    ncs_str_free(&text);
    if (h->driver) {
        char version[24];
        snprintf(version, sizeof version, "%d.%d", h->driver / 1000, h->driver % 1000 / 10);
        facts_set(to, "driver", version);
    } else if (h->lib[1].handle) {
        facts_set(to, "driver", "none");
    }
}

static json_t *facts_ids(const struct ncs_health *h)
{
    json_t *ids = json_array();
    for (int i = 0; i < h->devices && i < NCS_HEALTH_DEVICES; i++)
        json_array_append_new(ids, json_string(h->device[i].id));
    return ids;
}

/* Why real runs are not possible; empty: they are. */
static void facts_lack(const struct ncs_health *h, struct ncs_str *why)
{
    for (int i = 0; i < 2; i++)
        if (!h->lib[i].handle)
            ncs_str_addf(why, "%s%s", why->bytes ? "; " : "", h->lack[i].text);
    if (h->lib[1].handle && h->devices <= 0)
        ncs_str_addf(why, "%sno GPU%s%s", why->bytes ? "; " : "", h->why ? ": " : "", h->why ? h->why : "");
}

/* ---- the system ---- */

static void facts_add_limit(json_t *to, const char *key, int resource, bool bytes)
{
    struct rlimit limit;
    char text[32];
    if (getrlimit(resource, &limit) != 0)
        return;
    if (limit.rlim_cur == RLIM_INFINITY)
        facts_set(to, key, "unlimited");
    else if (bytes)
        facts_set(to, key, ncs_format_size(limit.rlim_cur, text, sizeof text));
    else {
        snprintf(text, sizeof text, "%llu", (unsigned long long)limit.rlim_cur);
        facts_set(to, key, text);
    }
}

/* It is half of the memory, which differs by some pages from one machine to the next: sizes are rounded. */
static void facts_add_shared_memory(json_t *to)
{
    struct statvfs about;
    char text[32];
    if (statvfs("/dev/shm", &about) != 0) {
        facts_set(to, "shm", "no /dev/shm");
        return;
    }
    uint64_t bytes = (uint64_t)about.f_blocks * about.f_frsize;
    if (bytes >= 10 * GIB)
        bytes = (bytes + GIB / 2) / GIB * GIB;
    facts_set(to, "shm", ncs_format_size(bytes, text, sizeof text));
}

static void facts_add_system(json_t *to)
{
    struct utsname name;
    if (uname(&name) == 0) {
        facts_set(to, "machine", name.machine);
        facts_set(to, "kernel", name.release);
    }
    facts_add_limit(to, "memlock", RLIMIT_MEMLOCK, true);
    facts_add_limit(to, "open_files", RLIMIT_NOFILE, false);
    facts_add_shared_memory(to);
}

/* ---- variables ---- */

static bool facts_want(const char *variable)
{
    for (int i = 0; facts_prefix[i]; i++)
        if (strncmp(variable, facts_prefix[i], strlen(facts_prefix[i])) == 0)
            return true;
    return false;
}

/* Adds as many variables as have room in `most` bytes. Returns the number of others. */
static int facts_add_variables(json_t *to, size_t most)
{
    struct ncs_str name = { 0 };
    int left_out = 0;
    for (char **variable = environ; variable && *variable; variable++) {
        size_t bytes = strlen(*variable), length = strcspn(*variable, "=");
        if (!facts_want(*variable) || length == bytes)
            continue;
        if (bytes > most) {
            left_out++;
            continue;
        }
        most -= bytes;
        ncs_str_clear(&name);
        ncs_safe_utf8(&name, *variable, length);
        facts_set(to, name.text, *variable + length + 1);
    }
    ncs_str_free(&name);
    return left_out;
}

/* ---- all of it ---- */

static json_t *facts_object(const struct ncs_health *h, size_t variables)
{
    json_t *facts = json_object(), *environment = json_object();
    struct ncs_str why = { 0 };
    facts_set(facts, "ncclscript", NCCLSCRIPT_VERSION);
    facts_set(facts, "simulator", h->sim_fault ? h->sim_fault : "works");
    facts_add_library(facts, &h->lib[0], "nccl", "nccl_path");
    facts_add_library(facts, &h->lib[1], "cuda", "cuda_path");
    facts_add_devices(facts, h);
    facts_add_system(facts);
    int left_out = facts_add_variables(environment, variables);
    facts_lack(h, &why);
    json_t *o = json_pack("{s:s, s:o, s:o, s:i, s:i, s:o, s:b, s:b}", "schema", "ncclscript.doctor-facts/1", "facts", facts,
                          "environment", environment, "left_out", left_out, "gpus", h->devices > 0 ? h->devices : 0, "ids",
                          facts_ids(h), "can_share", ncs_health_can_share(h), "several", h->several);
    if (why.bytes)
        facts_set(o, "why_not", why.text);
    ncs_str_free(&why);
    return o;
}

char *ncs_doctor_facts(const struct ncs_health *h, size_t most)
{
    /* JSON writes a control character as six bytes, so that less than `most` bytes of variables may be too many. */
    for (size_t variables = most / 2;; variables /= 2) {
        json_t *o = facts_object(h, variables);
        char *text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
        json_decref(o);
        if (text && strlen(text) < most) {
            char *copy = ncs_copy_text(text);
            free(text);
            return copy;
        }
        free(text);
        if (variables == 0)
            return ncs_copy_text("{}");
    }
}
