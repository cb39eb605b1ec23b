/* ncclscript explain: what a finding means, by its rule. */
#include "base/near.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/report.h"

static const struct ncs_option options[] = { NCS_OPTION_HELP, { 0 } };

static void list_topics(struct ncs_str *out)
{
    ncs_str_add(out, "usage: ncclscript explain [TOPIC]\n\nTopics\n");
    for (const struct ncs_topic *t = ncs_topics; t->id; t++)
        ncs_str_addf(out, "  %-22s  %s\n", t->id, t->title);
}

static bool explain(const char *id, struct ncs_str *out)
{
    const struct ncs_topic *topic = ncs_topic(id);
    if (topic) {
        ncs_str_addf(out, "%s: %s\n\n%s", topic->id, topic->title, topic->text);
        return true;
    }
    size_t count = 0;
    const char *ids[128];
    for (; ncs_topics[count].id && count < sizeof ids / sizeof *ids; count++)
        ids[count] = ncs_topics[count].id;
    ncs_usage_error("explain", ncs_nearest(id, ids, count), "unknown topic `%s`", id);
    return false;
}

static int explain_main(const struct ncs_parsed *parsed)
{
    struct ncs_str out = { 0 };
    bool known = true;
    if (parsed->operands)
        known = explain(parsed->operand[0], &out);
    else
        list_topics(&out);
    if (known)
        ncs_out(out.text);
    ncs_str_free(&out);
    return known ? 0 : 2;
}

const struct ncs_command ncs_cmd_explain = {
    .name = "explain",
    .operands = "[TOPIC]",
    .summary = "say what a finding means and how to repair it",
    .option = options,
    .several = "one topic at a time",
    .main = explain_main,
};
