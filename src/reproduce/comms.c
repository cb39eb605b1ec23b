/* The communicators of a job: which of them are made in one place, and what the scenario calls them. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "api/types.h"
#include "base/mem.h"
#include "reproduce/workload.h"

struct members {
    const struct ncs_workload_source *source;
    const struct ncs_comm_info *info;
    int ranks; /* of the job */
};

int ncs_workload_member(const struct ncs_workload_source *source, const struct ncs_comm_info *info, int i)
{
    bool known = i >= 0 && i < info->members && info->member[i].rank >= 0;
    return known ? ncs_number_of(source->diagnosis, &info->member[i]) : -1;
}

static int family_member(const struct members *m, int i)
{
    int rank = ncs_workload_member(m->source, m->info, i);
    return rank < m->ranks ? rank : -1;
}

static bool is_world_of(const struct members *m)
{
    for (int i = 0; i < m->ranks; i++)
        if (family_member(m, i) != i)
            return false;
    return m->info->nranks == m->ranks;
}

static bool comm_is_used(const struct ncs_comm_info *info)
{
    for (int i = 0; i < info->members; i++)
        if (info->member[i].first)
            return true;
    return false;
}

static bool meets_family(const struct ncs_workload_family *f, const struct members *m)
{
    for (int i = 0; i < m->info->nranks; i++) {
        int rank = family_member(m, i);
        if (rank >= 0 && f->comm[rank] >= 0)
            return true;
    }
    return false;
}

static size_t without_number(const char *name)
{
    size_t bytes = strlen(name);
    while (bytes > 0 && isdigit((unsigned char)name[bytes - 1]))
        bytes--;
    return bytes;
}

/* "world/dp0" and "world/dp1" */
static bool have_numbers(const struct ncs_comm_info *a, const struct ncs_comm_info *b)
{
    size_t bytes = a->name ? without_number(a->name) : 0;
    return bytes > 0 && b->name && a->name[bytes] && without_number(b->name) == bytes && b->name[bytes] &&
           strncmp(a->name, b->name, bytes) == 0;
}

/* Siblings are made by one call of all ranks; a record of a job names them so (ncs_comm_info.split), or numbers them. */
static bool are_siblings(const struct ncs_comm_info *a, const struct ncs_comm_info *b)
{
    bool by_split = a->split && a->split == b->split && a->parent == b->parent;
    return by_split || (!a->split && !b->split && a->nranks == b->nranks && have_numbers(a, b));
}

static void join_family(struct ncs_workload_family *f, const struct members *m)
{
    const struct ncs_comm_info *info = m->info;
    for (int i = 0; i < info->nranks; i++) {
        int rank = family_member(m, i);
        if (rank < 0)
            continue;
        f->comm[rank] = f->comms;
        f->rank[rank] = i;
    }
    f->size = ncs_resize(f->size, (size_t)(f->comms + 1) * sizeof *f->size);
    f->comm_name = ncs_resize(f->comm_name, (size_t)(f->comms + 1) * sizeof *f->comm_name);
    f->size[f->comms] = info->nranks;
    f->comm_name[f->comms++] = ncs_copy_text(info->name);
}

/* ---- names ---- */

/* Names of streams, events, buffers and functions of the scenario: s2, e1, x_32, call_1, and of tables of them: s, x, call. */
static bool is_of_writer(const char *name)
{
    bool numbered = (name[0] == 's' || name[0] == 'e') && strspn(name + 1, "0123456789") == strlen(name + 1);
    bool function = strncmp(name, "call", 4) == 0 && (name[4] == '_' || !name[4]);
    return numbered || function || (name[0] && strchr("xyz", name[0]) && (name[1] == '_' || !name[1]));
}

static bool name_is_taken(const struct ncs_workload *job, const char *name)
{
    static const char *const reserved[] = { "and",      "break",  "do",      "else",   "elseif", "end",      "false",   "for",
                                            "function", "goto",   "if",      "in",     "local",  "nil",      "not",     "or",
                                            "repeat",   "return", "then",    "true",   "until",  "while",    "rank",    "nranks",
                                            "world",    "stream", "param",   "nccl",   "cuda",   "store",    "barrier", "spawn",
                                            "sleep",    "clock",  "skip",    "expect", "fault",  "scenario", "math",    "string",
                                            "table",    "step",   "i",       "C",      "_",      "_G",       "_ENV",    "error",
                                            "print",    "ipairs", "tostring" };
    static const char *const of_yaml[] = { "y", "n", "yes", "no", "on", "off", "true", "false", "null" }; /* in any letters */
    if (is_of_writer(name) || ncs_dtype_from_name(name) >= 0)
        return true;
    for (size_t i = 0; i < sizeof of_yaml / sizeof *of_yaml; i++)
        if (strcasecmp(name, of_yaml[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    for (size_t i = 0; i < job->families; i++)
        if (job->family[i].name && strcmp(name, job->family[i].name) == 0)
            return true;
    return false;
}

/* "mesh_tp" of "mesh tp[0]": a name of Lua and YAML, unique in the job. */
static char *family_variable(const struct ncs_workload *job, const char *text)
{
    struct ncs_str plain = { 0 }, name = { 0 };
    for (const char *c = text ? text : ""; *c && *c != '[' && plain.bytes < 24; c++) {
        bool fits = isalnum((unsigned char)*c) || *c == '_';
        if (fits || (plain.bytes && plain.text[plain.bytes - 1] != '_'))
            ncs_str_addf(&plain, "%c", fits ? *c : '_');
    }
    while (plain.bytes && plain.text[plain.bytes - 1] == '_')
        plain.text[--plain.bytes] = '\0';
    bool begins = plain.bytes && !isdigit((unsigned char)plain.text[0]) && !is_of_writer(plain.text);
    for (int serial = 1; name.bytes == 0 || name_is_taken(job, name.text); serial++) {
        ncs_str_clear(&name);
        ncs_str_addf(&name, "%s%s", begins ? "" : "comm", plain.bytes ? plain.text : "");
        if (serial > 1)
            ncs_str_addf(&name, "_%d", serial);
    }
    ncs_str_free(&plain);
    return ncs_str_take(&name);
}

/* ---- families ---- */

static int new_family(struct ncs_workload *job, const struct members *m)
{
    struct ncs_workload_family f = { .is_world = is_world_of(m) };
    f.comm = ncs_new((size_t)job->ranks * sizeof *f.comm);
    f.rank = ncs_new((size_t)job->ranks * sizeof *f.rank);
    for (int r = 0; r < job->ranks; r++)
        f.comm[r] = f.rank[r] = -1;
    for (size_t i = 0; i < job->families; i++)
        f.is_world &= !job->family[i].is_world;
    f.name = f.is_world ? ncs_copy_text("world") : family_variable(job, m->info->name);
    NCS_PUSH(job->family, job->families, job->family_room, f);
    return (int)job->families - 1;
}

void ncs_workload_read_comms(struct ncs_workload *job, const struct ncs_workload_source *source, const bool *used,
                             int **family_of)
{
    const struct ncs_journal *journal = source->journal;
    int *of = *family_of = ncs_new((journal->comms + 1) * sizeof *of);
    for (size_t c = 0; c < journal->comms; c++) {
        const struct ncs_comm_info *info = journal->comm[c];
        const struct members m = { source, info, job->ranks };
        of[c] = -1;
        if (!comm_is_used(info) && !used[c])
            continue;
        for (size_t k = 0; k < c && of[c] < 0; k++)
            if (of[k] >= 0 && are_siblings(info, journal->comm[k]) && !meets_family(&job->family[of[k]], &m))
                of[c] = of[k];
        if (of[c] < 0)
            of[c] = new_family(job, &m);
        join_family(&job->family[of[c]], &m);
    }
}
