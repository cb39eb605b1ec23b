/* Checks declarations: values in range; ranks, rules and names that exist. */
#include <string.h>

#include "api/gen/api.h"
#include "api/types.h"
#include "base/mem.h"
#include "base/near.h"
#include "scenario/scenario.h"

#define MOST_DEVICES 1024
#define MOST_POLLS 1000000
#define MOST_LANES 1000000

/* The destination of errors, and the key of the declaration that is being checked. */
struct check {
    const char *key;
    struct ncs_error *err;
};

/* `what` is the key alone, or its section and the key: "sim: nccl". */
static struct ncs_error *check_place_of(struct check *c, const char *what)
{
    const char *colon = strrchr(what, ':');
    c->key = colon ? colon + 2 : what;
    return c->err;
}

static bool in_range(struct check *c, const char *what, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return true;
    return ncs_fail(check_place_of(c, what), NCS_BAD_INPUT, "%s = %lld: expected %lld to %lld", what, (long long)value,
                    (long long)least, (long long)most);
}

static bool is_rank(struct check *c, const char *what, int rank, int ranks)
{
    if (rank >= 0 && rank < ranks)
        return true;
    ncs_fail(check_place_of(c, what), NCS_BAD_INPUT, "outcome: %s = %d: the run has ranks 0 to %d", what, rank, ranks - 1);
    if (rank == ranks)
        ncs_fail_hint(c->err, "ranks count from 0");
    return false;
}

static bool are_ranks(struct check *c, const char *what, const int *list, size_t count, int ranks)
{
    for (size_t i = 0; i < count; i++)
        if (!is_rank(c, what, list[i], ranks))
            return false;
    return true;
}

static bool check_is_rule(struct check *c, const char *what, const char *rule)
{
    if (!rule)
        return true;
    for (const char *const *id = ncs_rule_ids; *id; id++)
        if (strcmp(*id, rule) == 0)
            return true;
    ncs_fail(check_place_of(c, what), NCS_BAD_INPUT, "outcome: %s = `%s`: no such rule", what, rule);
    return ncs_fail_near(c->err, rule, ncs_rule_ids, 0);
}

/* All codes of both libraries are below. */
#define MOST_CODE 1024

struct names {
    const char **name;
    size_t count, room;
};

static void add_results(struct names *names, const char *(*name_of)(int code))
{
    for (int code = 0; code < MOST_CODE; code++) {
        const char *name = name_of(code);
        if (strncmp(name, "unknown ", 8) != 0)
            NCS_PUSH(names->name, names->count, names->room, name);
    }
}

/* An error that ends a rank is named by a result code or by a kind of error. */
static bool is_error_name(struct check *c, const char *name)
{
    struct names names = { 0 };
    for (int kind = NCS_KIND_NCCL; kind <= NCS_KIND_LUA; kind++)
        NCS_PUSH(names.name, names.count, names.room, ncs_error_kind_name(kind));
    if (ncs_result_from_name(name) < 0) {
        bool known = false;
        for (size_t i = 0; i < names.count; i++)
            known |= strcmp(names.name[i], name) == 0;
        if (!known) {
            add_results(&names, ncs_nccl_result_name);
            add_results(&names, ncs_cuda_error_name);
            ncs_fail(check_place_of(c, "error"), NCS_BAD_INPUT,
                     "outcome: error = `%s`: expected the name of an NCCL or CUDA result, or nccl, "
                     "cuda, usage, expect, lua",
                     name);
            ncs_fail_near(c->err, name, names.name, names.count);
            ncs_free(names.name);
            return false;
        }
    }
    ncs_free(names.name);
    return true;
}

static bool is_function(struct check *c, const char *name)
{
    const char *names[NCS_FN_COUNT];
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        names[fn] = ncs_fn_info[fn].name;
        if (strcmp(names[fn], name) == 0)
            return true;
    }
    ncs_fail(check_place_of(c, "call"), NCS_BAD_INPUT, "outcome: call = `%s`: no such function of NCCL or CUDA", name);
    return ncs_fail_near(c->err, name, names, NCS_FN_COUNT);
}

static bool is_certainty(struct check *c, const char *name)
{
    for (const char *const *known = ncs_certainty_names; name && *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    if (!name)
        return true;
    ncs_fail(check_place_of(c, "certainty"), NCS_BAD_INPUT,
             "outcome: certainty = `%s`: expected certain, luck, undefined or likely", name);
    return ncs_fail_near(c->err, name, ncs_certainty_names, 0);
}

static bool check_finding(struct check *c, const struct ncs_outcome_finding *f, int ranks)
{
    return are_ranks(c, "culprit", f->culprit, f->culprits, ranks) && are_ranks(c, "waiting", f->waiting, f->waitings, ranks) &&
           in_range(c, "outcome: call", f->call, 0, UINT32_MAX) && check_is_rule(c, "finding", f->rule) &&
           is_certainty(c, f->certainty);
}

/* True for "A1": a class of the catalogue and a number. */
static bool is_entry(struct check *c, const char *entry)
{
    size_t digits = entry ? strspn(entry + (*entry != '\0'), "0123456789") : 0;
    if (!entry || (*entry >= 'A' && *entry <= 'Z' && entry[1] != '0' && digits > 0 && digits <= 2 && !entry[1 + digits]))
        return true;
    return ncs_fail(check_place_of(c, "entry"), NCS_BAD_INPUT, "bug: entry = `%s`: expected a letter and a number such as A1",
                    entry);
}

static bool check_scenario_outcome(struct check *c, const struct ncs_outcome *o, int ranks, int named)
{
    return are_ranks(c, "culprit", o->culprit, o->culprits, named) && are_ranks(c, "waiting", o->waiting, o->waitings, named) &&
           (o->rank == -1 || is_rank(c, o->verdict == NCS_LOST ? "lost" : "rank", o->rank, ranks)) &&
           in_range(c, "outcome: call", o->call, 0, UINT32_MAX) && in_range(c, "outcome: first", o->first, 0, INT64_MAX) &&
           in_range(c, "outcome: findings", o->findings, 0, INT32_MAX) && check_is_rule(c, "why", o->why) &&
           check_finding(c, &o->finding, named) && (!o->error_name || is_error_name(c, o->error_name)) &&
           (!o->error_call || is_function(c, o->error_call));
}

static bool check_driver(struct check *c, const char *name)
{
    static const char *const drivers[] = { "sim", "nccl", NULL };
    if (!name || strcmp(name, drivers[0]) == 0 || strcmp(name, drivers[1]) == 0)
        return true;
    ncs_fail(check_place_of(c, "driver"), NCS_BAD_INPUT, "needs: driver = `%s`: expected sim or nccl", name);
    return ncs_fail_near(c->err, name, drivers, 0);
}

static bool check_hosts(struct check *c, const struct ncs_shape *hosts)
{
    for (size_t i = 0; i < hosts->firsts; i++)
        if (!in_range(c, "devices", hosts->first[i], 1, MOST_DEVICES))
            return false;
    return in_range(c, "devices", hosts->devices, 1, MOST_DEVICES);
}

static bool check_scenario_version(struct check *c, int version)
{
    if (version == 0 || ncs_nccl_is_profile(version))
        return true;
    char text[16];
    struct ncs_str known = { 0 };
    for (const char *const *p = ncs_nccl_profiles; *p; p++)
        ncs_str_addf(&known, "%s%s", p == ncs_nccl_profiles ? "" : p[1] ? ", " : " or ", *p);
    ncs_fail(check_place_of(c, "nccl"), NCS_BAD_INPUT, "sim: nccl = `%s`: the simulator can be NCCL %s",
             ncs_nccl_version_text(version, text, sizeof text), known.text);
    ncs_str_free(&known);
    return false;
}

/* Settings of one rank: of a rank that the run has. */
static bool check_owns(struct check *c, const struct ncs_scenario *s)
{
    for (size_t i = 0; i < s->owns.count; i++) {
        const struct ncs_own *own = &s->owns.own[i];
        const char *what = own->variable ? "env" : "sim: nccl";
        if (own->process < 0 || own->process >= s->ranks) {
            ncs_fail(check_place_of(c, what), NCS_BAD_INPUT, "%s: rank %d: the run has ranks 0 to %d", what, own->process,
                     s->ranks - 1);
            return own->process == s->ranks ? ncs_fail_hint(c->err, "ranks count from 0") : false;
        }
        if (!own->variable && !check_scenario_version(c, own->nccl_version))
            return false;
    }
    return true;
}

/* The number of ranks that a finding may name: a script that makes its own communicators may have several
 * ranks of one in a process, one per device. */
static int named_ranks(const struct ncs_scenario *s)
{
    int most = ncs_shape_most(&s->hosts), gpus = s->needs_gpus > most ? s->needs_gpus : most;
    return s->world || gpus < 1 ? s->ranks : s->ranks * gpus;
}

bool ncs_scenario_check(const struct ncs_scenario *s, const char **key, struct ncs_error *err)
{
    struct check check = { .err = err }, *c = &check;
    bool fine = in_range(c, "ranks", s->ranks, 1, NCS_RANKS_MOST) && check_hosts(c, &s->hosts) &&
                in_range(c, "timeout", s->timeout, 0, INT64_MAX) && check_driver(c, s->needs_driver) &&
                in_range(c, "needs: nccl", s->needs_nccl, 0, INT32_MAX) &&
                in_range(c, "needs: gpus", s->needs_gpus, 0, INT32_MAX) && check_scenario_version(c, s->sim_nccl) &&
                check_owns(c, s) && in_range(c, "sim: lanes", s->sim_lanes, 0, MOST_LANES) &&
                in_range(c, "sim: ready_after", s->sim_ready_after, 0, MOST_POLLS) &&
                check_scenario_outcome(c, &s->outcome, s->ranks, named_ranks(s)) && is_entry(c, s->bug.entry);
    if (key)
        *key = check.key;
    return fine;
}
