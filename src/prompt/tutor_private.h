/* The tutor's inside, shared by the files tutor*.c. */
#ifndef NCS_PROMPT_TUTOR_PRIVATE_H
#define NCS_PROMPT_TUTOR_PRIVATE_H

#include "prompt/private.h"
#include "prompt/tutor.h"

struct ncs_tutor {
    struct ncs_tutor_options options;
    struct ncs_prompt *prompt;
    size_t step, hints;    /* hints: that have been given for the step */
    size_t shown;          /* the step whose solution has been shown, plus 1; 0 = none */
    int ranks;             /* of the run when the step began */
    int tries;             /* lines that tried to do the step's task, and did not */
    uint64_t calls_before; /* of the run, before the latest line */
};

struct ncs_prompt *tutor_open_prompt(const struct ncs_tutor_options *t, struct ncs_error *err);
/* Feeds lines as if they were typed. */
void tutor_type(struct ncs_prompt *p, const char *lines);
/* The same, unseen and unmarked. */
void tutor_type_silently(struct ncs_prompt *p, const char *lines);
/* Restores the state of the lesson at the begin of the tutor's step. */
bool tutor_bring_to_step(struct ncs_tutor *t, struct ncs_error *err);
/* Writes the step's files and does its setup. */
bool tutor_set_up(struct ncs_tutor *t, struct ncs_error *err);

#endif
