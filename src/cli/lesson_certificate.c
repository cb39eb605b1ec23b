/* The page that says what somebody has done of the course. */
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/lesson_lines.h"
#include "cli/lesson_pages.h"
#include "cli/lesson_progress.h"
#include "cli/output.h"
#include "report/html/html.h"

struct ncs_lesson_score ncs_lesson_score(struct ncs_lesson *lesson, const char *progress)
{
    struct ncs_lesson_score score = { .steps = ncs_lesson_steps(lesson) };
    size_t known = ncs_lesson_steps_done(progress);
    score.steps_done = known < score.steps ? known : score.steps;
    for (size_t i = 0; i < score.steps; i++) {
        bool is_task = ncs_lesson_task(lesson, i) != NULL;
        score.tasks += is_task;
        score.solved += is_task && i < known && progress[i] == NCS_STEP_SOLVED;
        score.shown += is_task && i < known && progress[i] == NCS_STEP_SHOWN;
        score.skipped += is_task && i < known && progress[i] == NCS_STEP_SKIPPED;
    }
    return score;
}

static void certificate_row(struct ncs_str *out, const char *title, const struct ncs_lesson_score *score)
{
    ncs_str_addf(out, "<tr%s><td>", score->solved == score->tasks ? " class=\"good\"" : "");
    ncs_html_text(out, title);
    ncs_str_addf(out, "<td>%zu<td>%zu<td>%zu<td>%zu\n", score->tasks, score->solved, score->shown, score->skipped);
}

/* Local date; SOURCE_DATE_EPOCH is not heeded, as the page says when somebody was done. */
static void certificate_date(struct ncs_str *out)
{
    char text[40] = "";
    time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day))
        strftime(text, sizeof text, "%Y-%m-%d", &day);
    ncs_str_add(out, text);
}

bool ncs_lesson_certificate(const char *file, const char *who, const struct ncs_lesson_entry *entry, size_t entries)
{
    struct ncs_str rows = { 0 }, page = { 0 };
    struct ncs_lesson_score all = { 0 };
    struct ncs_error err = { 0 };
    for (size_t i = 0; i < entries; i++) {
        char *progress = ncs_lesson_progress(entry[i].name);
        struct ncs_lesson_score score = ncs_lesson_score(entry[i].lesson, progress);
        certificate_row(&rows, ncs_lesson_title(entry[i].lesson), &score);
        all.tasks += score.tasks;
        all.solved += score.solved;
        all.shown += score.shown;
        all.skipped += score.skipped;
        ncs_free(progress);
    }
    ncs_html_head(&page, "ncclscript: certificate of progress", NULL, false);
    ncs_str_add(&page, "<p>");
    ncs_html_text(&page, who ? who : "The learner");
    ncs_str_addf(&page,
                 " solved %zu of %zu tasks of the course on collective communication without a look at the "
                 "solution, and %zu after a look. ncclscript marked the tasks by the calls that were made, and by "
                 "their results. Date: ",
                 all.solved, all.tasks, all.shown);
    certificate_date(&page);
    ncs_str_add(&page, "</p>\n<div class=\"scroll\"><table class=\"runs\"><thead><tr><th scope=\"col\">lesson<th scope=\"col\">"
                       "tasks<th scope=\"col\">solved<th scope=\"col\">solution seen<th scope=\"col\">skipped</thead><tbody>\n");
    ncs_str_add(&page, rows.text ? rows.text : "");
    certificate_row(&page, "all lessons", &all);
    ncs_str_add(&page, "</tbody></table></div>\n");
    ncs_lesson_lines_page(&page);
    ncs_str_add(&page, "</main>\n</body>\n</html>\n");
    bool to_output = strcmp(file, "-") == 0;
    if (to_output)
        ncs_out_bytes(page.text, page.bytes);
    bool ok = to_output || ncs_file_write(file, page.text, page.bytes, true, &err);
    if (!ok)
        ncs_print_error(&err);
    ncs_str_free(&rows);
    ncs_str_free(&page);
    return ok;
}
