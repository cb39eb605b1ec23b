/* A variable that ranks of a communicator do not share, though NCCL needs one value. The simulator carries the calls out all the
 * same, so this is a remark on what GPUs would do. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "api/weight.h"
#include "base/mem.h"
#include "base/safe.h"
#include "diagnose/party.h"

enum { VALUE_BYTES = 60 }; /* of a value that is shown */

static const enum ncs_phrase variable_effects[NCS_EFFECTS] = {
    [NCS_EFFECT_ALGORITHM] = NCS_PHRASE_variable_algorithm, [NCS_EFFECT_CHANNELS] = NCS_PHRASE_variable_channels,
    [NCS_EFFECT_CHUNKS] = NCS_PHRASE_variable_chunks,       [NCS_EFFECT_TRANSPORT] = NCS_PHRASE_variable_transport,
    [NCS_EFFECT_DEVICES] = NCS_PHRASE_variable_devices,     [NCS_EFFECT_MEETING] = NCS_PHRASE_variable_meeting,
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

/* "NCCL_ALGO is Ring on rank 2, and not set on ranks 0, 1, 3": the ranks to blame come first. */
static struct ncs_sentence *variable_say(const char *name, const struct variable_groups *all)
{
    struct ncs_sentence *s = NULL;
    size_t told = 0;
    for (int odd = 1; odd >= 0; odd--)
        for (size_t i = 0; i < all->groups; i++) {
            const struct variable_group *g = &all->group[i];
            struct ncs_str cut = { 0 }, value = { 0 };
            if (g->odd != odd)
                continue;
            const char *text = g->value ? g->value : "";
            ncs_str_add_bytes(&cut, text, strnlen(text, VALUE_BYTES));
            ncs_safe_line(&value, cut.text);
            s = ncs_say(variable_group, ncs_fact_sentence("before", s), ncs_fact_is("last", ++told == all->groups),
                        ncs_fact_text("name", name), ncs_fact_is("set", g->value), ncs_fact_text("value", value.text),
                        ncs_fact_is("cut", strlen(text) > VALUE_BYTES), ncs_fact_ranks("who", g->rank, g->ranks));
            ncs_str_free(&cut);
            ncs_str_free(&value);
        }
    return s;
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
    variable_group_members(q, setting, comm, &all);
    variable_blame(&all);
    d->f.why = ncs_say(variable_of_one_rank_why, ncs_fact_sentence("groups", variable_say(setting->name, &all)),
                       ncs_fact_comm(q, comm),
                       ncs_fact_sentence("effect", ncs_sentence_of(variable_effects[effect], &(struct ncs_fact){ 0 }, 1)));
    for (size_t i = 0; i < all.groups; i++)
        for (size_t k = 0; all.group[i].odd && k < all.group[i].ranks; k++)
            ncs_add_culprit(d, all.group[i].rank[k], 0, 0);
    variable_free(&all);
    d->f.title = ncs_text("%s differs between ranks of %s", setting->name, ncs_comm_name(q, comm));
    d->f.comm = ncs_copy_text(ncs_comm_name(q, comm));
    d->f.fix = ncs_say(variable_of_one_rank_fix, ncs_fact_text("name", setting->name));
    d->f.evidence = ncs_say(variable_of_one_rank_evidence);
    d->f.certainty = NCS_UNDEFINED;
    return true;
}

const struct ncs_rule ncs_rule_variable_of_one_rank = { .match = variable_of_one_rank_match,
                                                        .ground = NCS_GROUND_NOTICED,
                                                        .by_title = true };
