/* The file has a line for each lesson: its name, and a letter for each step. */
#include "cli/lesson_progress.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/state_file.h"

#define PROGRESS_BYTES ((size_t)1 << 20)
#define STEPS 1000

/* The letters in the line of a lesson; NULL: the line is another lesson's. */
static const char *progress_letters(const char *line, const char *lesson)
{
    size_t n = strlen(lesson);
    return strncmp(line, lesson, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static void progress_read(const char *path, struct ncs_str *text)
{
    struct ncs_error ignored;
    ncs_file_read(path, PROGRESS_BYTES, "a list of lessons", text, &ignored);
}

char *ncs_lesson_progress(const char *lesson)
{
    char *path = ncs_state_file("lessons");
    struct ncs_str text = { 0 }, found = { 0 };
    if (path)
        progress_read(path, &text);
    for (const char *at = text.text; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *letters = progress_letters(at, lesson);
        if (letters)
            ncs_str_add_bytes(&found, letters, strspn(letters, "rsvn"));
    }
    ncs_str_free(&text);
    ncs_free(path);
    return found.bytes ? ncs_str_take(&found) : ncs_copy_text("");
}

/* The better of what was done and what is done now: to repeat a lesson takes nothing away. */
static char progress_best(char before, char now)
{
    static const char order[] = { NCS_STEP_SKIPPED, NCS_STEP_SHOWN, NCS_STEP_SOLVED, 0 };
    const char *old = strchr(order, before), *new = strchr(order, now);
    return old && new && before && old > new ? before : now;
}

void ncs_lesson_keep_progress(void *arg, size_t step, enum ncs_step_done how)
{
    const char *lesson = arg;
    char *path = ncs_state_file("lessons"), *letters = ncs_lesson_progress(lesson);
    struct ncs_str old = { 0 }, new = { 0 };
    struct ncs_error err;
    if (path && ncs_state_folder(path) && step < STEPS) {
        progress_read(path, &old);
        for (const char *at = old.text, *end; at && *at; at = *end ? end + 1 : end) {
            end = at + strcspn(at, "\n");
            if (!progress_letters(at, lesson))
                ncs_str_addf(&new, "%.*s\n", (int)(end - at), at);
        }
        ncs_str_addf(&new, "%s ", lesson);
        for (size_t i = 0, known = strlen(letters); i < known || i <= step; i++)
            ncs_str_addf(&new, "%c", i == step ? progress_best(i < known ? letters[i] : 0, (char)how)
                                            : i < known ? letters[i] : NCS_STEP_SKIPPED);
        ncs_str_add(&new, "\n");
        if (!ncs_file_write(path, new.text, new.bytes, true, &err))
            ncs_print_error(&err);
    }
    ncs_str_free(&old);
    ncs_str_free(&new);
    ncs_free(letters);
    ncs_free(path);
}
