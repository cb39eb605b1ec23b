/* Choices: where the machine could go on in more than one way, it takes one of n alternatives. The
 * default is the first; a seed draws one; a schedule prescribes one. The choices are recorded as
 * text, and the same choices give the same run.
 *
 * A schedule is a list of items with dots between. An item is a letter of the table of kinds and
 * the number of the alternative ("c2"), or a number alone: so many choices at their default. The
 * list ends with the last choice that is not the default. */
#ifndef NCS_SIM_CHOOSE_H
#define NCS_SIM_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"

enum choice {
    CHOOSE_CONTEXT,     /* which ready context runs */
    CHOOSE_EVENT,       /* which of the events of one instant comes first */
    CHOOSE_EARLY,       /* 1: the device goes on before a context that is ready */
    CHOOSE_YIELD,       /* 1: the running context lets others go first */
    CHOOSE_KERNEL_SLOT, /* which launch gets a kernel slot */
    CHOOSE_BUFFER,      /* 1: a send is not buffered although it could be */
    CHOOSE_RACE,        /* 1: other threads go on while a launch is under way */
};

struct choice_step {
    uint64_t at; /* number of the choice in the run, from 0 */
    enum choice kind;
    size_t pick;
};

struct choices {
    bool asked;    /* a seed or a schedule was given */
    uint64_t made; /* choices so far with more than one alternative */
    struct ncs_random random;
    struct choice_step *taken; /* choices that are not the default */
    size_t takens, taken_room;
    bool lost;                      /* more than are kept */
    struct choice_step *prescribed; /* NULL = draw */
    size_t prescribeds, prescribed_room, next;
    struct ncs_error misfit; /* how the schedule does not fit the run */
};

/* Which of n alternatives to take, from 0. */
size_t sim_choose(enum choice kind, size_t n);

/* Begins to draw from a seed, or to follow the schedule. Without either: seeded is false, schedule
 * is NULL. */
bool sim_choices_begin(bool seeded, uint64_t seed, const char *schedule, struct ncs_error *err);
/* Appends the choices as text; `ended`: no more can follow. False if the schedule does not fit the
 * run, or if more choices were made than are recorded (then err->status is NCS_OK). */
bool sim_choices_text(bool ended, struct ncs_str *out, struct ncs_error *err);
void sim_choices_free(void);

#endif
