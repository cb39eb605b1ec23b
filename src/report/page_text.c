/* The pages as they are written (pages/), which the program carries in one text. A line with '@' in front is a
 * heading:
 *
 *   @class ID: TITLE     begins a page; also @result, @error, @word, @exit, @obeyed and @variable (NAME), which are
 *                        one line each, and @family GROUP: TITLE
 *   @group ID: TITLE     a group of classes, to which those behind it belong
 *   @what                what happens; what stands behind it until the next heading, as with the others
 *   @why                 how it comes about, and what NCCL does
 *   @see                 how to see it: here, and on a cluster
 *   @repair              what to change
 *   @scenario            the smallest one, runnable as it stands
 *   @ends VERDICT        of the scenario
 *   @finding ID          the one finding of the scenario; of a class itself, unless it says so
 *   @also NAMES          pages to read next
 *   @names NAMES         other names of the page
 *   @blocks, @threads, @findings NAMES, @reference    of a family of functions
 *   @--                  a remark
 *
 * tests/explain/pages.sh holds the texts to these headings. */
#include <pthread.h>
#include <string.h>

#include "api/environment.h"
#include "base/mem.h"
#include "diagnose/decision.h"
#include "report/page.h"

extern const unsigned char ncs_txt_pages[];
extern const size_t ncs_txt_pages_bytes;

static struct ncs_page *page;
static struct ncs_page_group *group;
static size_t pages, page_room, groups, group_room;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const kinds[] = {
    [NCS_PAGE_CLASS] = "class", [NCS_PAGE_RESULT] = "result",    [NCS_PAGE_ERROR] = "error",   [NCS_PAGE_WORD] = "word",
    [NCS_PAGE_EXIT] = "exit",   [NCS_PAGE_FUNCTIONS] = "family", [NCS_PAGE_OBEYED] = "obeyed", [NCS_PAGE_VARIABLE] = "variable",
};

/* Whole lines, or one line of words. */
static const struct heading {
    const char *name;
    size_t member;
    bool lines;
} headings[] = {
#define LINES(part)                                          \
    {                                                        \
        .name = #part, offsetof(struct ncs_page, part), true \
    }
#define WORDS(part)                                           \
    {                                                         \
        .name = #part, offsetof(struct ncs_page, part), false \
    }
    LINES(what), LINES(why),  LINES(see),   LINES(repair),  LINES(scenario), LINES(blocks),    LINES(threads),
    WORDS(ends), WORDS(also), WORDS(names), WORDS(finding), WORDS(findings), WORDS(reference),
};

static const struct heading *heading_named(const char *name)
{
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (strcmp(headings[i].name, name) == 0)
            return &headings[i];
    return NULL;
}

/* Ends the text where the next heading begins. */
static char *page_value(char *text, char *end, bool lines)
{
    while (end > text && end[-1] == '\n')
        end--;
    if (lines)
        *end++ = '\n';
    *end = '\0';
    for (char *c = text; !lines && *c; c++)
        if (*c == '\n')
            *c = ' ';
    return text;
}

static void begin_page(enum ncs_page_kind kind, const char *id, const char *title)
{
    struct ncs_page new = { .kind = kind, .id = id, .title = title };
    if (kind == NCS_PAGE_CLASS && groups > 0)
        new.group = group[groups - 1].id;
    if (kind == NCS_PAGE_FUNCTIONS) {
        new.group = id;
        new.id = title;
    }
    NCS_PUSH(page, pages, page_room, new);
}

/* A heading that begins a page or a group: an id, a colon and a title. */
static void begin(const char *name, char *id)
{
    char *title = strstr(id, ": ");
    if (!title)
        return;
    *title = '\0';
    title += 2;
    if (strcmp(name, "group") == 0)
        NCS_PUSH(group, groups, group_room, ((struct ncs_page_group){ id, title }));
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        if (strcmp(kinds[kind], name) == 0)
            begin_page((enum ncs_page_kind)kind, id, title);
}

/* From behind the '@' to `end`. */
static void read_heading(char *text, char *end)
{
    char *value = text + strcspn(text, " \n");
    bool empty = *value == '\n';
    *value++ = '\0';
    const struct heading *h = heading_named(text);
    if (!h)
        begin(text, page_value(value, end, false));
    else if (pages > 0 && (h->lines || !empty))
        memcpy((char *)&page[pages - 1] + h->member, &(char *){ page_value(value, end, h->lines) }, sizeof(char *));
}

/* Variables that NVIDIA documents have a page each, with a title or without. */
static void add_variables(void)
{
    size_t count, written = pages;
    const char *const *names = ncs_environment_names(&count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < written && strcmp(page[at].id, names[i]) != 0)
            at++;
        if (at == written)
            begin_page(NCS_PAGE_VARIABLE, names[i],
                       strncmp(names[i], "CUDA", 4) == 0 ? "a variable of CUDA" : "a variable of NCCL");
    }
    for (size_t i = 0; i < pages; i++)
        if (page[i].kind == NCS_PAGE_OBEYED || page[i].kind == NCS_PAGE_VARIABLE) {
            page[i].what = ncs_page_variable(&page[i]);
            page[i].also = "env variable-of-one-rank";
        }
}

/* Lists the comparisons of the diagnosis at the end of their page. */
static void add_decisions(void)
{
    struct ncs_str s = { 0 };
    size_t at = 0;
    while (strcmp(page[at].id, "diagnosis") != 0)
        at++;
    ncs_str_addf(&s, "%s\n", page[at].what);
    for (enum ncs_decision d = NCS_DECIDED_NOTHING + 1; d < NCS_DECISIONS; d++)
        ncs_str_addf(&s, "  %-16s  %s\n", ncs_decision_name(d), ncs_decision_text(d));
    page[at].what = ncs_str_take(&s);
}

static void read_pages(void)
{
    char *text = ncs_copy_text((const char *)ncs_txt_pages), *end = text + ncs_txt_pages_bytes;
    for (char *next, *at = text; at < end; at = next) {
        char *found = strstr(at + 1, "\n@");
        next = found ? found + 1 : end;
        read_heading(at + 1, next);
    }
    add_variables();
    add_decisions();
    for (size_t i = 0; i < pages; i++)
        if (page[i].kind == NCS_PAGE_CLASS && page[i].scenario && !page[i].finding)
            page[i].finding = page[i].id;
    NCS_PUSH(page, pages, page_room, ((struct ncs_page){ 0 }));
    NCS_PUSH(group, groups, group_room, ((struct ncs_page_group){ 0 }));
}

const struct ncs_page *ncs_pages(void)
{
    pthread_once(&once, read_pages);
    return page;
}

const struct ncs_page_group *ncs_page_groups(void)
{
    pthread_once(&once, read_pages);
    return group;
}
