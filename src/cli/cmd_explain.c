/* ncclscript explain: the page of a finding, a word of the reports, a result code, an exit status, a function, a variable
 * or a command. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/near.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/page.h"

enum { SCENARIO, FORMAT, HELP };

static const struct ncs_option options[] = {
    [SCENARIO] = NCS_ROW_FLAG("scenario", 0, "Output", "print only the scenario of the page, to run it"),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output",
                             "text, or one JSON object per page and line; without a topic, all pages", ncs_text_or_json),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

static void list_topics(struct ncs_str *out)
{
    ncs_str_add(out, "usage: ncclscript explain [TOPIC]\n\n");
    ncs_explain_list(ncs_out_columns(), out);
}

static bool fail_unknown(const char *name)
{
    size_t count;
    const char *const *names = ncs_explained(&count);
    const char *near = ncs_nearest(name, names, count);
    struct ncs_str shown = { 0 };
    ncs_safe_line(&shown, name);
    fprintf(stderr, "ncclscript explain: unknown topic `%s`\n", shown.text ? shown.text : "");
    if (near)
        fprintf(stderr, "did you mean `%s`? ", near);
    fprintf(stderr, "`ncclscript explain` lists all topics\n");
    ncs_str_free(&shown);
    return false;
}

/* A command has no page of its own: its help is one. */
static bool explain_command(const char *name, bool json, struct ncs_str *out)
{
    for (const struct ncs_command *const *c = ncs_commands; name && *c; c++) {
        if (strcmp((*c)->name, name) != 0)
            continue;
        if (json)
            ncs_json_line(json_pack("{ssssssssss}", "schema", "ncclscript.explain/1", "topic", name, "kind", "command", "meaning",
                                    (*c)->summary, "what", (*c)->about),
                          0, out);
        else
            ncs_str_addf(out, "%s%s: a command: %s\n  its options: ncclscript help %s\n", out->bytes ? "\n" : "", name,
                         (*c)->summary, name);
        return true;
    }
    return false;
}

static bool explain_named(const struct ncs_option_value *v, const char *name, struct ncs_str *out)
{
    struct ncs_named named;
    bool json = v[FORMAT].number == 1, page = !name || ncs_page_find(name, &named);
    if (!page && !v[SCENARIO].given && explain_command(name, json, out))
        return true;
    if (!page)
        return fail_unknown(name);
    if (v[SCENARIO].given) {
        if (name && ncs_explain_scenario(name, out))
            return true;
        if (name)
            ncs_usage_error("explain", NULL, "the page of `%s` has no scenario", name);
        else
            ncs_usage_error("explain", NULL, "--scenario needs a topic");
        return false;
    }
    if (json ? ncs_explain_json(name, out) : name && ncs_explain(name, ncs_out_columns(), out))
        explain_command(name, json, out);
    else
        list_topics(out);
    return true;
}

/* Joins words that form one topic, as `exit 3`; false if they do not. */
static bool explain_join(const struct ncs_parsed *parsed, struct ncs_str *topic)
{
    struct ncs_named named;
    for (size_t i = 0; i < parsed->operands; i++)
        ncs_str_addf(topic, "%s%s", i ? " " : "", parsed->operand[i]);
    if (parsed->operands < 2 || ncs_page_find(topic->text, &named))
        return true;
    ncs_usage_error("explain", NULL, "one topic at a time");
    return false;
}

static int explain_main(const struct ncs_parsed *parsed)
{
    struct ncs_str out = { 0 }, topic = { 0 };
    bool known = explain_join(parsed, &topic) && explain_named(parsed->value, topic.text, &out);
    if (known)
        ncs_out(out.text);
    ncs_str_free(&out);
    ncs_str_free(&topic);
    return known ? 0 : 2;
}

static void offer_topics(void (*on_word)(void *arg, const char *word), void *arg)
{
    size_t count;
    const char *const *names = ncs_explained(&count);
    for (size_t i = 0; i < count; i++)
        on_word(arg, names[i]);
}

const struct ncs_command ncs_cmd_explain = {
    .name = "explain",
    .operands = "[TOPIC]",
    .summary = "explain a finding, a word, a code, a function, a variable or a command",
    .about = "A topic is a finding (skipped-call), a word of the reports (bystander), a result code by\n"
             "name or number (ncclInvalidUsage, 700), an exit status (exit 3), a function by its name in C\n"
             "or in Lua (ncclAllReduce, world:all_reduce), an environment variable (NCCL_ALGO) or a command\n"
             "(diagnose). A number may be a result code and an exit\n"
             "status: explain prints both pages. Without a topic, explain lists all topics.\n",
    .option = options,
    .words = offer_topics,
    .main = explain_main,
};
