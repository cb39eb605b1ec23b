/* Gives a lesson at a prompt: explains, waits for input, marks it right or wrong. */
#ifndef NCS_PROMPT_TUTOR_H
#define NCS_PROMPT_TUTOR_H

#include "prompt/lesson.h"

struct ncs_tutor;
struct ncs_shell_host;

/* How a step was done. */
enum ncs_step_done {
    NCS_STEP_READ = 'r', /* it has no task */
    NCS_STEP_SOLVED = 's',
    NCS_STEP_SHOWN = 'v',   /* solved after a look at the solution */
    NCS_STEP_SKIPPED = 'n', /* by `:next` */
    NCS_STEP_PEEKED = 'p',  /* not done yet, but the solution has been shown */
};

struct ncs_tutor_options {
    struct ncs_lesson *lesson;          /* borrowed */
    const struct ncs_shell_host *shell; /* for the files of the lesson; NULL = none; borrowed */
    size_t first;                       /* the step to begin with; earlier steps are done for the learner */
    bool stranger;                      /* the lines are not typed by the user: they can neither load nor save files */
    const char *after;                  /* the advice printed at the end of the lesson; NULL = none */
    bool color, unicode;                /* as in ncs_prompt_options, with the columns */
    int (*columns)(void);
    void (*out)(void *arg, const char *text);
    void *out_arg;
    void (*progress)(void *arg, size_t step, enum ncs_step_done how); /* a step, from 0, has been done, or peeked at */
    void *progress_arg;
};

/* The tutor makes its own prompt. NULL and err on failure. */
struct ncs_tutor *ncs_tutor_new(const struct ncs_tutor_options *options, struct ncs_error *err);
void ncs_tutor_free(struct ncs_tutor *t); /* NULL is a no-op */
struct ncs_prompt *ncs_tutor_prompt(struct ncs_tutor *t);

/* For teachers and tests: each solution must be marked right, each wrong answer must get its reply. Prints through
 * options->out those that do not, and their number; true if there are none. */
bool ncs_tutor_test(const struct ncs_tutor_options *options, const char *name, struct ncs_error *err);

/* Appends what the prompt prints when the step's setup is done and the solution is typed, with the typed lines. */
bool ncs_tutor_demonstrate(struct ncs_tutor *t, size_t step, struct ncs_str *out, struct ncs_error *err);

/* Appends the reply to a typed answer; false and err if the step cannot be begun. */
bool ncs_tutor_try(struct ncs_tutor *t, size_t step, const char *input, struct ncs_str *reply, struct ncs_error *err);

#endif
