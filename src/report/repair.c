/* The edits that were tried, for explanations and repairs: printed like a diff,
 * with their outcome. */
#include "report/text.h"

#include "base/safe.h"

static const char signs[] = {
    [NCS_EDIT_INSERT] = '+', [NCS_EDIT_DELETE] = '-',   [NCS_EDIT_SWAP] = '~',
    [NCS_EDIT_GROUP] = '~',  [NCS_EDIT_ARGUMENT] = '~', [NCS_EDIT_SYNC] = '+',
};

static void add_trial(const struct ncs_text *t, const struct ncs_trial *trial)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < trial->edits && (i < MOST || t->style->verbose); i++) {
        ncs_str_addf(t->out, "    %c ", signs[trial->edit[i].kind]);
        ncs_safe_line(t->out, trial->edit[i].text);
        ncs_str_add(t->out, "\n");
    }
    if (trial->edits > MOST && !t->style->verbose)
        ncs_str_addf(t->out, "    ... %zu edits\n", trial->edits);
    ncs_str_add(t->out, trial->partial ? "    then, with only a part of this made,  " : "    then  ");
    if (trial->verdict == NCS_PASS) {
        ncs_str_add(t->out, "it passes\n");
        return;
    }
    ncs_str_addf(t->out, "%s%s", trial->gone ? "" : "still the same: ", ncs_verdict_name(trial->verdict));
    if (trial->left || trial->failure) {
        ncs_str_add(t->out, ": ");
        ncs_safe_line(t->out, trial->left ? trial->left : trial->failure);
    }
    ncs_str_add(t->out, "\n");
}

/* After the last round: the cause that is left, and whether any edit is known against it. */
static void repair_add_rest(const struct ncs_text *t, const struct ncs_trial *trial)
{
    if (trial->verdict == NCS_PASS)
        return;
    if (trial->left_why) {
        ncs_str_add(t->out, "    why   ");
        ncs_safe_line(t->out, trial->left_why);
        ncs_str_add(t->out, "\n");
    }
    if (!trial->left_known)
        ncs_str_add(t->out, "          no change of calls alone is known to repair that\n");
}

void ncs_text_repair(const struct ncs_text *t)
{
    const struct ncs_repair *repair = &t->result->repair;
    if (!repair->tried)
        return;
    ncs_text_keyed(t, NCS_BOLD, "repair",
                   repair->rounds ? " tried on the run, not on the file" : " no change of calls alone is known to repair it");
    for (size_t i = 0; i < repair->rounds; i++)
        add_trial(t, &repair->round[i]);
    if (repair->rounds)
        repair_add_rest(t, &repair->round[repair->rounds - 1]);
}

void ncs_text_proof(const struct ncs_text *t)
{
    const struct ncs_proof *proof = &t->result->proof;
    struct ncs_str head = { 0 };
    if (!proof->complete)
        return;
    if (proof->trials)
        ncs_str_addf(&head, "%zu explanation%s tried on the run, not on the file", proof->trials, ncs_text_plural(proof->trials));
    else
        ncs_str_add(&head, "no change of calls is known that could be tried");
    ncs_text_keyed(t, NCS_BOLD, "proof", head.text);
    for (size_t i = 0; i < proof->trials; i++)
        add_trial(t, &proof->trial[i]);
    ncs_str_free(&head);
}
