/* Room base: lines of a source, and complaints about it as text. */
#include <string.h>

#include "base/complaint.h"
#include "base/source.h"
#include "harness.h"

static struct ncs_source source_of(const char *text)
{
    struct ncs_source s;
    ncs_source_init(&s, "a.yaml", text, strlen(text));
    return s;
}

START_TEST(columns_are_code_points)
{
    struct ncs_source s = source_of("one\r\nz\xc3\xa4hl: \xe6\x9d\xb1x\n\nend");
    int column;
    ck_assert_uint_eq(s.lines, 4);
    ck_assert_int_eq(ncs_source_line(&s, 0, &column), 1);
    ck_assert_int_eq(column, 1);
    ck_assert_int_eq(ncs_source_line(&s, 15, &column), 2); /* x */
    ck_assert_int_eq(column, 8);
    ck_assert_int_eq(ncs_source_line(&s, 17, &column), 3);
    ck_assert_int_eq(ncs_source_line(&s, s.bytes, &column), 4);
    ck_assert_int_eq(column, 4);
    ck_assert_uint_eq(ncs_source_byte(&s, 2, 8), 15);
    ck_assert_uint_eq(ncs_source_byte(&s, 2, 1), 5);
    ck_assert_uint_eq(ncs_source_byte(&s, 2, 99), 16); /* the end of the line */
    ck_assert_uint_eq(ncs_source_byte(&s, 2, 0), 5);
    ncs_source_free(&s);
    s = source_of("\xef\xbb\xbf\xc3\xa4x");
    ck_assert_uint_eq(ncs_source_byte(&s, 1, 2), 5);
    ncs_source_free(&s);
}
END_TEST

static void shows(const char *text, size_t at, size_t bytes, const char *want)
{
    struct ncs_source s = source_of(text);
    struct ncs_str out = { 0 };
    ncs_source_show(&s, (struct ncs_span){ at, bytes }, &out);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
    ncs_source_free(&s);
}

START_TEST(carets_stand_under_cells)
{
    shows("a: b\n", 3, 1, "    1 | a: b\n      |    ^\n");
    shows("a\nkey: value\r\n", 2, 3, "    2 | key: value\n      | ^^^\n");
    shows("\xe6\x9d\xb1: x", 5, 1, "    1 | \xe6\x9d\xb1: x\n      |     ^\n"); /* two cells */
    shows("a\xcc\x81: x", 5, 1, "    1 | a\xcc\x81: x\n      |    ^\n");        /* combining: none */
    shows("\tx", 1, 1, "    1 |  x\n      |  ^\n");
    shows("x\x1b[2J", 1, 1, "    1 | x\\x1b[2J\n      |  ^^^^\n");
    shows("two\nlines", 2, 5, "    1 | two\n      |   ^\n"); /* the part on its first line */
    shows("", 0, 0, "    1 | \n      | ^\n");
    shows("end", 3, 0, "    1 | end\n      |    ^\n");
}
END_TEST

START_TEST(long_lines_are_shown_in_part)
{
    char text[10001];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    text[5000] = '!';
    struct ncs_source s = source_of(text);
    struct ncs_str out = { 0 };
    ncs_source_show(&s, (struct ncs_span){ 5000, 9000 }, &out);
    char *caret = strchr(out.text, '^'), *mark = strchr(out.text, '!');
    char *second = strchr(out.text, '\n') + 1;
    ck_assert_uint_lt(out.bytes, 400);
    ck_assert_int_eq(caret - second, mark - out.text);
    ncs_str_free(&out);
    ncs_source_free(&s);
}
END_TEST

START_TEST(complaints_come_in_the_order_of_their_places)
{
    struct ncs_source s = source_of("dtype: 1\ncuont: 2\ndtype: 3\n");
    struct ncs_complaints c = { .source = &s };
    struct ncs_str out = { 0 };
    struct ncs_error err;
    ck_assert(ncs_complaints_error(&c, &err));
    ncs_complain(&c, (struct ncs_span){ 18, 5 }, "the key `%s` is there twice", "dtype");
    ncs_complain_note(&c, (struct ncs_span){ 0, 5 }, "the first one");
    ncs_complain(&c, (struct ncs_span){ 9, 5 }, "unknown key `%s`", "cuont");
    ncs_complain_hint(&c, "did you mean 'count'?");
    ncs_complain(&c, (struct ncs_span){ 9, 5 }, "said already");
    ncs_complain_hint(&c, "of no complaint");
    ncs_complain_warning(&c, (struct ncs_span){ 7, 1 }, "odd");
    ncs_complaints_text(&c, &out);
    ck_assert_str_eq(out.text, "a.yaml:1:8: warning: odd\n    1 | dtype: 1\n      |        ^\n"
                               "a.yaml:2:1: error: unknown key `cuont`\n    2 | cuont: 2\n      | ^^^^^\n"
                               "  hint: did you mean 'count'?\n"
                               "a.yaml:3:1: error: the key `dtype` is there twice\n    3 | dtype: 3\n      | ^^^^^\n"
                               "a.yaml:1:1: note: the first one\n    1 | dtype: 1\n      | ^^^^^\n");
    ck_assert_uint_eq(c.errors, 2);
    ck_assert(!ncs_complaints_error(&c, &err));
    ck_assert_str_eq(err.text, "unknown key `cuont`");
    ck_assert_int_eq(err.line, 2);
    ck_assert_int_eq(err.column, 1);
    ncs_str_free(&out);
    ncs_complaints_free(&c);
    ncs_source_free(&s);
}
END_TEST

START_TEST(errors_count_before_warnings)
{
    struct ncs_source s = source_of("a: b\n");
    struct ncs_complaints c = { .source = &s };
    struct ncs_str out = { 0 };
    ncs_complain_warning(&c, (struct ncs_span){ 3, 1 }, "odd");
    ncs_complain_hint(&c, "of the warning");
    ncs_complain_warning(&c, (struct ncs_span){ 0, 1 }, "another");
    ncs_complain(&c, (struct ncs_span){ 3, 1 }, "wrong");
    ncs_complain_warning(&c, (struct ncs_span){ 3, 1 }, "odd again");
    ncs_complaints_text(&c, &out);
    ck_assert_str_eq(out.text, "a.yaml:1:1: warning: another\n    1 | a: b\n      | ^\n"
                               "a.yaml:1:4: error: wrong\n    1 | a: b\n      |    ^\n");
    ck_assert_uint_eq(c.errors, 1);
    ncs_str_free(&out);
    ncs_complaints_free(&c);
    ncs_source_free(&s);
}
END_TEST

START_TEST(complaints_have_an_end)
{
    struct ncs_source s = source_of("x: 1\n");
    struct ncs_complaints c = { .source = &s };
    struct ncs_str out = { 0 };
    for (size_t i = 0; i < NCS_COMPLAINTS_KEPT + 3; i++)
        ncs_complain(&c, (struct ncs_span){ 0, i }, "error %zu", i);
    ncs_complain_hint(&c, "of one that is not shown");
    ck_assert_uint_eq(c.errors, NCS_COMPLAINTS_KEPT + 3);
    ck_assert_uint_eq(c.count, NCS_COMPLAINTS_KEPT);
    ncs_complaints_text(&c, &out);
    ck_assert_ptr_nonnull(strstr(out.text, "3 more errors are not shown\n"));
    ck_assert_ptr_null(strstr(out.text, "hint"));
    ncs_str_free(&out);
    ncs_complaints_free(&c);
    ncs_source_free(&s);
}
END_TEST

NCS_TEST_MAIN("complaint", columns_are_code_points, carets_stand_under_cells, long_lines_are_shown_in_part,
              complaints_come_in_the_order_of_their_places, errors_count_before_warnings, complaints_have_an_end)
