#include "cli/lesson_pages.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "report/html/html.h"

static void page_end(struct ncs_str *out)
{
    ncs_str_add(out, "</main>\n</body>\n</html>\n");
}

/* ---- texts of lessons: paragraphs, `code`, and lines that begin with four blanks as they are ---- */

static void add_inline(struct ncs_str *out, const char *text, size_t bytes)
{
    bool is_code = false;
    struct ncs_str piece = { 0 };
    for (size_t i = 0; i <= bytes; i++) {
        if (i < bytes && text[i] != '`') {
            ncs_str_add_bytes(&piece, text + i, 1);
            continue;
        }
        ncs_html_text(out, piece.text ? piece.text : "");
        ncs_str_clear(&piece);
        if (i < bytes)
            ncs_str_add(out, is_code ? "</code>" : "<code>");
        is_code = i < bytes ? !is_code : is_code;
    }
    ncs_str_add(out, is_code ? "</code>" : "");
    ncs_str_free(&piece);
}

static bool is_indented(const char *line)
{
    return strncmp(line, "    ", 4) == 0;
}

/* The end of the block that begins at text: of lines alike, or of a paragraph. */
static const char *block_end(const char *text)
{
    bool as_is = is_indented(text);
    const char *at = text, *end = text;
    while (*at && (as_is ? is_indented(at) || *at == '\n' : !is_indented(at) && *at != '\n')) {
        const char *line = at;
        at += strcspn(at, "\n");
        end = *line == '\n' ? end : at;
        at += *at == '\n';
    }
    return end;
}

static void add_pre(struct ncs_str *out, const char *text, size_t bytes, size_t indent)
{
    struct ncs_str plain = { 0 };
    for (size_t i = 0; i < bytes; i++) {
        if (i == 0 || text[i - 1] == '\n')
            for (size_t k = 0; k < indent && i < bytes && text[i] == ' '; k++)
                i++;
        ncs_str_add_bytes(&plain, text + i, i < bytes);
    }
    ncs_str_add(out, "<pre>");
    ncs_html_text(out, plain.text ? plain.text : "");
    ncs_str_add(out, "</pre>\n");
    ncs_str_free(&plain);
}

static void add_prose(struct ncs_str *out, const char *text)
{
    while (*(text += strspn(text, "\n"))) {
        const char *end = block_end(text);
        if (is_indented(text)) {
            add_pre(out, text, (size_t)(end - text), 4);
        } else {
            ncs_str_add(out, "<p>");
            add_inline(out, text, (size_t)(end - text));
            ncs_str_add(out, "</p>\n");
        }
        text = end;
    }
}

/* ---- a lesson ---- */

static void add_hints(struct ncs_lesson *l, size_t step, struct ncs_str *out)
{
    const char *hint;
    if (!ncs_lesson_hint(l, step, 0))
        return;
    ncs_str_add(out, "<details><summary>Hints</summary>\n<ol>\n");
    for (size_t n = 0; (hint = ncs_lesson_hint(l, step, n)); n++) {
        ncs_str_add(out, "<li>");
        add_inline(out, hint, strlen(hint));
        ncs_str_add(out, "\n");
    }
    ncs_str_add(out, "</ol></details>\n");
}

static bool add_answer(struct ncs_tutor *t, struct ncs_lesson *l, size_t step, struct ncs_str *out)
{
    struct ncs_str shown = { 0 };
    struct ncs_error err = { 0 };
    const char *right = ncs_lesson_right(l, step);
    bool ok = true;
    ncs_str_add(out, "<details><summary>Answer</summary>\n");
    if (ncs_lesson_asks(l, step))
        ncs_str_add(&shown, ncs_lesson_solution(l, step));
    else if (!(ok = ncs_tutor_demonstrate(t, step, &shown, &err)))
        ncs_print_error(&err);
    if (shown.bytes)
        add_pre(out, shown.text, shown.bytes, 0);
    if (right)
        add_prose(out, right);
    ncs_str_add(out, "</details>\n");
    ncs_str_free(&shown);
    return ok;
}

/* The wrong answers that get a reply of their own. */
static void add_mistakes(struct ncs_tutor *t, struct ncs_lesson *l, size_t step, struct ncs_str *out)
{
    const char *input, *said;
    struct ncs_str list = { 0 };
    for (size_t n = 0; ncs_lesson_wrong(l, step, n, &input, &said); n++) {
        char *copy = ncs_copy_text(input);
        struct ncs_str reply = { 0 };
        struct ncs_error err = { 0 };
        if (ncs_tutor_try(t, step, copy, &reply, &err) && reply.bytes) {
            ncs_str_add(&list, "<li>");
            if (strchr(copy, '\n')) {
                add_pre(&list, copy, strlen(copy), 0);
            } else {
                ncs_str_add(&list, "<code>");
                ncs_html_text(&list, copy);
                ncs_str_add(&list, "</code>: ");
            }
            add_inline(&list, reply.text, reply.bytes);
            ncs_str_add(&list, "\n");
        }
        ncs_str_free(&reply);
        ncs_free(copy);
    }
    if (list.bytes)
        ncs_str_addf(out, "<details><summary>Common mistakes</summary>\n<ul>\n%s</ul></details>\n", list.text);
    ncs_str_free(&list);
}

static void add_files(struct ncs_lesson *l, size_t step, struct ncs_str *out)
{
    const char *name, *text;
    for (size_t n = 0; ncs_lesson_file(l, step, n, &name, &text); n++) {
        ncs_str_add(out, "<p><code>");
        ncs_html_text(out, name);
        ncs_str_add(out, "</code></p>\n");
        add_pre(out, text, strlen(text), 0);
    }
}

static bool add_lesson_steps(struct ncs_tutor *t, struct ncs_lesson *l, struct ncs_str *out)
{
    bool ok = true;
    for (size_t i = 0; i < ncs_lesson_steps(l); i++) {
        const char *task = ncs_lesson_task(l, i);
        ncs_str_addf(out, "<h2 id=\"step%zu\">Step %zu of %zu</h2>\n", i + 1, i + 1, ncs_lesson_steps(l));
        add_prose(out, ncs_lesson_text(l, i));
        add_files(l, i, out);
        if (!task)
            continue;
        ncs_str_addf(out, "<h3>%s</h3>\n", ncs_lesson_asks(l, i) ? "A question" : "Your turn");
        add_prose(out, task);
        add_hints(l, i, out);
        ok = add_answer(t, l, i, out) && ok;
        add_mistakes(t, l, i, out);
    }
    return ok;
}

static void add_lesson_link(struct ncs_str *out, const char *before, const struct ncs_lesson_entry *e, size_t number)
{
    ncs_str_addf(out, "%s<a href=\"%s.html\">%zu. ", before, e->name, number);
    ncs_html_text(out, ncs_lesson_title(e->lesson));
    ncs_str_add(out, "</a>");
}

static bool write_lesson(const char *folder, const struct ncs_lesson_entry *entry, size_t entries, size_t at,
                         const struct ncs_tutor_options *options)
{
    struct ncs_tutor_options o = *options;
    struct ncs_error err = { 0 };
    struct ncs_str page = { 0 }, name = { 0 };
    o.lesson = entry[at].lesson;
    struct ncs_tutor *t = ncs_tutor_new(&o, &err);
    if (!t) {
        ncs_print_error(&err);
        return false;
    }
    ncs_html_head(&page, ncs_lesson_title(o.lesson), NULL, false);
    ncs_str_addf(&page,
                 "<p class=\"dim\">Lesson %zu of %zu. <code>ncclscript lesson %zu</code> begins it at the prompt, "
                 "where your lines run and are marked.</p>\n",
                 at + 1, entries, at + 1);
    bool ok = add_lesson_steps(t, o.lesson, &page);
    ncs_str_add(&page, "<p><a href=\"index.html\">All lessons</a>");
    if (at + 1 < entries)
        add_lesson_link(&page, " | next: ", &entry[at + 1], at + 2);
    ncs_str_add(&page, "</p>\n");
    page_end(&page);
    ncs_str_addf(&name, "%s.html", entry[at].name);
    ok = ncs_folder_write(folder, name.text, &page) && ok;
    ncs_str_free(&name);
    ncs_tutor_free(t);
    return ok;
}

bool ncs_lesson_pages(const char *folder, const struct ncs_lesson_entry *entry, size_t entries,
                      const struct ncs_tutor_options *options)
{
    struct ncs_str index = { 0 };
    bool ok = true;
    ncs_html_head(&index, "ncclscript: the course", NULL, false);
    ncs_str_add(&index, "<p>Collective communication with NCCL, from ranks to training loops. Each lesson can be read here, "
                        "or done at a prompt that runs and marks what you type: <code>ncclscript lesson 1</code>.</p>\n<ul>\n");
    for (size_t i = 0; ok && i < entries; i++) {
        add_lesson_link(&index, "<li>", &entry[i], i + 1);
        ncs_str_add(&index, "\n");
        ok = write_lesson(folder, entry, entries, i, options);
    }
    ncs_str_add(&index, "</ul>\n");
    page_end(&index);
    return ncs_folder_write(folder, "index.html", &index) && ok;
}
