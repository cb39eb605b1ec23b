/* Options of a command, declared once: parsing, --help and "did you mean" use the same table. */
#ifndef NCS_CLI_OPTION_H
#define NCS_CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum ncs_option_type {
    NCS_OPTION_FLAG,
    NCS_OPTION_INT,      /* from least to most, or a word of `choices`: -1 - its index */
    NCS_OPTION_DURATION, /* nanoseconds */
    NCS_OPTION_SIZE,     /* bytes, from least on */
    NCS_OPTION_CHOICE,   /* one of the words of `choices`; the value is its index */
    NCS_OPTION_MODE,     /* as CHOICE, but the word may be missing, which means the first one */
    NCS_OPTION_LIST,     /* may be repeated; the values are texts */
    NCS_OPTION_PAIR,     /* as LIST, but each value is two: a word of `choices`, and a text named `argument` */
};

struct ncs_option {
    const char *name; /* long, without dashes; NULL ends a table */
    char letter;      /* 0 = none */
    enum ncs_option_type type;
    const char *argument; /* its name in the help; NULL for a flag and for a choice whose words are short
                           * enough to be listed */
    const char *preset;   /* the default in the help; NULL = not shown */
    const char *group;    /* heading in the help; rows of a group are adjacent */
    const char *text;
    const char *const *choices; /* NULL at the end */
    int64_t least, most;
};

struct ncs_option_value {
    bool given;
    int64_t number;    /* its last value; a flag: 1 */
    const char **text; /* the typed text, each time */
    size_t texts, texts_room;
};

struct ncs_parsed;

struct ncs_command {
    const char *name;                /* "run" */
    const char *operands;            /* "FILE|DIR..."; NULL = takes none */
    const char *summary;             /* one line */
    const char *about;               /* further text of its help; NULL = none */
    const struct ncs_option *option; /* the table; its last row is NCS_OPTION_HELP */
    const char *missing;             /* error text for no operands; NULL = operands are optional */
    const char *several;             /* error text for several operands; NULL = several are allowed */
    bool program;                    /* after `--` comes a program with its arguments */
    /* For completion: calls on_word for each word that an operand can be; NULL = only files, if `operands` names
     * any. */
    void (*words)(void (*on_word)(void *arg, const char *word), void *arg);
    int (*main)(const struct ncs_parsed *parsed); /* the exit status */
};

/* Values of --format where a report has no others. */
extern const char *const ncs_text_or_json[];

/* Rows of a table: a flag; texts; a time; one of several words; a number. */
#define NCS_ROW_FLAG(name, letter, group, text)                            \
    {                                                                      \
        name, letter, NCS_OPTION_FLAG, NULL, NULL, group, text, NULL, 0, 0 \
    }
#define NCS_ROW_TEXTS(name, letter, argument, preset, group, text)               \
    {                                                                            \
        name, letter, NCS_OPTION_LIST, argument, preset, group, text, NULL, 0, 0 \
    }
#define NCS_ROW_TIME(name, letter, preset, group, text)                            \
    {                                                                              \
        name, letter, NCS_OPTION_DURATION, "TIME", preset, group, text, NULL, 0, 0 \
    }
#define NCS_ROW_WORDS(name, letter, preset, group, text, choices)                 \
    {                                                                             \
        name, letter, NCS_OPTION_CHOICE, NULL, preset, group, text, choices, 0, 0 \
    }
#define NCS_ROW_NUMBER(name, letter, argument, preset, group, text, least, most)       \
    {                                                                                  \
        name, letter, NCS_OPTION_INT, argument, preset, group, text, NULL, least, most \
    }

#define NCS_OPTION_HELP                                                                                    \
    {                                                                                                      \
        .name = "help", .letter = 'h', .type = NCS_OPTION_FLAG, .group = "Other", .text = "show this help" \
    }

struct ncs_parsed {
    struct ncs_option_value *value; /* one per row of the table */
    const char **operand;
    size_t operands, operands_room;
    char **program; /* for a command that takes one: its words, NULL at the end */
    bool help;
};

/* Parses argv; argv[0] is the command's name. False after the two lines of a usage error on standard error. */
bool ncs_options_parse(const struct ncs_command *command, int argc, char **argv, struct ncs_parsed *parsed);
void ncs_parsed_free(const struct ncs_command *command, struct ncs_parsed *parsed);
/* The last value of an option that may be repeated; NULL = not given. */
const char *ncs_option_last(const struct ncs_option_value *value);

/* Appends the whole help of a command. */
void ncs_options_help(const struct ncs_command *command, struct ncs_str *out);
/* Appends "--policy strict|typical": the long option with its argument. */
void ncs_option_form(const struct ncs_option *option, struct ncs_str *out);
/* Appends the rows of the table, in groups. */
void ncs_options_table(const struct ncs_option *option, struct ncs_str *out);

/* Prints the two lines of a usage error: the text, and `near` (may be NULL) with where to look. */
void ncs_usage_error(const char *command, const char *near, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
