/* A variable that ranks of a communicator do not share, though NCCL needs one value. The simulator carries the calls out all the
 * same, so this is a remark on what GPUs would do. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "api/weight.h"
#include "base/mem.h"
#include "base/safe.h"
#include "diagnose/party.h"

enum { VALUE_BYTES = 60 }; /* of a value that is shown */

static const struct {
    const char *ranks, *then;
} variable_effects[NCS_EFFECTS] = {
    [NCS_EFFECT_ALGORITHM] = { "choose different algorithms or protocols for one call", "the call hangs or gives wrong results" },
    [NCS_EFFECT_CHANNELS] = { "use different numbers of channels or threads for one call",
                              "the call hangs or gives wrong results" },
    [NCS_EFFECT_CHUNKS] = { "cut the same data into chunks of different size", "the call hangs or gives wrong results" },
    [NCS_EFFECT_TRANSPORT] = { "choose different transports for one connection", "the connection fails or the call hangs" },
    [NCS_EFFECT_DEVICES] = { "offer different numbers of network devices", "some channels have no peer, and the call hangs" },
    [NCS_EFFECT_MEETING] = { "look for each other at different addresses", "the communicator is never made" },
};

/* The ranks of a communicator that share a value. */
struct variable_group {
    const char *value; /* NULL = not set */
    int *rank;
    size_t ranks, room;
    bool odd; /* it is to blame */
};

struct variable_groups {
    enum ncs_effect effect;
    struct variable_group *group;
    size_t groups, room;
};

static size_t count_listed(const char *value)
{
    size_t listed = 1;
    for (; *value; value++)
        listed += *value == ',';
    return listed;
}

static bool variable_is_same(enum ncs_effect effect, const char *a, const char *b)
{
    if (effect == NCS_EFFECT_DEVICES && a && b)
        return count_listed(a) == count_listed(b);
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void variable_add(struct variable_groups *all, const char *value, int rank)
{
    size_t i = 0;
    if (all->effect == NCS_EFFECT_DEVICES && !value)
        return; /* all devices, and nothing says how many there are */
    while (i < all->groups && !variable_is_same(all->effect, all->group[i].value, value))
        i++;
    if (i == all->groups)
        NCS_PUSH(all->group, all->groups, all->room, ((struct variable_group){ .value = value }));
    struct variable_group *g = &all->group[i];
    NCS_PUSH(g->rank, g->ranks, g->room, rank);
}

static void variable_free(struct variable_groups *all)
{
    for (size_t i = 0; i < all->groups; i++)
        ncs_free(all->group[i].rank);
    ncs_free(all->group);
    *all = (struct variable_groups){ 0 };
}

static void variable_group_members(const struct ncs_analysis *q, const struct ncs_notice_setting *s, int comm,
                                   struct variable_groups *all)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    for (int i = 0; i < info->members; i++) {
        int rank = info->member[i].rank, process = ncs_process_of_party(q->parties, rank);
        if (rank >= 0 && process >= 0 && process < s->processes)
            variable_add(all, s->value[process], rank);
    }
}

/* The first communicator whose ranks differ, of those with the most ranks; -1 = none. A rank alone, or among ranks like it, does
 * nothing wrong. */
static int variable_comm(const struct ncs_analysis *q, const struct ncs_notice_setting *s)
{
    int found = -1;
    for (size_t i = 0; i < q->journal->comms; i++) {
        struct variable_groups all = { .effect = ncs_variable_of(s->name).effect };
        variable_group_members(q, s, (int)i, &all);
        bool differ = all.groups > 1;
        variable_free(&all);
        if (differ && (found < 0 || q->journal->comm[i]->nranks > q->journal->comm[found]->nranks))
            found = (int)i;
    }
    return found;
}

/* All but the largest group are to blame. If several are largest: the ranks that set the variable, else all. */
static void variable_blame(struct variable_groups *all)
{
    size_t most = 0, largest = 0;
    bool unset = false;
    for (size_t i = 0; i < all->groups; i++)
        most = all->group[i].ranks > most ? all->group[i].ranks : most;
    for (size_t i = 0; i < all->groups; i++) {
        largest += all->group[i].ranks == most;
        unset |= all->group[i].ranks == most && !all->group[i].value;
    }
    for (size_t i = 0; i < all->groups; i++) {
        struct variable_group *g = &all->group[i];
        g->odd = largest == 1 ? g->ranks < most : !unset || g->value;
    }
}

static void variable_format_group(const char *name, const struct variable_group *g, struct ncs_str *s)
{
    struct ncs_str value = { 0 };
    ncs_str_add(s, name ? name : "");
    if (g->value) {
        ncs_str_add_bytes(&value, g->value, strnlen(g->value, VALUE_BYTES));
        ncs_str_add(s, name ? " is " : "");
        ncs_safe_line(s, value.text);
        ncs_str_add(s, strlen(g->value) > VALUE_BYTES ? "..." : "");
    } else {
        ncs_str_add(s, name ? " is not set" : "not set");
    }
    ncs_str_add(s, " on ");
    ncs_format_ranks(s, g->rank, g->ranks);
    ncs_str_free(&value);
}

/* "NCCL_ALGO is Ring on rank 2, and not set on ranks 0, 1, 3": the ranks to blame come first. */
static void variable_format(const char *name, const struct variable_groups *all, struct ncs_str *s)
{
    size_t told = 0;
    for (int odd = 1; odd >= 0; odd--)
        for (size_t i = 0; i < all->groups; i++) {
            if (all->group[i].odd != odd)
                continue;
            told++;
            ncs_str_add(s, told == 1 ? "" : told == all->groups ? ", and " : ", ");
            variable_format_group(told == 1 ? name : NULL, &all->group[i], s);
        }
}

static bool variable_of_one_rank_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_SETTING)
        return false;
    const struct ncs_notice_setting *setting = &r->notice->setting;
    enum ncs_effect effect = ncs_variable_of(setting->name).effect;
    int comm = variable_comm(q, setting);
    if (comm < 0 || effect == NCS_EFFECT_NONE)
        return false;
    struct variable_groups all = { .effect = effect };
    struct ncs_str why = { 0 };
    variable_group_members(q, setting, comm, &all);
    variable_blame(&all);
    variable_format(setting->name, &all, &why);
    for (size_t i = 0; i < all.groups; i++)
        for (size_t k = 0; all.group[i].odd && k < all.group[i].ranks; k++)
            ncs_add_culprit(d, all.group[i].rank[k], 0, 0);
    variable_free(&all);
    ncs_str_addf(&why, ": these ranks of %s may %s; then, on GPUs, %s", ncs_comm_name(q, comm), variable_effects[effect].ranks,
                 variable_effects[effect].then);
    d->f.title = ncs_text("%s differs between ranks of %s", setting->name, ncs_comm_name(q, comm));
    d->f.comm = ncs_copy_text(ncs_comm_name(q, comm));
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(
        ncs_text("give %s one value on all ranks of a communicator, or set it on none; `ncclscript doctor`, started like the "
                 "job, shows what differs between its processes",
                 setting->name));
    d->f.evidence = ncs_plain(ncs_copy_text("by the variables of each rank"));
    d->f.certainty = NCS_UNDEFINED;
    return true;
}

const struct ncs_rule ncs_rule_variable_of_one_rank = { .match = variable_of_one_rank_match,
                                                        .ground = NCS_GROUND_NOTICED,
                                                        .by_title = true };
