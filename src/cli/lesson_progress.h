/* What a user has done of the lessons, kept in a file from one session to the next. */
#ifndef NCS_CLI_LESSON_PROGRESS_H
#define NCS_CLI_LESSON_PROGRESS_H

#include <stddef.h>

#include "prompt/tutor.h"

/* The key of a lesson in the file: the name of a built-in one, "file:" and the real path of another; for ncs_free. */
char *ncs_lesson_key(const char *name, bool built_in);
/* How each step of the lesson was done, from the first one on: letters of enum ncs_step_done; for ncs_free, "" if
 * nothing is known. */
char *ncs_lesson_progress(const char *key);
/* The number of steps that are done: the last letter may be of one that was only peeked at. */
size_t ncs_lesson_steps_done(const char *progress);
/* The letter of a step that was done so before (0 = it was not) and is done so now: a mark is never lowered, and a
 * solution that was seen stays seen. */
char ncs_lesson_better(char before, char now);
/* For ncs_tutor_options.progress; arg: the lesson's key. */
void ncs_lesson_keep_progress(void *arg, size_t step, enum ncs_step_done how);

#endif
