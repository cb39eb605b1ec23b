/* Room base: text fitted to the width of a terminal. */
#include "base/fill.h"
#include "harness.h"

static void prose_is(const char *text, size_t indent, int width, const char *want)
{
    struct ncs_str out = { 0 };
    ncs_str_add(&out, "");
    ncs_fill_prose(&out, text, indent, width);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

static void lines_are(const char *text, int width, const char *want)
{
    struct ncs_str out = { 0 };
    ncs_fill_lines(&out, text, width);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

START_TEST(prose_stays_where_it_fits)
{
    prose_is("one two\nthree\n", 0, 40, "one two\nthree\n");
    prose_is("one two\nthree\n", 2, 0, "  one two\n  three\n");
    prose_is("a\n\nb\n", 2, 40, "  a\n\n  b\n");
    prose_is("", 2, 40, "");
}
END_TEST

START_TEST(paragraph_is_filled_anew)
{
    prose_is("every rank of this communicator makes\nthe same calls in the same order\nas the others\n", 0, 32,
             "every rank of this communicator\nmakes the same calls in the same\norder as the others\n");
    prose_is("every rank of this communicator makes\n\n  code stays as it is, however long it may be\nend\n", 2, 32,
             "  every rank of this\n  communicator makes\n\n    code stays as it is, however long it may be\n  end\n");
}
END_TEST

START_TEST(items_are_paragraphs)
{
    prose_is("- every rank of this communicator\n  makes a call\n- none\n", 0, 30,
             "- every rank of this\n  communicator makes a call\n- none\n");
}
END_TEST

START_TEST(columns_are_code_points_without_escapes)
{
    prose_is("\033[1m\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\033[0m aaaaaaaaaa bbbbbbbbbbb c\n", 0, 30,
             "\033[1m\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\033[0m aaaaaaaaaa bbbbbbbbbbb\nc\n");
}
END_TEST

START_TEST(long_word_has_a_line_of_its_own)
{
    prose_is("a bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb c\n", 0, 30, "a\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\nc\n");
    prose_is("aaaaaaaaaa bbbbbbbbbb cccccccccc\n", 0, 1, "aaaaaaaaaa bbbbbbbbbb\ncccccccccc\n"); /* no narrower than 30 */
}
END_TEST

START_TEST(lines_hang_below_their_second_column)
{
    lines_are("  name   the text of this name is long\n", 30, "  name   the text of this name\n         is long\n");
    lines_are("  one two three four five six seven\n", 30, "  one two three four five six\n    seven\n");
    lines_are("short\n\n  x\n", 30, "short\n\n  x\n");
    lines_are("  name   the text of this name is long\n", 0, "  name   the text of this name is long\n");
}
END_TEST

NCS_TEST_MAIN("fill", prose_stays_where_it_fits, paragraph_is_filled_anew, items_are_paragraphs,
              columns_are_code_points_without_escapes, long_word_has_a_line_of_its_own, lines_hang_below_their_second_column)
