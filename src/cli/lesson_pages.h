/* Pages about the lessons: the course to read, and a certificate. */
#ifndef NCS_CLI_LESSON_PAGES_H
#define NCS_CLI_LESSON_PAGES_H

#include "prompt/tutor.h"

struct ncs_lesson_entry {
    const char *name;          /* "01-ranks", borrowed */
    struct ncs_lesson *lesson; /* borrowed */
};

/* Writes index.html and a page for each lesson: texts, tasks, and behind folds hints, answers and common mistakes, with
 * what the prompt replies to the answers. False after a message on standard error. */
bool ncs_lesson_pages(const char *folder, const struct ncs_lesson_entry *entry, size_t entries,
                      const struct ncs_tutor_options *options);

/* Tasks of a lesson by how they were done. */
struct ncs_lesson_score {
    size_t tasks, solved, shown, skipped;
    size_t steps, steps_done; /* all steps, with those that are only read */
};
struct ncs_lesson_score ncs_lesson_score(struct ncs_lesson *lesson, const char *progress);

/* A page that says what `who` (NULL = nobody) has done of the lessons. */
bool ncs_lesson_certificate(const char *file, const char *who, const struct ncs_lesson_entry *entry, size_t entries);

#endif
