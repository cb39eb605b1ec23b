/* Lessons: Lua files that explain, set tasks and check the answers (lua/lessons/README.md has the form). */
#ifndef NCS_PROMPT_LESSON_H
#define NCS_PROMPT_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "prompt/prompt.h"

struct ncs_lesson;

/* The lessons built into the program, by number from 1; NULL: no such lesson. */
struct ncs_lesson_text {
    const char *name; /* "01-ranks" */
    const unsigned char *text;
    const size_t *bytes;
};
extern const struct ncs_lesson_text ncs_lesson_texts[]; /* a name of NULL at the end */

/* Reads a lesson's text; `name` is for places in messages. NULL and err if it is no valid lesson. */
struct ncs_lesson *ncs_lesson_read(const char *name, const char *text, size_t bytes, struct ncs_error *err);
void ncs_lesson_free(struct ncs_lesson *l); /* NULL is a no-op */

const char *ncs_lesson_title(const struct ncs_lesson *l);
int ncs_lesson_ranks(const struct ncs_lesson *l);
size_t ncs_lesson_steps(const struct ncs_lesson *l);

/* Texts of a step, from 0; NULL = the step has none. They are valid as long as the lesson. */
const char *ncs_lesson_text(const struct ncs_lesson *l, size_t step); /* never NULL */
const char *ncs_lesson_setup(const struct ncs_lesson *l, size_t step);
const char *ncs_lesson_task(const struct ncs_lesson *l, size_t step);
const char *ncs_lesson_right(const struct ncs_lesson *l, size_t step);
/* The lines that do the task, or the answer of a question. */
const char *ncs_lesson_solution(const struct ncs_lesson *l, size_t step);
/* Hint number `n`, from 0, of the step; NULL: there are no more. */
const char *ncs_lesson_hint(const struct ncs_lesson *l, size_t step, size_t n);
/* Typical wrong answer number `n`, from 0, and the reply to it or a part; false: there are no more. */
bool ncs_lesson_wrong(const struct ncs_lesson *l, size_t step, size_t n, const char **input, const char **said);
/* File number `n`, from 0, in order of name, that the step gives the learner; false: there are no more. */
bool ncs_lesson_file(const struct ncs_lesson *l, size_t step, size_t n, const char **name, const char **text);
/* True if a step has files, so that the lesson needs a folder. */
bool ncs_lesson_needs_folder(const struct ncs_lesson *l);
/* True if the task is a question, answered by a number or a word. */
bool ncs_lesson_asks(const struct ncs_lesson *l, size_t step);
/* True if the task is answered by what ranks reply, so that a mere look is an answer. */
bool ncs_lesson_asks_reply(const struct ncs_lesson *l, size_t step);
/* True if the task is to be done by calls, so that nobody may write the values by hand. */
bool ncs_lesson_forbids_fills(const struct ncs_lesson *l, size_t step);

enum ncs_marked { NCS_MARKED_NOT_YET, NCS_MARKED_RIGHT, NCS_MARKED_BROKEN };

/* Checks the state of the prompt against the step's task, and appends a reply. BROKEN: the lesson's check
 * failed itself; the reply contains its error. A step without a task is never marked. `answer`: what the learner
 * has typed as the answer of a question; NULL = nothing, so that a question is not marked. */
enum ncs_marked ncs_lesson_mark(struct ncs_lesson *l, size_t step, struct ncs_prompt *p, const char *answer, struct ncs_str *say);

#endif
