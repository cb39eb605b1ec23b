/* Parses options by a table, with getopt_long. Abbreviations are refused, because an option that is added
 * later could change their meaning. */
#include "cli/option.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"
#include "base/safe.h"

enum { LONG_BASE = 256 }; /* getopt's value of the long option in row 0; letters are below */

const char *const ncs_text_or_json[] = { "text", "json", NULL };

static size_t rows_of(const struct ncs_option *option)
{
    size_t n = 0;
    while (option[n].name)
        n++;
    return n;
}

void ncs_usage_error(const char *command, const char *near, const char *fmt, ...)
{
    struct ncs_str what = { 0 }, line = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&what, fmt, args);
    va_end(args);
    ncs_safe_line(&line, what.text);
    const char *space = command ? " " : "", *name = command ? command : "";
    fprintf(stderr, "ncclscript%s%s: %s\n", space, name, line.text);
    if (near)
        fprintf(stderr, "did you mean `%s`? ", near);
    fprintf(stderr, "try `ncclscript%s%s --help`\n", space, name);
    ncs_str_free(&what);
    ncs_str_free(&line);
}

/* `word` as typed, with its dashes; text after '=' is not part of the name. */
static void option_unknown_option(const struct ncs_command *command, const char *word)
{
    size_t rows = rows_of(command->option);
    const char **name = ncs_new((rows + 1) * sizeof *name);
    for (size_t i = 0; i < rows; i++)
        name[i] = command->option[i].name;
    struct ncs_str typed = { 0 }, near = { 0 };
    ncs_str_add_bytes(&typed, word, strcspn(word, "="));
    const char *nearest = NULL;
    if (strncmp(word, "--", 2) == 0) {
        nearest = ncs_nearest(typed.text + 2, name, rows);
        /* The refused abbreviation names the intended option. */
        for (size_t i = 0; !nearest && i < rows && typed.bytes > 2; i++)
            if (strncmp(name[i], typed.text + 2, typed.bytes - 2) == 0)
                nearest = name[i];
    }
    if (nearest)
        ncs_str_addf(&near, "--%s", nearest);
    ncs_usage_error(command->name, near.text, "unknown option `%s`", typed.text);
    ncs_str_free(&typed);
    ncs_str_free(&near);
    ncs_free(name);
}

/* The name of arguments for lists whose values must have this form. */
static const char assignment[] = "NAME=VALUE";

/* "`strict` or `typical`", after `before`. */
static void option_add_words(const struct ncs_option *o, const char *before, struct ncs_str *out)
{
    for (size_t i = 0; o->choices && o->choices[i]; i++)
        ncs_str_addf(out, "%s`%s`", i == 0 ? before : o->choices[i + 1] ? ", " : " or ", o->choices[i]);
}

static bool bad_value(const struct ncs_command *command, const struct ncs_option *o, const char *text, const char *near)
{
    struct ncs_str want = { 0 };
    char size[32];
    ncs_str_add(&want, "");
    switch (o->type) {
    case NCS_OPTION_INT:
        ncs_str_addf(&want, "a whole number from %" PRId64, o->least);
        if (o->most != INT64_MAX)
            ncs_str_addf(&want, " to %" PRId64, o->most);
        option_add_words(o, ", or ", &want);
        break;
    case NCS_OPTION_DURATION: ncs_str_add(&want, "a time, as `10s`, `500ms` or `2m`"); break;
    case NCS_OPTION_SIZE:
        ncs_str_addf(&want, "a size of %s or more, as `512M` or `4G`", ncs_format_size((uint64_t)o->least, size, sizeof size));
        break;
    case NCS_OPTION_LIST: ncs_str_addf(&want, "%s", o->argument); break;
    default: option_add_words(o, "", &want);
    }
    ncs_usage_error(command->name, near, "`--%s %s`: expected %s", o->name, text, want.bytes ? want.text : "a value");
    ncs_str_free(&want);
    return false;
}

/* The index of the word among the choices; -1 = it is no choice. */
static int64_t choice(const struct ncs_option *o, const char *text)
{
    for (int64_t i = 0; o->choices && o->choices[i]; i++)
        if (strcmp(o->choices[i], text) == 0)
            return i;
    return -1;
}

static bool read_size(const struct ncs_option *o, const char *text, int64_t *number)
{
    uint64_t bytes;
    if (!ncs_parse_size(text, &bytes) || bytes < (uint64_t)o->least || bytes > INT64_MAX)
        return false;
    *number = (int64_t)bytes;
    return true;
}

static bool take_value(const struct ncs_command *command, size_t row, const char *text, struct ncs_option_value *value)
{
    const struct ncs_option *o = &command->option[row];
    value->given = true;
    value->number = 1;
    switch (o->type) {
    case NCS_OPTION_FLAG: return true;
    case NCS_OPTION_INT:
        if (choice(o, text) >= 0)
            value->number = -1 - choice(o, text);
        else if (!ncs_parse_int(text, &value->number) || value->number < o->least || value->number > o->most)
            return bad_value(command, o, text, NULL);
        break;
    case NCS_OPTION_DURATION:
        if (!ncs_parse_duration(text, &value->number) || value->number == 0)
            return bad_value(command, o, text, NULL);
        break;
    case NCS_OPTION_SIZE:
        if (!read_size(o, text, &value->number))
            return bad_value(command, o, text, NULL);
        break;
    case NCS_OPTION_MODE:
        if (!text) {
            value->number = 0;
            return true;
        }
        /* fall through */
    case NCS_OPTION_PAIR:
    case NCS_OPTION_CHOICE:
        if ((value->number = choice(o, text)) < 0)
            return bad_value(command, o, text, ncs_nearest(text, o->choices, 0));
        break;
    case NCS_OPTION_LIST:
        if (strcmp(o->argument, assignment) == 0 && (*text == '=' || !strchr(text, '=')))
            return bad_value(command, o, text, NULL);
        break;
    }
    NCS_PUSH(value->text, value->texts, value->texts_room, text);
    return true;
}

/* The second word of a pair, which getopt does not know. */
static bool take_second(const struct ncs_command *command, size_t row, int argc, char **argv, struct ncs_option_value *value)
{
    const struct ncs_option *o = &command->option[row];
    if (o->type != NCS_OPTION_PAIR)
        return true;
    if (optind >= argc || argv[optind][0] == '\0' || strncmp(argv[optind], "--", 2) == 0) {
        ncs_usage_error(command->name, NULL, "`--%s %s`: expected %s behind it", o->name, value->text[value->texts - 1],
                        o->argument);
        return false;
    }
    NCS_PUSH(value->text, value->texts, value->texts_room, argv[optind]);
    optind++;
    return true;
}

/* getopt's form of the table. The leading '-' makes getopt return operands in their place, so that the
 * current element of argv is always known. */
static struct option *make_getopt(const struct ncs_option *option, size_t rows, struct ncs_str *letters)
{
    struct option *list = ncs_new((rows + 1) * sizeof *list);
    ncs_str_add(letters, "-:");
    for (size_t i = 0; i < rows; i++) {
        bool takes = option[i].type != NCS_OPTION_FLAG, may = option[i].type == NCS_OPTION_MODE;
        list[i] = (struct option){ .name = option[i].name,
                                   .has_arg = may     ? optional_argument
                                              : takes ? required_argument
                                                      : no_argument,
                                   .val = LONG_BASE + (int)i };
        if (option[i].letter)
            ncs_str_addf(letters, "%c%s", option[i].letter, takes ? ":" : "");
    }
    return list;
}

static size_t option_row_of(const struct ncs_option *option, int got)
{
    if (got >= LONG_BASE)
        return (size_t)(got - LONG_BASE);
    size_t i = 0;
    while (option[i].name && option[i].letter != got)
        i++;
    return i;
}

/* Reports why getopt returned '?' or ':' while it read `word`. */
static bool option_complain(const struct ncs_command *command, int got, const char *word)
{
    bool is_long = strncmp(word, "--", 2) == 0;
    if (got == ':' || (is_long && optopt >= LONG_BASE)) {
        const struct ncs_option *o = &command->option[option_row_of(command->option, optopt)];
        if (got == ':')
            ncs_usage_error(command->name, NULL, "option `--%s` needs a value", o->name);
        else
            ncs_usage_error(command->name, NULL, "option `--%s` takes no value", o->name);
    } else if (is_long) {
        option_unknown_option(command, word);
    } else {
        const char letter[] = { '-', (char)optopt, '\0' };
        option_unknown_option(command, letter);
    }
    return false;
}

static bool is_abbreviated(const struct ncs_option *option, int got, const char *word)
{
    return got >= LONG_BASE && strcspn(word + 2, "=") != strlen(option[got - LONG_BASE].name);
}

static bool option_parse(const struct ncs_command *command, int argc, char **argv, const struct option *list, const char *letters,
                         struct ncs_parsed *parsed)
{
    opterr = 0;
    optind = 0; /* GNU: start over, whatever was parsed before */
    for (;;) {
        const char *word = argv[optind ? optind : 1];
        int got = getopt_long(argc, argv, letters, list, NULL);
        if (got == -1)
            break;
        if (got == 1) {
            NCS_PUSH(parsed->operand, parsed->operands, parsed->operands_room, optarg);
            continue;
        }
        if (is_abbreviated(command->option, got, word)) {
            option_unknown_option(command, word);
            return false;
        }
        if (got == '?' || got == ':') {
            /* getopt reports a missing value before it reports an abbreviation. */
            if (optopt >= LONG_BASE && is_abbreviated(command->option, optopt, word)) {
                option_unknown_option(command, word);
                return false;
            }
            return option_complain(command, got, word);
        }
        size_t row = option_row_of(command->option, got);
        if (!take_value(command, row, optarg, &parsed->value[row]) || !take_second(command, row, argc, argv, &parsed->value[row]))
            return false;
    }
    for (; optind < argc; optind++)
        NCS_PUSH(parsed->operand, parsed->operands, parsed->operands_room, argv[optind]);
    return true;
}

bool ncs_options_parse(const struct ncs_command *command, int argc, char **argv, struct ncs_parsed *parsed)
{
    size_t rows = rows_of(command->option);
    struct ncs_str letters = { 0 };
    struct option *list = make_getopt(command->option, rows, &letters);
    *parsed = (struct ncs_parsed){ .value = ncs_new(rows * sizeof *parsed->value) };
    bool ok = option_parse(command, argc, argv, list, letters.text, parsed);
    parsed->help = parsed->value[rows - 1].given;
    ncs_str_free(&letters);
    ncs_free(list);
    if (!ok)
        ncs_parsed_free(command, parsed);
    return ok;
}

void ncs_parsed_free(const struct ncs_command *command, struct ncs_parsed *parsed)
{
    for (size_t i = 0; parsed->value && i < rows_of(command->option); i++)
        ncs_free(parsed->value[i].text);
    ncs_free(parsed->value);
    ncs_free(parsed->operand);
    *parsed = (struct ncs_parsed){ 0 };
}

const char *ncs_option_last(const struct ncs_option_value *value)
{
    return value->given ? value->text[value->texts - 1] : NULL;
}
