/* Who gives a lesson at a prompt: tells, waits for what is typed, says what is right and what not. */
#ifndef NCS_PROMPT_TUTOR_H
#define NCS_PROMPT_TUTOR_H

#include "prompt/lesson.h"

struct ncs_tutor;

struct ncs_tutor_options {
    struct ncs_lesson *lesson;  /* borrowed */
    size_t first;               /* the step to begin with; what comes before is done for the learner */
    const char *after;          /* what to do when the lesson is over; NULL = nothing */
    bool color, unicode;        /* these and the width as of a prompt */
    int width;
    void (*out)(void *arg, const char *text);
    void *out_arg;
    void (*progress)(void *arg, size_t steps); /* so many are done */
    void *progress_arg;
};

/* The prompt is the tutor's. NULL and err when there can be none. */
struct ncs_tutor *ncs_tutor_new(const struct ncs_tutor_options *options, struct ncs_error *err);
void ncs_tutor_free(struct ncs_tutor *t); /* NULL is a no-op */
struct ncs_prompt *ncs_tutor_prompt(struct ncs_tutor *t);

/* For teachers and tests: each solution must be marked right, each wrong answer be told what it says. Tells of
 * those that are not, and how many there were; true if there are none. */
bool ncs_tutor_test(struct ncs_lesson *lesson, const char *name, void (*out)(void *arg, const char *text),
                    void *out_arg);

#endif
