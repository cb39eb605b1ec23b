/* Command lines: any words are refused with two lines, or make values that their options allow, and operands that are words. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/option.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static const char *const words[] = { "strict", "typical", NULL };
static const char *const all[] = { "auto", "all", NULL };
enum { FLAG, INT, INT_OR_WORD, DURATION, SIZE, CHOICE, MODE, LIST, PAIR, OPTIONS };
static const struct ncs_option table[] = {
    [FLAG] = { "verbose", 'v', NCS_OPTION_FLAG, NULL, NULL, "All", "a flag", NULL, 0, 0 },
    [INT] = { "ranks", 'n', NCS_OPTION_INT, "N", NULL, "All", "a number", NULL, -3, 1 << 20 },
    [INT_OR_WORD] = { "jobs", 'j', NCS_OPTION_INT, "N", "auto", "All", "a number or a word", all, 1, 64 },
    [DURATION] = { "timeout", 't', NCS_OPTION_DURATION, "TIME", "1s", "All", "a time", NULL, 0, 0 },
    [SIZE] = { "memory", 'm', NCS_OPTION_SIZE, "SIZE", NULL, "All", "a size", NULL, 1 << 10, 0 },
    [CHOICE] = { "policy", 0, NCS_OPTION_CHOICE, NULL, NULL, "All", "a word", words, 0, 0 },
    [MODE] = { "plan", 0, NCS_OPTION_MODE, NULL, NULL, "All", "a word, or none", words, 0, 0 },
    [LIST] = { "set", 's', NCS_OPTION_LIST, "NAME=VALUE", NULL, "All", "texts", NULL, 0, 0 },
    [PAIR] = { "report", 0, NCS_OPTION_PAIR, "FILE", NULL, "All", "two texts", words, 0, 0 },
    { 0 },
};
static const struct ncs_command command = { .name = "run", .operands = "FILE", .option = table };

static void must(int holds)
{
    if (!holds)
        abort();
}

static void check(const struct ncs_parsed *p, size_t most)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct ncs_option_value *v = &p->value[i];
        must(v->texts <= most);
        for (size_t k = 0; k < v->texts; k++)
            must(v->text[k] != NULL);
        if (!v->given)
            continue;
        if (i == INT)
            must(v->number >= table[i].least && v->number <= table[i].most);
        else if (i == INT_OR_WORD)
            must((v->number >= 1 && v->number <= 64) || v->number == -1 || v->number == -2);
        else if (i == DURATION)
            must(v->number >= 0);
        else if (i == SIZE)
            must(v->number >= table[i].least);
        else if (i == CHOICE || i == MODE)
            must(v->number == 0 || v->number == 1);
    }
    for (size_t i = 0; i < p->operands; i++)
        must(p->operand[i] != NULL);
    must(p->operands <= most);
}

/* Each line is a word. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static FILE *nowhere;
    struct ncs_parsed parsed;
    size_t count = 1;
    char *text = ncs_new(bytes + 1), **argv = ncs_new((bytes + 3) * sizeof *argv);
    if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
        abort();
    memcpy(text, data, bytes);
    argv[0] = (char[]){ "run" };
    for (char *at = text, *end; at; at = end) {
        end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
        argv[count++] = at;
    }
    FILE *own = stderr;
    stderr = nowhere; /* usage errors */
    bool fits = ncs_options_parse(&command, (int)count, argv, &parsed);
    stderr = own;
    if (fits) {
        check(&parsed, count);
        ncs_parsed_free(&command, &parsed);
    }
    ncs_free(argv);
    ncs_free(text);
    return 0;
}
