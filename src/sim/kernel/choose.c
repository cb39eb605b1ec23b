#include "sim/kernel/choose.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/kernel/world.h"

/* At most so many choices are recorded. A longer schedule would help nobody. */
#define CHOICES_KEPT ((size_t)1 << 20)

static const struct {
    char letter;
    const char *what;
} kinds[] = {
    [CHOOSE_CONTEXT] = { 'c', "one of %zu contexts that are ready" },
    [CHOOSE_EVENT] = { 'e', "one of %zu events of an instant" },
    [CHOOSE_EARLY] = { 'd', "whether the device goes on first" },
    [CHOOSE_YIELD] = { 'y', "whether a context lets others go first" },
    [CHOOSE_KERNEL_SLOT] = { 'l', "one of %zu launches that want a kernel slot" },
    [CHOOSE_BUFFER] = { 'b', "whether a send goes unbuffered" },
    [CHOOSE_RACE] = { 'r', "whether others go on during a launch" },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* With a seed, every order of the events of one instant is equally likely. Other choices take the default
 * three times out of four, so that runs of one context stay together. Launches take kernel slots in the order of issue unless a schedule says otherwise, because
 * NCCL relies on that order for communicators that are used in one order. Buffering is left to the
 * policy. */
static size_t draw(enum choice kind, size_t n)
{
    struct ncs_random *random = &sim_world.choices.random;
    if (kind == CHOOSE_KERNEL_SLOT || kind == CHOOSE_BUFFER)
        return 0;
    if (kind == CHOOSE_EVENT)
        return ncs_random_below(random, n);
    return ncs_random_below(random, 4) != 0 ? 0 : 1 + ncs_random_below(random, n - 1);
}

static size_t choice_misfit(const struct choice_step *step, enum choice kind, size_t n)
{
    struct choices *c = &sim_world.choices;
    char what[64];
    snprintf(what, sizeof what, kinds[kind].what, n);
    ncs_fail(&c->misfit, NCS_BAD_INPUT,
             "the schedule is not of this run: its choice %" PRIu64 " is `%c%zu`, the run has to "
             "choose %s there",
             step->at + 1, kinds[step->kind].letter, step->pick, what);
    ncs_fail_hint(&c->misfit, "replay it with the scenario, the ranks, the policy and the options "
                              "that it was recorded with");
    c->next = c->prescribeds;
    sim_world.interrupted = true;
    return 0;
}

static size_t prescribed(enum choice kind, size_t n)
{
    struct choices *c = &sim_world.choices;
    if (c->next == c->prescribeds || c->prescribed[c->next].at != c->made)
        return 0;
    const struct choice_step *step = &c->prescribed[c->next++];
    return step->kind == kind && step->pick < n ? step->pick : choice_misfit(step, kind, n);
}

size_t sim_choose(enum choice kind, size_t n)
{
    struct choices *c = &sim_world.choices;
    if (!c->asked || n < 2)
        return 0;
    struct choice_step step = { .at = c->made, .kind = kind };
    step.pick = c->prescribed ? prescribed(kind, n) : draw(kind, n);
    c->made++;
    if (step.pick == 0)
        return 0;
    sim_world_trace(((uint64_t)kind << 32) + step.pick);
    if (c->takens < CHOICES_KEPT)
        NCS_PUSH(c->taken, c->takens, c->taken_room, step);
    else
        c->lost = true;
    return step.pick;
}

/* ---- as text ---- */

static bool choice_kind(char letter, enum choice *kind)
{
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].letter == letter) {
            *kind = (enum choice)k;
            return true;
        }
    return false;
}

static bool choice_number(const char **text, uint64_t *value)
{
    if (!isdigit((unsigned char)**text))
        return false;
    char *end;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return *value < UINT64_C(1) << 48;
}

static bool bad_item(const char *text, size_t at, struct ncs_error *err)
{
    const char *item = text + at;
    ncs_fail(err, NCS_BAD_INPUT,
             "schedule: `%.*s` at character %zu: expected choices with dots between, each a kind and "
             "a number (c1) or how many to leave at their default (12)",
             (int)(strcspn(item, ".") < 20 ? strcspn(item, ".") : 20), item, at + 1);
    return ncs_fail_hint(err, "the kinds are c (context), e (event), d (device first), y (yield), "
                              "l (kernel slot), b (buffer)");
}

static bool schedule_parse(struct choices *c, const char *text, struct ncs_error *err)
{
    struct choice_step step = { 0 };
    for (const char *p = text; *p; p += *p == '.') {
        const char *item = p;
        uint64_t number;
        bool skips = isdigit((unsigned char)*p);
        bool ok = skips || choice_kind(*p++, &step.kind);
        if (!ok || !choice_number(&p, &number) || (*p != '\0' && (*p != '.' || !p[1])) || step.at + number >= UINT64_C(1) << 62)
            return bad_item(text, (size_t)(item - text), err);
        if (skips) {
            step.at += number;
            continue;
        }
        step.pick = number;
        NCS_PUSH(c->prescribed, c->prescribeds, c->prescribed_room, step);
        step.at++;
    }
    return true;
}

bool sim_choices_begin(bool seeded, uint64_t seed, const char *schedule, struct ncs_error *err)
{
    struct choices *c = &sim_world.choices;
    *c = (struct choices){ .asked = seeded || schedule, .random = { seed } };
    if (!schedule)
        return true;
    c->prescribed = ncs_new(sizeof *c->prescribed);
    c->prescribed_room = 1;
    return schedule_parse(c, schedule, err);
}

bool sim_choices_text(bool ended, struct ncs_str *out, struct ncs_error *err)
{
    struct choices *c = &sim_world.choices;
    if (ended && c->misfit.status == NCS_OK && c->next < c->prescribeds) {
        const struct choice_step *step = &c->prescribed[c->next];
        ncs_fail(&c->misfit, NCS_BAD_INPUT,
                 "the schedule is not of this run: its choice %" PRIu64 " is `%c%zu`, the run makes "
                 "only %" PRIu64,
                 step->at + 1, kinds[step->kind].letter, step->pick, c->made);
    }
    *err = c->misfit;
    if (err->status != NCS_OK || c->lost)
        return false;
    uint64_t at = 0;
    for (size_t i = 0; i < c->takens; i++) {
        const struct choice_step *step = &c->taken[i];
        if (step->at > at)
            ncs_str_addf(out, "%" PRIu64 ".", step->at - at);
        ncs_str_addf(out, "%c%zu%s", kinds[step->kind].letter, step->pick, i + 1 < c->takens ? "." : "");
        at = step->at + 1;
    }
    return true;
}

void sim_choices_free(void)
{
    ncs_free(sim_world.choices.taken);
    ncs_free(sim_world.choices.prescribed);
    sim_world.choices = (struct choices){ 0 };
}
