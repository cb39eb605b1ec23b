/* What a user has done of the lessons, kept in a file from one session to the next. */
#ifndef NCS_CLI_LESSON_PROGRESS_H
#define NCS_CLI_LESSON_PROGRESS_H

#include <stddef.h>

#include "prompt/tutor.h"

/* How each step of the lesson was done, from the first one on: letters of enum ncs_step_done; for ncs_free, "" if
 * nothing is known. */
char *ncs_lesson_progress(const char *lesson);
/* For ncs_tutor_options.progress; arg: the lesson's name. */
void ncs_lesson_keep_progress(void *arg, size_t step, enum ncs_step_done how);

#endif
