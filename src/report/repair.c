/* What became of repairs that were tried: the edits of each round like a diff, and how it ended. */
#include "report/text.h"

#include "base/safe.h"

static const char signs[] = {
    [NCS_EDIT_INSERT] = '+', [NCS_EDIT_DELETE] = '-',   [NCS_EDIT_SWAP] = '~',
    [NCS_EDIT_GROUP] = '~',  [NCS_EDIT_ARGUMENT] = '~', [NCS_EDIT_SYNC] = '+',
};

static void add_round(const struct ncs_text *t, const struct ncs_repair_round *round)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < round->edits && (i < MOST || t->style->verbose); i++) {
        ncs_str_addf(t->out, "    %c ", signs[round->edit[i].kind]);
        ncs_safe_line(t->out, round->edit[i].text);
        ncs_str_add(t->out, "\n");
    }
    if (round->edits > MOST && !t->style->verbose)
        ncs_str_addf(t->out, "    ... %zu edits\n", round->edits);
    ncs_str_add(t->out, "    then  ");
    if (round->verdict == NCS_PASS) {
        ncs_str_add(t->out, "it passes\n");
        return;
    }
    ncs_str_addf(t->out, "%s%s", round->gone ? "" : "still the same: ",
                 ncs_verdict_name(round->verdict));
    if (round->left || round->failure) {
        ncs_str_add(t->out, ": ");
        ncs_safe_line(t->out, round->left ? round->left : round->failure);
    }
    ncs_str_add(t->out, "\n");
}

/* Of the last round: what is left, and that nothing was tried against it. */
static void add_rest(const struct ncs_text *t, const struct ncs_repair_round *round)
{
    if (round->verdict == NCS_PASS)
        return;
    if (round->left_why) {
        ncs_str_add(t->out, "    why   ");
        ncs_safe_line(t->out, round->left_why);
        ncs_str_add(t->out, "\n");
    }
    if (!round->left_known)
        ncs_str_add(t->out, "          no change of calls alone is known to repair that\n");
}

void ncs_text_repair(const struct ncs_text *t)
{
    const struct ncs_repair *repair = &t->result->repair;
    if (!repair->tried)
        return;
    ncs_text_keyed(t, NCS_BOLD, "repair",
                   repair->rounds ? " tried on the run, not on the file"
                                  : " no change of calls alone is known to repair it");
    for (size_t i = 0; i < repair->rounds; i++)
        add_round(t, &repair->round[i]);
    if (repair->rounds)
        add_rest(t, &repair->round[repair->rounds - 1]);
}
