/* Gives a lesson at a prompt: explains, waits for input, marks it right or wrong. */
#ifndef NCS_PROMPT_TUTOR_H
#define NCS_PROMPT_TUTOR_H

#include "prompt/lesson.h"

struct ncs_tutor;

struct ncs_tutor_options {
    struct ncs_lesson *lesson;  /* borrowed */
    size_t first;               /* the step to begin with; earlier steps are done for the learner */
    const char *after;          /* the advice printed at the end of the lesson; NULL = none */
    bool color, unicode;        /* as in ncs_prompt_options, with the columns */
    int (*columns)(void);
    void (*out)(void *arg, const char *text);
    void *out_arg;
    void (*progress)(void *arg, size_t steps); /* called with the number of steps done */
    void *progress_arg;
};

/* The tutor makes its own prompt. NULL and err on failure. */
struct ncs_tutor *ncs_tutor_new(const struct ncs_tutor_options *options, struct ncs_error *err);
void ncs_tutor_free(struct ncs_tutor *t); /* NULL is a no-op */
struct ncs_prompt *ncs_tutor_prompt(struct ncs_tutor *t);

/* For teachers and tests: each solution must be marked right, each wrong answer must get its reply. Prints
 * those that do not, and their number; true if there are none. */
bool ncs_tutor_test(struct ncs_lesson *lesson, const char *name, void (*out)(void *arg, const char *text),
                    void *out_arg);

#endif
