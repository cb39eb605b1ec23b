#include "script/subject.h"

#include <ctype.h>
#include <string.h>

/* ---- the statement ---- */

/* The byte behind a quoted text or a comment of Lua that begins at `at`; `at` itself if none does. */
static size_t subject_skip_lua(const struct ncs_source *s, size_t at)
{
    char c = s->text[at];
    if (c == '-' && s->text[at + 1] == '-')
        return at + strcspn(s->text + at, "\n");
    if (c != '"' && c != '\'')
        return at;
    for (size_t i = at + 1; i < s->bytes && s->text[i] != '\n'; i++) {
        if (s->text[i] == '\\' && i + 1 < s->bytes)
            i++;
        else if (s->text[i] == c)
            return i + 1;
    }
    return at + 1;
}

/* A statement of Lua ends with the line in which no bracket is open any more. */
static size_t subject_end_of_lua(const struct ncs_source *s, size_t from)
{
    int depth = 0;
    for (size_t at = from; at < s->bytes;) {
        size_t next = subject_skip_lua(s, at);
        if (next > at) {
            at = next;
            continue;
        }
        char c = s->text[at];
        depth += c == '(' || c == '{' || c == '[';
        depth -= c == ')' || c == '}' || c == ']';
        if (depth < 0 || (depth == 0 && c == '\n'))
            return at;
        at++;
    }
    return s->bytes;
}

/* A value of YAML ends before the next line that is indented no more than its first line. */
static size_t subject_end_of_yaml(const struct ncs_source *s, size_t from)
{
    int line = ncs_source_line(s, from, NULL);
    size_t first = s->start[line - 1], indent = strspn(s->text + first, " ");
    for (size_t i = (size_t)line; i < s->lines; i++) {
        const char *text = s->text + s->start[i];
        size_t blank = strspn(text, " ");
        if (blank <= indent && text[blank] != '\n' && text[blank] != '\r')
            return s->start[i];
    }
    return s->bytes;
}

/* ---- the subject ---- */

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Finds a word in a text; bytes 0 = not found. A name is not found inside a longer name. */
static struct ncs_span subject_find_word(const char *text, size_t bytes, const char *word, size_t n)
{
    for (size_t i = 0; n > 0 && i + n <= bytes; i++)
        if (memcmp(text + i, word, n) == 0 && (i == 0 || !is_word_byte(text[i - 1])) &&
            (i + n == bytes || !is_word_byte(text[i + n])))
            return (struct ncs_span){ i, n };
    return (struct ncs_span){ 0, 0 };
}

/* The message without what it proposes, which may stand elsewhere in the statement. */
static size_t subject_facts(const char *message)
{
    static const char *const proposals[] = { "did you mean", "expected" };
    size_t facts = strlen(message);
    for (size_t i = 0; i < sizeof proposals / sizeof *proposals; i++) {
        const char *found = strstr(message, proposals[i]);
        if (found && (size_t)(found - message) < facts)
            facts = (size_t)(found - message);
    }
    return facts;
}

static struct ncs_span subject_quoted(const char *text, size_t bytes, const char *message, size_t facts)
{
    struct ncs_span found = { 0, 0 };
    const char *end = message + facts;
    for (const char *p = message; !found.bytes && (p = strpbrk(p, "'\"`")) && p < end; p++) {
        const char *close = strchr(p + 1, *p);
        if (close && close < end)
            found = subject_find_word(text, bytes, p + 1, (size_t)(close - p - 1));
        else if (!close)
            break;
    }
    return found;
}

/* Skips what raised the error: "all_reduce: count must be ..." */
static const char *subject_clause(const char *message)
{
    for (;;) {
        size_t n = strcspn(message, " ");
        if (n < 2 || message[n] != ' ' || message[n - 1] != ':')
            return message;
        message += n + 1;
    }
}

/* True for words whose number stands in the text without them: "rank 9" of the list { 0, 9 }. */
static bool subject_is_counted(const char *word, size_t bytes)
{
    static const char *const counted[] = { "rank", "count", "root", "peer" };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (strlen(counted[i]) == bytes && memcmp(counted[i], word, bytes) == 0)
            return true;
    return false;
}

/* Finds one of the first `most` words of a message. Numbers are left out unless a word says what they are. */
static struct ncs_span subject_named(const char *text, size_t bytes, const char *message, int most)
{
    struct ncs_span found = { 0, 0 };
    bool counted = false;
    for (const char *p = message; *p && !found.bytes && most > 0;) {
        size_t n = 0;
        while (is_word_byte(p[n]))
            n++;
        bool article = (n == 2 && memcmp(p, "no", n) == 0) || (n == 3 && memcmp(p, "the", n) == 0);
        if (n && !article) {
            if (!isdigit((unsigned char)*p) || counted)
                found = subject_find_word(text, bytes, p, n);
            counted = subject_is_counted(p, n);
            most--;
        }
        p += n ? n : 1;
    }
    return found;
}

struct ncs_span ncs_subject_find(const struct ncs_source *s, size_t from, bool yaml, const char *message)
{
    size_t end = yaml ? subject_end_of_yaml(s, from) : subject_end_of_lua(s, from);
    const char *text = s->text + from;
    size_t bytes = end - from, blank = strspn(text, " \t");
    struct ncs_span found = subject_quoted(text, bytes, message, subject_facts(message));
    if (!found.bytes)
        found = subject_named(text, bytes, subject_clause(message), 2);
    if (!found.bytes)
        found = subject_named(text, bytes, message, (int)strlen(message));
    if (!found.bytes)
        found.at = blank < bytes ? blank : 0;
    return (struct ncs_span){ from + found.at, found.bytes };
}
