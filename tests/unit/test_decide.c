/* Which reading of a hang is reported where nothing can be run again. */
#include "diagnose/analysis.h"
#include "harness.h"

#include "base/mem.h"

static struct ncs_journal *journal;
static struct ncs_diagnosis d;

/* A finding of this rule, whose one culprit is the rank, with one edit. */
static struct ncs_finding *finding_of(const char *rule, int rank, enum ncs_edit_kind kind, const char *why)
{
    struct ncs_finding *f = ncs_new(sizeof *f);
    *f = (struct ncs_finding){
        .rule = rule, .level = NCS_LEVEL_ERROR, .why = ncs_plain(ncs_copy_text(why)), .culprits = 1, .blockeds = 1, .repairs = 1
    };
    f->culprit = ncs_new(sizeof *f->culprit);
    f->culprit[0].rank = rank;
    f->blocked = ncs_new(sizeof *f->blocked);
    f->repair = ncs_new(sizeof *f->repair);
    f->repair[0].kind = kind;
    return f;
}

static void decide(struct ncs_finding *first, struct ncs_finding *other, bool likelier)
{
    journal = ncs_journal_open(1 << 20, false);
    d = (struct ncs_diagnosis){ .finding = first, .findings = 1, .alternatives = 1 };
    d.alternative = ncs_new(sizeof *d.alternative);
    d.alternative[0] = (struct ncs_alternative){ .finding = other,
                                                 .findings = 1,
                                                 .fits = true,
                                                 .as_good = true,
                                                 .likelier = likelier && ncs_finding_is_likelier(journal, other, first) };
    ncs_diagnosis_decide(&d, journal);
}

static void end(void)
{
    ncs_diagnosis_free(&d);
    ncs_journal_close(journal);
}

START_TEST(likelier_is_reported_as_likely_and_names_the_other)
{
    decide(finding_of("comm-order", 3, NCS_EDIT_INSERT, "rank 3 waits for rank 2"),
           finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"), true);
    ck_assert_str_eq(d.finding->rule, "skipped-call");
    ck_assert_int_eq(d.finding->certainty, NCS_LIKELY);
    ck_assert_str_eq(d.finding->otherwise,
                     "it could also be that rank 3 waits for rank 2, if rank 2 made the calls that were meant");
    ck_assert_str_eq(d.alternative[0].finding->rule, "comm-order");
    end();
}
END_TEST

START_TEST(what_fits_as_well_is_named)
{
    decide(finding_of("comm-order", 3, NCS_EDIT_INSERT, "rank 3 waits for rank 2"),
           finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"), false);
    ck_assert_str_eq(d.finding->rule, "comm-order");
    ck_assert_int_eq(d.finding->certainty, NCS_LIKELY);
    ck_assert_str_eq(d.finding->otherwise,
                     "it could also be that rank 2 left out a call, if rank 3 made the calls that were meant");
    ck_assert_uint_eq(d.finding->others, 1);
    ck_assert_int_eq(d.finding->other[0].culprit[0].rank, 2);
    end();
}
END_TEST

START_TEST(another_story_of_the_same_rank_is_not_named)
{
    decide(finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"),
           finding_of("extra-call", 2, NCS_EDIT_DELETE, "rank 2 made a call too many"), false);
    ck_assert_int_eq(d.finding->certainty, NCS_LIKELY); /* nothing could be tried, and no place speaks for it */
    ck_assert_ptr_null(d.finding->otherwise);
    end();
}
END_TEST

START_TEST(another_word_for_the_same_ranks_is_not_preferred)
{
    decide(finding_of("extra-call", 2, NCS_EDIT_DELETE, "rank 2 made a call too many"),
           finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"), true);
    ck_assert_str_eq(d.finding->rule, "extra-call");
    ck_assert_ptr_null(d.finding->otherwise);
    end();
}
END_TEST

START_TEST(an_exchange_is_smaller_than_a_call_more_or_less)
{
    decide(finding_of("swapped-calls", 3, NCS_EDIT_SWAP, "calls 2 and 3 are exchanged"),
           finding_of("extra-call", 3, NCS_EDIT_DELETE, "rank 3 made a call too many"), true);
    ck_assert_str_eq(d.finding->rule, "swapped-calls");
    end();
}
END_TEST

/* Had the ranks made the call at one place, the missing call would not be likelier in the first place. */
START_TEST(a_missing_call_is_preferred_to_a_wrong_argument_elsewhere)
{
    decide(finding_of("count-mismatch", 2, NCS_EDIT_ARGUMENT, "call 5 has count 32 on rank 2"),
           finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"), true);
    ck_assert_str_eq(d.finding->rule, "skipped-call");
    ck_assert_int_eq(d.finding->certainty, NCS_LIKELY);
    ck_assert_str_eq(d.finding->otherwise, "it could also be that call 5 has count 32 on rank 2");
    end();
}
END_TEST

/* Other changes of the same rank are no rivals; one that places support as well is. */
START_TEST(a_call_too_few_is_certain_if_places_support_no_other_change)
{
    for (int rivals = 0; rivals < 2; rivals++) {
        journal = ncs_journal_open(1 << 20, false);
        d = (struct ncs_diagnosis){ .finding = finding_of("skipped-call", 2, NCS_EDIT_INSERT, "rank 2 left out a call"),
                                    .findings = 1,
                                    .alternatives = 2 };
        d.alternative = ncs_new(2 * sizeof *d.alternative);
        d.alternative[0] = (struct ncs_alternative){
            .finding = finding_of("skipped-call", 2, NCS_EDIT_INSERT, "the same"), .findings = 1, .known = true, .sure = true
        };
        d.alternative[1] = (struct ncs_alternative){
            .finding = finding_of("extra-call", 1, NCS_EDIT_DELETE, "another"), .findings = 1, .tier = 1, .sure = rivals == 1
        };
        ncs_diagnosis_decide(&d, journal);
        ck_assert_int_eq(d.finding->certainty, rivals ? NCS_LIKELY : NCS_CERTAIN);
        end();
    }
}
END_TEST

START_TEST(a_cycle_is_never_certain_untried)
{
    journal = ncs_journal_open(1 << 20, false);
    d = (struct ncs_diagnosis){ .finding = finding_of("p2p-cycle", 2, NCS_EDIT_GROUP, "ranks wait"), .findings = 1 };
    d.finding->cycle = ncs_new(sizeof *d.finding->cycle);
    d.finding->cycles = 1;
    ncs_diagnosis_decide(&d, journal);
    ck_assert_int_eq(d.finding->certainty, NCS_LIKELY);
    end();
}
END_TEST

NCS_TEST_MAIN("decide", a_call_too_few_is_certain_if_places_support_no_other_change, a_cycle_is_never_certain_untried,
              likelier_is_reported_as_likely_and_names_the_other, what_fits_as_well_is_named,
              another_word_for_the_same_ranks_is_not_preferred, another_story_of_the_same_rank_is_not_named,
              an_exchange_is_smaller_than_a_call_more_or_less, a_missing_call_is_preferred_to_a_wrong_argument_elsewhere)
