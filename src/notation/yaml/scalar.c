/* Types of plain scalars by the core schema of YAML 1.2. Numbers of YAML 1.1 that read otherwise there
 * (017, 1_000, 12:30) stay texts, so that no file has two meanings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "notation/yaml/private.h"

struct word {
    const char *text[3];
    enum ncs_yaml_kind kind;
    int value;
};

static const struct word words[] = {
    { { "null", "Null", "NULL" }, NCS_YAML_NULL, 0 },
    { { "true", "True", "TRUE" }, NCS_YAML_BOOL, 1 },
    { { "false", "False", "FALSE" }, NCS_YAML_BOOL, 0 },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

static const char *skip_sign(const char *p)
{
    return *p == '+' || *p == '-' ? p + 1 : p;
}

static void set_int(struct ncs_yaml_node *node, const char *digits, int base)
{
    errno = 0;
    node->i = strtoll(digits, NULL, base);
    node->d = (double)node->i;
    node->kind = NCS_YAML_INT;
    if (errno == ERANGE) {
        node->kind = NCS_YAML_FLOAT;
        node->i = 0;
        node->d = base == 10 ? strtod(node->text, NULL) : 0;
        for (const char *p = digits; base != 10 && *p; p++)
            node->d = node->d * base + (is_digit(*p) ? *p - '0' : (*p | 0x20) - 'a' + 10);
    }
}

static void set_float(struct ncs_yaml_node *node, double value)
{
    node->kind = NCS_YAML_FLOAT;
    node->d = value;
}

/* 0x1f and 0o17; the prefix is lower case and takes no sign. */
static bool prefixed(struct ncs_yaml_node *node)
{
    bool hex = node->text[1] == 'x', octal = node->text[1] == 'o';
    if (!hex && !octal)
        return false; /* perhaps a lone 0 */
    const char *digits = node->text + 2;
    size_t of = strspn(digits, hex ? "0123456789abcdefABCDEF" : "01234567");
    if (of == 0 || digits[of])
        return false;
    set_int(node, digits, hex ? 16 : 8);
    return true;
}

/* Recognises .inf, -.Inf, .NAN. */
static bool special(struct ncs_yaml_node *node)
{
    static const char *const names[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };
    const char *unsigned_text = skip_sign(node->text);
    for (int i = 0; i < 6; i++)
        if (strcmp(unsigned_text, names[i]) == 0 && (i < 3 || unsigned_text == node->text)) {
            double value = strtod(names[i] + 1, NULL);
            set_float(node, node->text[0] == '-' ? -value : value);
            return true;
        }
    return false;
}

static void number(struct ncs_yaml_node *node)
{
    if ((node->text[0] == '0' && prefixed(node)) || special(node))
        return;
    const char *begin = skip_sign(node->text), *p = skip_digits(begin);
    size_t before = (size_t)(p - begin), after = 0;
    if (*p == '\0' && before > 0) {
        if (begin[0] != '0' || before == 1)
            set_int(node, node->text, 10);
        return;
    }
    if (*p == '.') {
        const char *fraction = p + 1;
        p = skip_digits(fraction);
        after = (size_t)(p - fraction);
    }
    if (before + after == 0)
        return;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = skip_sign(p + 1);
        p = skip_digits(exponent);
        if (p == exponent)
            return;
    }
    if (*p == '\0')
        set_float(node, strtod(node->text, NULL));
}

void ncs_yaml_type(struct ncs_yaml_node *node)
{
    char c = node->text[0];
    if (node->bytes == 0 || (c == '~' && node->bytes == 1)) {
        node->kind = NCS_YAML_NULL;
    } else if (is_digit(c) || c == '+' || c == '-' || c == '.') {
        number(node);
    } else if (strchr("nNtTfF", c)) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            for (int k = 0; k < 3; k++)
                if (strcmp(node->text, words[i].text[k]) == 0) {
                    node->kind = words[i].kind;
                    node->i = words[i].value;
                }
    }
}

/* ---- hints ---- */

static bool one_of(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (strcasecmp(text, *names) == 0)
            return true;
    return false;
}

/* True for digits and '_' of a base, at least one digit. */
static bool grouped(const char *p, const char *digits)
{
    size_t count = strspn(p, digits);
    return count > 0 && p[count] == '\0' && strspn(p, "_") < count;
}

/* 12:30:45 and 1:30.5 were numbers to the base of 60 in YAML 1.1. */
static bool sexagesimal(const char *p)
{
    const char *end = skip_digits(p);
    int parts = 0;
    while (end > p && *end == ':') {
        p = end + 1;
        end = skip_digits(p);
        if (end == p || end - p > 2 || (end - p == 2 && *p > '5'))
            return false;
        parts++;
    }
    return parts > 0 && (*end == '\0' || (*end == '.' && *skip_digits(end + 1) == '\0'));
}

const char *ncs_yaml_old_form(const struct ncs_yaml_node *node)
{
    static const char *const on[] = { "yes", "on", "y", NULL };
    static const char *const off[] = { "no", "off", "n", NULL };
    if (!node->plain || node->kind != NCS_YAML_TEXT)
        return NULL;
    const char *text = node->text, *digits = skip_sign(text);
    if (one_of(text, on))
        return "booleans are written true and false: write true";
    if (one_of(text, off))
        return "booleans are written true and false: write false";
    if (digits[0] == '0' && is_digit(digits[1]) && *skip_digits(digits) == '\0')
        return "a leading 0 was octal in YAML 1.1: leave it out, or write 0o for octal";
    if (digits[0] == '0' && digits[1] == 'b' && grouped(digits + 2, "01_"))
        return "binary numbers were YAML 1.1: write it in decimal or with 0x";
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o') && grouped(digits + 2, "0123456789abcdefABCDEF_"))
        return "a number with 0x or 0o has no sign and no '_'";
    if (is_digit(digits[0]) && grouped(digits, "0123456789_.") && strchr(digits, '_'))
        return "'_' between digits was YAML 1.1: leave it out";
    if (sexagesimal(digits))
        return "numbers with ':' were YAML 1.1: write the number of seconds";
    return NULL;
}

const char *ncs_yaml_blank_missing(const struct ncs_yaml_node *node)
{
    if (!node->plain || node->kind != NCS_YAML_TEXT)
        return NULL;
    const char *text = node->text;
    size_t name = 0;
    while (is_letter(text[name]) || (name > 0 && is_digit(text[name])))
        name++;
    if (name > 0 && text[name] == ':' && text[name + 1] != ':' && text[name + 1] != '\0')
        return "is a blank missing behind ':'?";
    return text[0] == '-' && is_letter(text[1]) ? "is a blank missing behind '-'?" : NULL;
}
