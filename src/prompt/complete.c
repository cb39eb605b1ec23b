/* Completes the text before the cursor: commands, names, options, words in quotes. */
#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "api/faults.h"
#include "prompt/private.h"
#include "prompt/reference.h"
#include "report/page.h"

struct wanted {
    const char *begin; /* the typed beginning of the word */
    size_t bytes;
    void (*on_word)(void *arg, const char *word);
    void *arg;
};

static void offer(void *arg, const char *word)
{
    const struct wanted *w = arg;
    if (strncmp(word, w->begin, w->bytes) == 0)
        w->on_word(w->arg, word);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- files ---- */

static bool is_scenario_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".lua") == 0 || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* Offers the files of the folder that the text names; folders end with '/'. */
static void complete_file(const char *text, size_t bytes, size_t *from, struct wanted *w)
{
    struct ncs_str folder = { 0 };
    size_t name = bytes;
    while (name > *from && text[name - 1] != '/')
        name--;
    ncs_str_add_bytes(&folder, text + *from, name - *from);
    *from = name;
    w->begin = text + *from;
    w->bytes = bytes - *from;
    DIR *dir = opendir(folder.bytes ? folder.text : ".");
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        struct ncs_str path = { 0 };
        struct stat file;
        ncs_str_addf(&path, "%s%s", folder.bytes ? folder.text : "", e->d_name);
        bool is_folder = stat(path.text, &file) == 0 && S_ISDIR(file.st_mode);
        ncs_str_clear(&path);
        ncs_str_addf(&path, "%s%s", e->d_name, is_folder ? "/" : "");
        if ((is_folder || is_scenario_file(e->d_name)) && (e->d_name[0] != '.' || w->begin[0] == '.'))
            offer(w, path.text);
        ncs_str_free(&path);
    }
    if (dir)
        closedir(dir);
    ncs_str_free(&folder);
}

/* ---- commands ---- */

static void complete_command(const char *text, size_t bytes, size_t *from, struct wanted *w)
{
    static const char *const drawings[] = { "steps", "tree", "all", NULL };
    size_t name = strcspn(text, " \t");
    if (name >= bytes) {
        *from = 1;
        w->begin = text + 1;
        w->bytes = bytes - 1;
        for (const struct prompt_command *c = prompt_commands; c->name; c++)
            offer(w, c->name);
        return;
    }
    *from = name + strspn(text + name, " \t");
    w->begin = text + *from;
    w->bytes = bytes - *from;
    const char *const *names = NULL;
    size_t count = 0;
    if (strncmp(text, ":load ", 6) == 0 || strncmp(text, ":save ", 6) == 0)
        complete_file(text, bytes, from, w);
    else if (strncmp(text, ":help ", 6) == 0)
        names = ncs_explained(&count);
    else if (strncmp(text, ":fault ", 7) == 0)
        names = ncs_fault_names;
    else if (strncmp(text, ":policy ", 8) == 0)
        names = ncs_policy_names;
    else if (strncmp(text, ":draw ", 6) == 0)
        names = drawings;
    for (size_t i = 0; names && (count ? i < count : names[i] != NULL); i++)
        offer(w, names[i]);
}

/* ---- Lua ---- */

/* The quote that is open at the end of the text; 0 = none. */
static char open_quote(const char *text, size_t bytes, size_t *at)
{
    char open = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (open && text[i] == '\\') {
            i++;
        } else if (open && text[i] == open) {
            open = 0;
        } else if (!open && (text[i] == '"' || text[i] == '\'')) {
            open = text[i];
            *at = i + 1;
        }
    }
    return open;
}

/* The function in whose table of options the text ends: "world:all_reduce" for "world:all_reduce(x, { o";
 * false: it ends in no such table. */
static bool called(const char *text, size_t bytes, struct ncs_str *out)
{
    int depth = 0;
    bool table = false;
    size_t i = bytes;
    while (i-- > 0) {
        if (strchr(")}]", text[i]))
            depth++;
        else if (strchr("({[", text[i]) && depth > 0)
            depth--;
        else if (text[i] == '{')
            table = true;
        else if (text[i] == '(' || text[i] == '[')
            break;
    }
    if (i >= bytes && !table)
        return false;
    size_t end = i < bytes ? i : strcspn(text, "{");
    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && (in_name(text[start - 1]) || strchr(".:", text[start - 1])))
        start--;
    ncs_str_add_bytes(out, text + start, end - start);
    return table && end > start;
}

/* Translates a name to the reference's: "world:all_reduce" becomes "comm:all_reduce". */
static void complete_options(struct ncs_prompt *p, const char *function, struct wanted *w)
{
    const char *colon = strchr(function, ':');
    struct ncs_str name = { 0 };
    if (colon) {
        struct ncs_str path = { 0 };
        ncs_str_add_bytes(&path, function, (size_t)(colon - function));
        const char *class = ncs_session_class(p->session, path.text ? path.text : "");
        ncs_str_addf(&name, "%s%s", class ? class : path.text, colon);
        ncs_str_free(&path);
    } else {
        ncs_str_add(&name, function);
    }
    ncs_reference_options(name.text, offer, w);
    ncs_str_free(&name);
}

static void complete_lua(struct ncs_prompt *p, const char *text, size_t bytes, size_t *from, struct wanted *w)
{
    size_t word = bytes;
    while (word > 0 && in_name(text[word - 1]))
        word--;
    *from = word;
    w->begin = text + word;
    w->bytes = bytes - word;
    if (word > 0 && strchr(".:", text[word - 1])) {
        size_t start = word - 1;
        while (start > 0 && (in_name(text[start - 1]) || text[start - 1] == '.'))
            start--;
        struct ncs_str path = { 0 };
        ncs_str_add_bytes(&path, text + start, word - 1 - start);
        if (path.bytes)
            ncs_session_names(p->session, path.text, text[word - 1] == ':', offer, w);
        ncs_str_free(&path);
        return;
    }
    struct ncs_str function = { 0 };
    if (called(text, word, &function))
        complete_options(p, function.text, w);
    ncs_str_free(&function);
    ncs_session_names(p->session, "", false, offer, w);
}

void ncs_prompt_complete(struct ncs_prompt *p, const char *text, size_t bytes, size_t *from,
                         void (*on_word)(void *arg, const char *word), void *arg)
{
    struct wanted w = { .on_word = on_word, .arg = arg };
    size_t skip = strspn(text, " \t"), quote = 0;
    if (skip < bytes && text[skip] == ':' && !p->begun.bytes) {
        complete_command(text + skip, bytes - skip, from, &w);
        *from += skip;
    } else if (open_quote(text, bytes, &quote)) {
        *from = quote;
        w.begin = text + quote;
        w.bytes = bytes - quote;
        ncs_reference_words(offer, &w);
    } else {
        complete_lua(p, text, bytes, from, &w);
    }
}
