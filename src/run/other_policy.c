/* Runs the scenario again, silently, under the other policy if buffered sends, or what the end of a communicator waits for
 * (sim/README.md, rules 1 and 11), can have decided how the run ended. A difference means that the program works by luck. */
#include "base/mem.h"
#include "run/private.h"

static const char *policy_rule_of(struct ncs_result *r)
{
    const struct ncs_finding *finding = ncs_first_error(&r->diagnosis);
    return finding ? finding->rule : NULL;
}

/* Only a run that ended by itself allows a conclusion. */
static bool is_conclusive(enum ncs_verdict v)
{
    return v == NCS_PASS || v == NCS_HANG || v == NCS_WRONG || v == NCS_ERROR;
}

/* The typical policy lets sends and destroys end earlier and changes nothing else. So a run that passes under strict also
 * passes under typical, and a run that hangs under typical also hangs under strict. */
static bool may_differ(const struct ncs_run *run)
{
    bool strict = run->options.policy == NCS_POLICY_STRICT;
    return run->swayed && !run->options.once && run->result.verdict == (strict ? NCS_HANG : NCS_PASS);
}

/* The cause of the hang without buffers becomes a note of the run that passes with buffers. */
static void policy_take_over(struct ncs_diagnosis *d, struct ncs_diagnosis *from)
{
    struct ncs_finding *cause = ncs_first_error(from);
    if (!cause)
        return;
    struct ncs_finding note = *cause;
    *cause = (struct ncs_finding){ 0 };
    for (size_t i = 0; i < note.rows; i++)
        ncs_sentence_free(note.row[i].said);
    note.rows = 0;
    ncs_free(note.title);
    note.title = NULL;
    struct ncs_str why = { 0 };
    ncs_str_addf(&why, "under the strict policy it hangs: %s", note.why ? ncs_sentence_text(note.why) : note.rule);
    ncs_sentence_free(note.why);
    note.why = ncs_plain(ncs_str_take(&why));
    note.level = NCS_LEVEL_NOTE;
    note.certainty = NCS_POLICY_DEPENDENT;
    d->finding = ncs_resize(d->finding, (d->findings + 1) * sizeof *d->finding);
    d->finding[d->findings++] = note;
}

static void policy_compare(struct ncs_run *run, struct ncs_run *other)
{
    struct ncs_result *r = &run->result, *o = &other->result;
    if (!is_conclusive(o->verdict) || (o->verdict == r->verdict && policy_rule_of(o) == policy_rule_of(r)))
        return;
    bool strict = run->options.policy == NCS_POLICY_STRICT;
    r->other_policy = (struct ncs_other_policy){ .differs = true,
                                                 .policy = other->options.policy,
                                                 .verdict = o->verdict,
                                                 .rule = policy_rule_of(o),
                                                 .limit = ncs_run_eager(&run->options),
                                                 .buffered = strict ? other->buffered : run->buffered };
    struct ncs_finding *cause = ncs_first_error(&r->diagnosis);
    if (strict && cause && o->verdict == NCS_PASS)
        r->certainty = cause->certainty = NCS_POLICY_DEPENDENT;
    else if (!strict) {
        r->certainty = NCS_POLICY_DEPENDENT;
        policy_take_over(&r->diagnosis, &o->diagnosis);
    }
}

/* Repeats the run without draws and without the schedule, whose choices belong to
 * the other policy. */
static struct ncs_run *policy_run_again(const struct ncs_run *run, enum ncs_policy policy, const struct ncs_driver *driver)
{
    struct ncs_run_options o = run->options;
    o.policy = policy;
    o.schedule = NULL;
    o.seeded = false;
    o.look = 0;
    o.timeline = false;
    o.on_log = NULL; /* one log is enough */
    struct ncs_run *other = ncs_run_make(&o, &run->program, NULL, NULL);
    ncs_run_once(other, driver);
    return other;
}

/* True if the run ends otherwise with the default choices. */
static bool was_chosen(struct ncs_run *run, const struct ncs_driver *driver)
{
    if (!run->options.seeded && !run->options.schedule)
        return false;
    struct ncs_run *plain = policy_run_again(run, run->options.policy, driver);
    bool differs = plain->result.verdict != run->result.verdict || policy_rule_of(&plain->result) != policy_rule_of(&run->result);
    ncs_run_free(plain);
    return differs;
}

void ncs_run_other_policy(struct ncs_run *run, const struct ncs_driver *driver)
{
    if (!may_differ(run))
        return;
    ncs_run_close_machine(run);
    if (was_chosen(run, driver))
        return;
    bool strict = run->options.policy == NCS_POLICY_STRICT;
    struct ncs_run *other = policy_run_again(run, strict ? NCS_POLICY_TYPICAL : NCS_POLICY_STRICT, driver);
    policy_compare(run, other);
    ncs_run_free(other);
}
