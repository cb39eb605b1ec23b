/* YAML, texts that are right: kinds and values, places, aliases, parts of scalars. */
#include <math.h>

#include "yaml_lab.h"

START_TEST(scalars_have_the_kinds_of_the_core_schema)
{
    static const struct {
        const char *text;
        enum ncs_yaml_kind kind;
        int64_t i;
        double d;
    } cases[] = {
        { "", NCS_YAML_NULL, 0, 0 },
        { "~", NCS_YAML_NULL, 0, 0 },
        { "null", NCS_YAML_NULL, 0, 0 },
        { "Null", NCS_YAML_NULL, 0, 0 },
        { "NULL", NCS_YAML_NULL, 0, 0 },
        { "nULL", NCS_YAML_TEXT, 0, 0 },
        { "true", NCS_YAML_BOOL, 1, 0 },
        { "True", NCS_YAML_BOOL, 1, 0 },
        { "TRUE", NCS_YAML_BOOL, 1, 0 },
        { "false", NCS_YAML_BOOL, 0, 0 },
        { "False", NCS_YAML_BOOL, 0, 0 },
        { "FALSE", NCS_YAML_BOOL, 0, 0 },
        { "tRUE", NCS_YAML_TEXT, 0, 0 },
        { "truely", NCS_YAML_TEXT, 0, 0 },
        { "0", NCS_YAML_INT, 0, 0 },
        { "-0", NCS_YAML_INT, 0, 0 },
        { "42", NCS_YAML_INT, 42, 42 },
        { "+42", NCS_YAML_INT, 42, 42 },
        { "-42", NCS_YAML_INT, -42, -42 },
        { "0x1F", NCS_YAML_INT, 31, 31 },
        { "0xdeadBEEF", NCS_YAML_INT, 0xdeadbeef, 0xdeadbeef },
        { "0o17", NCS_YAML_INT, 15, 15 },
        { "9223372036854775807", NCS_YAML_INT, INT64_MAX, 0x1p63 },
        { "-9223372036854775808", NCS_YAML_INT, INT64_MIN, -0x1p63 },
        { "9223372036854775808", NCS_YAML_FLOAT, 0, 0x1p63 },
        { "-1e400", NCS_YAML_FLOAT, 0, -INFINITY },
        { "0xffffffffffffffff", NCS_YAML_FLOAT, 0, 0x1p64 },
        { "0o2000000000000000000000", NCS_YAML_FLOAT, 0, 0x1p64 },
        { "1.5", NCS_YAML_FLOAT, 0, 1.5 },
        { "1.", NCS_YAML_FLOAT, 0, 1 },
        { ".5", NCS_YAML_FLOAT, 0, .5 },
        { "-.5", NCS_YAML_FLOAT, 0, -.5 },
        { "007.5", NCS_YAML_FLOAT, 0, 7.5 },
        { "1e3", NCS_YAML_FLOAT, 0, 1000 },
        { "1E-3", NCS_YAML_FLOAT, 0, .001 },
        { "-1.5e+2", NCS_YAML_FLOAT, 0, -150 },
        { ".inf", NCS_YAML_FLOAT, 0, INFINITY },
        { "+.Inf", NCS_YAML_FLOAT, 0, INFINITY },
        { "-.INF", NCS_YAML_FLOAT, 0, -INFINITY },
        { ".nan", NCS_YAML_FLOAT, 0, NAN },
        { ".NaN", NCS_YAML_FLOAT, 0, NAN },
        { "-.nan", NCS_YAML_TEXT, 0, 0 },
        { ".iNF", NCS_YAML_TEXT, 0, 0 },
        { ".", NCS_YAML_TEXT, 0, 0 },
        { "+", NCS_YAML_TEXT, 0, 0 },
        { "-.", NCS_YAML_TEXT, 0, 0 },
        { "1e", NCS_YAML_TEXT, 0, 0 },
        { "e1", NCS_YAML_TEXT, 0, 0 },
        { "1.5.2", NCS_YAML_TEXT, 0, 0 },
        { "1M", NCS_YAML_TEXT, 0, 0 },
        { "0x", NCS_YAML_TEXT, 0, 0 },
        { "0X1", NCS_YAML_TEXT, 0, 0 },
        { "-0x1", NCS_YAML_TEXT, 0, 0 },
        { "0o8", NCS_YAML_TEXT, 0, 0 },
        { "0x1p3", NCS_YAML_TEXT, 0, 0 },
        { "1 2", NCS_YAML_TEXT, 0, 0 },
        { "a b", NCS_YAML_TEXT, 0, 0 },
        { "'42'", NCS_YAML_TEXT, 0, 0 },
        { "\"true\"", NCS_YAML_TEXT, 0, 0 },
        { "''", NCS_YAML_TEXT, 0, 0 },
        { "|\n  42", NCS_YAML_TEXT, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_lab *lab = yaml_lab(cases[i].text);
        const struct ncs_yaml_node *n = yaml_lab_root(lab);
        ck_assert_msg(n->kind == cases[i].kind, "'%s': kind %d", cases[i].text, n->kind);
        ck_assert_msg(n->i == cases[i].i, "'%s': %jd", cases[i].text, (intmax_t)n->i);
        ck_assert_msg(n->d == cases[i].d || (isnan(n->d) && isnan(cases[i].d)), "'%s': %g", cases[i].text, n->d);
        ck_assert_ptr_nonnull(n->text);
        yaml_lab_free(lab);
    }
}
END_TEST

START_TEST(texts_are_as_they_are_meant)
{
    static const struct {
        const char *source, *text;
        bool plain;
    } cases[] = {
        { "hello world", "hello world", true },
        { "a\n b\n\n c", "a b\nc", true },
        { "'it''s'", "it's", false },
        { "\"a\\tb\\u00e9\\\"\"", "a\tb\xc3\xa9\"", false },
        { "|\n  one\n   two\n", "one\n two\n", false },
        { "|-\n  one\n", "one", false },
        { ">-\n  one\n  two\n\n  three\n", "one two\nthree", false },
        { "http://host:80/#x", "http://host:80/#x", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_lab *lab = yaml_lab(cases[i].source);
        const struct ncs_yaml_node *n = yaml_lab_root(lab);
        ck_assert_int_eq(n->kind, NCS_YAML_TEXT);
        ck_assert_str_eq(n->text, cases[i].text);
        ck_assert_uint_eq(n->bytes, strlen(cases[i].text));
        ck_assert_int_eq(n->plain, cases[i].plain);
        yaml_lab_free(lab);
    }
}
END_TEST

START_TEST(maps_and_lists)
{
    struct yaml_lab *lab = yaml_lab("a: 1\nb: [x, {c: 2}]\n3: y\n\"\\0\": zero\ne: {}\nf: []\n");
    const struct ncs_yaml_node *root = yaml_lab_root(lab);
    ck_assert_int_eq(root->kind, NCS_YAML_MAP);
    ck_assert_uint_eq(root->items, 6);
    ck_assert_int_eq(ncs_yaml_get(root, "a")->i, 1);
    const struct ncs_yaml_node *b = ncs_yaml_get(root, "b");
    ck_assert_int_eq(b->kind, NCS_YAML_LIST);
    ck_assert_uint_eq(b->items, 2);
    ck_assert_str_eq(b->item[0]->text, "x");
    ck_assert_int_eq(ncs_yaml_get(b->item[1], "c")->i, 2);
    ck_assert_str_eq(ncs_yaml_get(root, "3")->text, "y");
    ck_assert_int_eq(root->item[4]->kind, NCS_YAML_INT);
    ck_assert_ptr_null(ncs_yaml_get(root, ""));
    ck_assert_ptr_null(ncs_yaml_get(root, "c"));
    ck_assert_ptr_null(ncs_yaml_get(b, "x"));
    ck_assert_ptr_null(ncs_yaml_get(NULL, "x"));
    ck_assert_uint_eq(ncs_yaml_get(root, "e")->items, 0);
    ck_assert_uint_eq(ncs_yaml_get(root, "f")->items, 0);
    yaml_lab_free(lab);
}
END_TEST

START_TEST(empty_documents_are_null)
{
    static const char *const texts[] = {
        "", "\n\n", "# only a comment", "---\n", "---\n...\n", "%YAML 1.2\n---\n", "\xef\xbb\xbf"
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct yaml_lab *lab = yaml_lab(texts[i]);
        ck_assert_int_eq(yaml_lab_root(lab)->kind, NCS_YAML_NULL);
        yaml_lab_free(lab);
    }
}
END_TEST

START_TEST(what_may_stand_around_a_document)
{
    static const char *const texts[] = { "--- 7\n",
                                         "--- 7\n...\n",
                                         "7\n...\n# end\n...\n",
                                         "\357\273\2777", /* a byte order mark */
                                         "# c\r\n---\r\n7\r\n",
                                         "%YAML 1.2\n---\n7",
                                         "%YAML 1.1\n---\n7",
                                         "7\n# end",
                                         "7 # end" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct yaml_lab *lab = yaml_lab(texts[i]);
        ck_assert_int_eq(yaml_lab_root(lab)->i, 7);
        yaml_lab_free(lab);
    }
}
END_TEST

/* ---- places ---- */

/* The part of the source where a node stands. */
static const char *at(const struct yaml_lab *lab, const struct ncs_yaml_node *n)
{
    static char text[256];
    ck_assert_uint_lt(n->at.bytes, sizeof text);
    ck_assert_uint_le(n->at.at + n->at.bytes, lab->source.bytes);
    memcpy(text, lab->source.text + n->at.at, n->at.bytes);
    text[n->at.bytes] = '\0';
    return text;
}

START_TEST(nodes_know_where_they_stand)
{
    static const char text[] = "\xef\xbb\xbf"
                               "# \xc3\xa9\xe6\xbc\xa2\r\n"
                               "plain: \xe6\xbc\xa2 \xc3\xa9  # c\r\n"
                               "\xc3\xa9: 'q''\xc3\xa9'\r\n"
                               "multi: one\r\n"
                               "  two\r\n"
                               "lit: |\r\n"
                               "  x\r\n"
                               "\r\n"
                               "flow: { a: [1, \xf0\x9f\x98\x80] }\r\n"
                               "list:\r\n"
                               "  - 1\r\n"
                               "  - b: 2  \r\n"
                               "\r\n"
                               "anchored: &x  7\r\n"
                               "block: &y # c\r\n"
                               "  k: &z\r\n"
                               "blocks: &l\r\n"
                               " - &m [1]\r\n"
                               "ref: *x\r\n"
                               "empty:\r\n";
    struct yaml_lab *lab = yaml_lab(text);
    const struct ncs_yaml_node *root = yaml_lab_root(lab);
    ck_assert_str_eq(at(lab, root->item[0]), "plain");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "plain")), "\xe6\xbc\xa2 \xc3\xa9");
    ck_assert_str_eq(at(lab, root->item[2]), "\xc3\xa9");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "\xc3\xa9")), "'q''\xc3\xa9'");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "multi")), "one\r\n  two");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "lit")), "|\r\n  x");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "flow")), "{ a: [1, \xf0\x9f\x98\x80] }");
    ck_assert_str_eq(at(lab, ncs_yaml_get(ncs_yaml_get(root, "flow"), "a")), "[1, \xf0\x9f\x98\x80]");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "list")), "- 1\r\n  - b: 2");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "list")->item[1]), "b: 2");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "anchored")), "7");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "block")), "k: &z");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "blocks")), "- &m [1]");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "blocks")->item[0]), "[1]");
    const struct ncs_yaml_node *z = ncs_yaml_get(ncs_yaml_get(root, "block"), "k");
    ck_assert_int_eq(z->kind, NCS_YAML_NULL);
    ck_assert_str_eq(at(lab, z), "");
    ck_assert_str_eq(at(lab, ncs_yaml_get(root, "ref")), "*x");
    const struct ncs_yaml_node *empty = ncs_yaml_get(root, "empty");
    ck_assert_str_eq(at(lab, empty), "");
    ck_assert_str_eq(text + empty->at.at - 1, ":\r\n");
    int column;
    ck_assert_int_eq(ncs_source_line(&lab->source, ncs_yaml_get(root, "flow")->at.at, &column), 9);
    ck_assert_int_eq(column, 7);
    yaml_lab_free(lab);
}
END_TEST

/* Far marks in a text that is not ASCII, in both directions. */
START_TEST(places_stay_right_in_a_long_text)
{
    struct ncs_str text = { 0 };
    for (int i = 0; i < 3000; i++)
        ncs_str_addf(&text, "- \"%s%d\" # \xc3\xa9\n", i % 3 ? "\xe6\xbc\xa2\xc3\xa9" : "x", i);
    struct yaml_lab *lab = yaml_lab(text.text);
    const struct ncs_yaml_node *root = yaml_lab_root(lab);
    ck_assert_uint_eq(root->items, 3000);
    for (int i = 0; i < 3000; i++) {
        const struct ncs_yaml_node *n = root->item[i];
        ck_assert_uint_eq(n->at.bytes, n->bytes + 2);
        ck_assert_mem_eq(text.text + n->at.at + 1, n->text, n->bytes);
        ck_assert_int_eq(ncs_source_line(&lab->source, n->at.at, NULL), i + 1);
    }
    yaml_lab_free(lab);
    ncs_str_free(&text);
}
END_TEST

START_TEST(aliases_share_what_they_stand_for)
{
    struct yaml_lab *lab = yaml_lab("a: &x [1, &y 2]\nb: *x\nc: *y\n*y : d\ne: &x 3\nf: *x\ng: &h *x\n");
    ck_assert_ptr_null(lab->y); /* an alias takes no anchor */
    yaml_lab_free(lab);
    lab = yaml_lab("a: &x [1, &y 2]\nb: *x\nc: *y\n*y : d\ne: &x 3\nf: *x\n");
    const struct ncs_yaml_node *root = yaml_lab_root(lab);
    const struct ncs_yaml_node *a = ncs_yaml_get(root, "a"), *b = ncs_yaml_get(root, "b");
    ck_assert_ptr_eq(b->of, a);
    ck_assert_ptr_eq(b->item, a->item);
    ck_assert_str_eq(at(lab, b), "*x");
    ck_assert_ptr_null(a->of);
    ck_assert_int_eq(ncs_yaml_get(root, "c")->i, 2);
    ck_assert_str_eq(ncs_yaml_get(root, "2")->text, "d");
    ck_assert_int_eq(ncs_yaml_get(root, "f")->i, 3);
    yaml_lab_free(lab);
}
END_TEST

/* ---- parts of scalars ---- */

START_TEST(parts_of_texts_have_places)
{
    static const struct {
        const char *source, *part, *place; /* a part of the root's text, and its source */
    } cases[] = {
        { "rank + 1", "+", "+" },
        { "rank + 1", "rank + 1", "rank + 1" },
        { "\xe6\xbc\xa2 + \xc3\xa9", "\xc3\xa9", "\xc3\xa9" },
        { "'a + b'", "b", "b" },
        { "'it''s x'", "s x", "s x" },
        { "'it''s x'", "'", "''" },
        { "\"a\\tb \\u00e9 \\U0001f600 \\x41 z\"", "z", "z" },
        { "\"a\\tb\"", "\t", "\\t" },
        { "\"\\u00e9x\"", "x", "x" },
        { "\"\\N\\L\\_x\"", "x", "x" },
        { "one\n  two\n\n three", "two", "two" },
        { "one\n  two\n\n three", "three", "three" },
        { "one\r\n  two\r\n\r\n three", "three", "three" },
        { "'one  \n  two'", "two", "two" },
        { "\"one \\\n   two\"", "two", "two" },
        { "|\n  one\n   two\n\n  \xe6\xbc\xa2x\n", "one", "one" },
        { "|\n  one\n   two\n\n  \xe6\xbc\xa2x\n", " two", " two" },
        { "|\n  one\n   two\n\n  \xe6\xbc\xa2x\n", "x", "x" },
        { "|-\r\n  one\r\n  two\r\n", "two", "two" },
        { "| # c\n\n  one\n", "one", "one" },
        { ">\n  one\n  two\n\n  three\n", "two", "two" },
        { ">\n  one\n  two\n\n  three\n", "three", "three" },
        { ">-\n  one\n    two\n  three\n", "three", "three" },
        { "|2\n   one\n", "one", "|2\n   one" }, /* cannot be followed: the whole */
        { "&x  one two", "two", "two" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_lab *lab = yaml_lab(cases[i].source);
        const struct ncs_yaml_node *n = yaml_lab_root(lab);
        const char *found = strstr(n->text, cases[i].part);
        ck_assert_msg(found != NULL, "%s", cases[i].source);
        struct ncs_yaml_node part = *n;
        part.at = ncs_yaml_part(lab->y, n, (size_t)(found - n->text), strlen(cases[i].part));
        ck_assert_msg(strcmp(at(lab, &part), cases[i].place) == 0, "'%s' in\n%s\nis '%s'", cases[i].part, cases[i].source,
                      at(lab, &part));
        yaml_lab_free(lab);
    }
}
END_TEST

START_TEST(parts_at_the_edges)
{
    struct yaml_lab *lab = yaml_lab("a: &x 'bcd'\ne: *x\nf: {}\ng: [\"\", 1]\n");
    const struct ncs_yaml_node *root = yaml_lab_root(lab), *a = ncs_yaml_get(root, "a");
    struct ncs_span end = ncs_yaml_part(lab->y, a, 3, 0), middle = ncs_yaml_part(lab->y, a, 1, 0);
    ck_assert_uint_eq(end.at, a->at.at + 4);
    ck_assert_uint_eq(end.bytes, 0);
    ck_assert_uint_eq(middle.at, a->at.at + 2);
    ck_assert_uint_eq(middle.bytes, 0);
    ck_assert_uint_eq(ncs_yaml_part(lab->y, a, 2, 2).bytes, a->at.bytes); /* not a part */
    ck_assert_uint_eq(ncs_yaml_part(lab->y, a, SIZE_MAX, 2).at, a->at.at);
    const struct ncs_yaml_node *alias = ncs_yaml_get(root, "e"), *list = ncs_yaml_get(root, "g");
    ck_assert_uint_eq(ncs_yaml_part(lab->y, alias, 1, 1).at, alias->at.at);
    ck_assert_uint_eq(ncs_yaml_part(lab->y, ncs_yaml_get(root, "f"), 0, 0).bytes, 2);
    ck_assert_uint_eq(ncs_yaml_part(lab->y, list->item[0], 0, 0).at, list->item[0]->at.at + 1);
    yaml_lab_free(lab);
}
END_TEST

/* ---- hints for others ---- */

START_TEST(old_forms_have_a_hint)
{
    static const struct {
        const char *text, *hint;
        /* clang-format off */
    } cases[] = {
        { "yes", "write true" }, { "On", "write true" }, { "NO", "write false" },
        { "off", "write false" }, { "y", "write true" }, { "017", "0o" }, { "-08", "0o" },
        { "1_000", "'_'" }, { "1_0.5", "'_'" }, { "0x_ff", "0x" }, { "-0x1F", "sign" },
        { "0b101", "0x" }, { "12:30:45", "seconds" }, { "1:30.5", "seconds" },
        { "yess", NULL }, { "'yes'", NULL }, { "true", NULL }, { "1", NULL }, { "1M", NULL },
        { "12:75", NULL }, { "0b12", NULL }, { "_", NULL }, { "a_b", NULL }, { "[yes]", NULL },
        { "", NULL }, { "127.0.0.1:80", NULL },
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_lab *lab = yaml_lab(cases[i].text);
        const char *hint = ncs_yaml_old_form(yaml_lab_root(lab));
        if (!cases[i].hint)
            ck_assert_msg(!hint, "'%s': %s", cases[i].text, hint);
        else
            ck_assert_msg(hint && strstr(hint, cases[i].hint), "'%s': %s", cases[i].text, hint);
        yaml_lab_free(lab);
    }
}
END_TEST

START_TEST(a_blank_is_missing_behind_a_colon)
{
    static const struct {
        const char *text;
        bool missing;
    } cases[] = {
        { "count:1", true }, { "op:sum", true }, { "count", false }, { "'count:1'", false },
        { "12:30", false },  { "a::b", false },  { "a b:c", false }, { "a b", false },
        { "-a", true },      { "-1M", false },   { "'-a'", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yaml_lab *lab = yaml_lab(cases[i].text);
        ck_assert_msg(!ncs_yaml_blank_missing(yaml_lab_root(lab)) == !cases[i].missing, "%s", cases[i].text);
        yaml_lab_free(lab);
    }
    struct yaml_lab *lab = yaml_lab("{count:1}");
    ck_assert_ptr_nonnull(strstr(ncs_yaml_blank_missing(yaml_lab_root(lab)->item[0]), "':'"));
    yaml_lab_free(lab);
}
END_TEST

NCS_TEST_MAIN("yaml", scalars_have_the_kinds_of_the_core_schema, texts_are_as_they_are_meant, maps_and_lists,
              empty_documents_are_null, what_may_stand_around_a_document, nodes_know_where_they_stand,
              places_stay_right_in_a_long_text, aliases_share_what_they_stand_for, parts_of_texts_have_places, parts_at_the_edges,
              old_forms_have_a_hint, a_blank_is_missing_behind_a_colon)
