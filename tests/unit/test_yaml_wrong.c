/* YAML, texts that have YAML's form and are refused: characters, tags, keys, aliases, limits.
 */
#include "base/mem.h"
#include "yaml_lab.h"

/* The first are mistakes of form behind wide characters, CR LF and byte order marks. */
static const struct yaml_lab_case cases[] = {
    { "a: {count:1}\nb: [1\n", "2:4: error: this '[' is not closed\n" },
    { "\xc3\xa9\xe6\xbc\xa2\xe5\xad\x97: \"\xe6\xbc\xa2\" x\n",
      "1:10: error: 'x' follows the end of a quoted text\n"
      "hint: put the whole value between quotes: '...', or \"...\" with \\\" inside\n" },
    { "\xc3\xa9\xe6\xbc\xa2: b: c\n", "1:6: error: this line has a second ': '\n"
                                      "hint: quote the value if ':' is a part of it: 'b: c'\n" },
    { "# \xe6\xbc\xa2\r\na: 1\r\nb: \xe6\xbc\xa2: c\r\n", "3:5: error: this line has a second ': '\n"
                                                          "hint: quote the value if ':' is a part of it: '\xe6\xbc\xa2: c'\n" },
    { "a: [\xe6\xbc\xa2, \"\xc3\xa9\" b]\r\n", "1:12: error: ',' or ']' was expected, not 'b'\n"
                                               "1:4: note: the '[' is here\n"
                                               "hint: is a ',' missing, or a pair of quotes around the whole value?\n" },
    { "a:\r\n    \xe6\xbc\xa2: 1\r\n   \xc3\xa9: 2\r\n", "3:4: error: this line is indented 3, the others here 4\n"
                                                         "2:5: note: this one is indented 4\n" },
    { "x: \"\xe6\xbc\xa2\r\ny: \"\xc3\xa9\"\r\n", "1:4: error: this quote is closed lines later, in the middle of a text\n"
                                                  "2:4: note: here it ends\n"
                                                  "hint: is a closing quote missing in the first line?\n" },
    { "\xef\xbb\xbf"
      "a: b: c\n",
      "1:5: error: this line has a second ': '\n"
      "hint: quote the value if ':' is a part of it: 'b: c'\n" },
    { "\xef\xbb\xbf\ta: 1\n", "1:1: error: the indentation contains a tab\n"
                              "hint: YAML is indented with blanks only\n" },
    { "a: caf\xe9\n", "1:7: error: byte 0xe9 is not UTF-8\n"
                      "hint: save the file as UTF-8\n" },
    { "# \xe6\xbc\xa2\nb: \xc3\xa9\xff\n", "2:5: error: byte 0xff is not UTF-8\n"
                                           "hint: save the file as UTF-8\n" },
    { "a: \xc0\x80\n", "1:4: error: byte 0xc0 is not UTF-8\n"
                       "hint: save the file as UTF-8\n" },
    { "a: \xed\xa0\x80\n", "1:4: error: byte 0xed is not UTF-8\n"
                           "hint: save the file as UTF-8\n" },
    { "a: \xf5\n", "1:4: error: byte 0xf5 is not UTF-8\n"
                   "hint: save the file as UTF-8\n" },
    { "a: \xe6\xbc\n", "1:4: error: byte 0xe6 is not UTF-8\n"
                       "hint: save the file as UTF-8\n" },
    { "a: x\x07y\n", "1:5: error: character U+0007 is not allowed in YAML\n"
                     "hint: between double quotes it is written \"\\u0007\"\n" },
    { "a: \x7f\n", "1:4: error: character U+007F is not allowed in YAML\n"
                   "hint: between double quotes it is written \"\\u007f\"\n" },
    { "a: 1\r\nb: 2\rc: 3\r\n", "2:5: error: a carriage return without a line feed\n"
                                "hint: end lines with LF or CR LF\n" },
    { "a: x\xe2\x80\xa8y\n", "1:5: error: character U+2028 is not allowed in YAML\n"
                             "hint: between double quotes it is written \"\\u2028\"\n" },
    { "a: \xef\xbb\xbfx\n", "1:4: error: a byte order mark (U+FEFF) inside of the text\n"
                            "hint: it is invisible; delete it\n" },
    { "a: \xc2\x80\n", "1:4: error: character U+0080 is not allowed in YAML\n"
                       "hint: between double quotes it is written \"\\u0080\"\n" },
    { "a: 1\nb: 2\na: 3\n", "3:1: error: key 'a' is given twice\n"
                            "1:1: note: the first one is here\n" },
    { "{x: 1, y: {x: 2, \"x\": 3}}\n", "1:18: error: key 'x' is given twice\n"
                                       "1:12: note: the first one is here\n" },
    { "1: a\n\"1\": b\n", "2:1: error: key '1' is given twice\n"
                          "1:1: note: the first one is here\n" },
    { "a: &x 1\n<<: *x\n", "2:1: error: '<<' (merge) is not a part of YAML 1.2\n"
                           "hint: write the keys here, or use an alias as the value of one key\n" },
    { "a: !!str 1\n", "1:4: error: tag '!!str' has no meaning here: a value has the type that it is written as\n"
                      "hint: put the value between quotes\n" },
    { "a: !t [b]\n", "1:4: error: tag '!t' has no meaning here: a value has the type that it is written as\n"
                     "hint: leave it out; to begin a text with '!', put it between quotes\n" },
    { "a: &n !t 5\n", "1:7: error: tag '!t' has no meaning here: a value has the type that it is written as\n"
                      "hint: leave it out; to begin a text with '!', put it between quotes\n" },
    { "%TAG ! x\n---\na: 1\n", "1:1: error: '%TAG' has no meaning here: there are no tags\n"
                               "hint: leave the line out\n" },
    { "? {a: 1}\n: 2\n", "1:3: error: a map cannot be a key\n"
                         "hint: if the braces are meant as text, quote the whole of it\n" },
    { "&k [a]: 1\n", "1:4: error: a list cannot be a key\n" },
    { "a: &base 1\nb: *bese\n", "2:4: error: unknown alias '*bese'\n"
                                "hint: did you mean '*base'? anchors here: &base\n" },
    { "a: &one 1\nb: &two 2\nc: *zebra\n", "3:4: error: unknown alias '*zebra'\n"
                                           "hint: anchors here: &one, &two\n" },
    { "a: *later\nb: &later 1\n", "1:4: error: alias '*later' comes before its anchor\n"
                                  "2:4: note: the anchor is here\n"
                                  "hint: an alias refers to an anchor above it\n" },
    { "a: &x [1, *x]\n", "1:11: error: '*x' is inside the value that it refers to\n"
                         "1:4: note: '&x' begins here\n" },
    { "a: &x {b: {c: *x}}\n", "1:15: error: '*x' is inside the value that it refers to\n"
                              "1:4: note: '&x' begins here\n" },
    { "a: &x 1\na2: &x [*x]\n", "2:9: error: '*x' is inside the value that it refers to\n"
                                "2:5: note: '&x' begins here\n" },
    { "a: 1\na: 2\nb: *x\nc: [\n", "3:4: error: unknown alias '*x'\n"
                                   "hint: there is no anchor above it; quote a text that begins with '*'\n"
                                   "4:4: error: this '[' is not closed\n" },
};

START_TEST(texts_that_are_refused)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        yaml_lab_check(cases[i].text, strlen(cases[i].text), cases[i].words);
}
END_TEST

START_TEST(bytes_that_are_no_text)
{
    yaml_lab_check("\xff\xfe"
                   "a\0",
                   4, "1:1: error: the file is UTF-16, not UTF-8\nhint: save it as UTF-8\n");
    yaml_lab_check("\xfe\xff\0a", 4, "1:1: error: the file is UTF-16, not UTF-8\nhint: save it as UTF-8\n");
    yaml_lab_check("a: \0\n", 5,
                   "1:4: error: character U+0000 is not allowed in YAML\n"
                   "hint: between double quotes it is written \"\\u0000\"\n");
    yaml_lab_check("a: \xe6", 4, "1:4: error: byte 0xe6 is not UTF-8\nhint: save the file as UTF-8\n");
}
END_TEST

START_TEST(a_message_shows_line_caret_note_and_hint)
{
    struct yaml_lab *lab = yaml_lab("\xe6\xbc\xa2: {x: 1,\n  \xe6\xbc\xa2: 2, x: 3}\r\n\xc3\xa9: *x\n");
    ck_assert_str_eq(lab->said.text, "t.yaml:2:9: error: key 'x' is given twice\n"
                                     "    2 |   \xe6\xbc\xa2: 2, x: 3}\n"
                                     "      |          ^\n"
                                     "t.yaml:1:5: note: the first one is here\n"
                                     "    1 | \xe6\xbc\xa2: {x: 1,\n"
                                     "      |      ^\n"
                                     "t.yaml:3:4: error: unknown alias '*x'\n"
                                     "    3 | \xc3\xa9: *x\n"
                                     "      |    ^^\n"
                                     "  hint: there is no anchor above it; quote a text that begins with '*'\n");
    yaml_lab_free(lab);
}
END_TEST

START_TEST(warnings_refuse_nothing)
{
    static const struct {
        const char *text, *words;
    } warned[] = {
        { "a:\n- b\n - c\n", "3:2: warning: no item: it continues the text that begins above\n"
                             "2:3: note: the text begins here\n"
                             "hint: items of one list are indented alike, and a list begins below its key\n" },
        { "%YAML 1.1\n---\na: 1\n", "1:1: warning: this is read as YAML 1.2\n" },
        { "a: b\n -c\n", "" },
        { "\xc2\xa0 a: 1\n", "1:1: warning: a no-break space (U+00A0) is a part of this text\n"
                             "hint: replace it by a blank\n" },
        { "a: \xe2\x80\x9cx\xe2\x80\x9d\n", "1:4: warning: a typographic quote (U+201C) is a part of this text\n"
                                            "hint: quote with \" or '\n" },
        { "a: \xe2\x80\x9cx\xe2\x80\x9d y\n", "" },
        { "a: 'b\n - c'\n", "" },
    };
    for (size_t i = 0; i < sizeof warned / sizeof *warned; i++) {
        struct yaml_lab *lab = yaml_lab(warned[i].text);
        char *words = yaml_lab_words(lab);
        ck_assert_str_eq(words, warned[i].words);
        ck_assert_int_eq(yaml_lab_root(lab)->kind, NCS_YAML_MAP);
        free(words);
        yaml_lab_free(lab);
    }
}
END_TEST

/* ---- many of something ---- */

static void check_said(const struct ncs_str *text, const char *words)
{
    yaml_lab_check(text->text, text->bytes, words);
}

START_TEST(keys_of_large_maps_are_told_apart)
{
    struct ncs_str text = { 0 };
    for (int i = 0; i < 5000; i++)
        ncs_str_addf(&text, "key_%d: {a%d: 1}\n", i, i);
    struct yaml_lab *lab = yaml_lab(text.text);
    ck_assert_uint_eq(yaml_lab_root(lab)->items, 5000);
    yaml_lab_free(lab);
    ncs_str_add(&text, "key_4321: 1\nother: 1\nkey_17: 2\n");
    check_said(&text, "5001:1: error: key 'key_4321' is given twice\n"
                      "4322:1: note: the first one is here\n"
                      "5003:1: error: key 'key_17' is given twice\n"
                      "18:1: note: the first one is here\n");
    ncs_str_free(&text);
}
END_TEST

START_TEST(errors_beyond_those_shown_are_counted)
{
    struct ncs_str text = { 0 };
    for (int i = 0; i < 200; i++)
        ncs_str_addf(&text, "- &a%d 1\n- *b%d\n", i, i);
    struct yaml_lab *lab = yaml_lab(text.text);
    ck_assert_uint_eq(lab->c.errors, 200);
    ck_assert_uint_eq(lab->c.count, NCS_COMPLAINTS_KEPT);
    ck_assert_ptr_nonnull(strstr(lab->said.text, "anchors here: &a0, &a1, &a2, &a3, &a4, &a5, &a6, "
                                                 "&a7, &a8, &a9, ..."));
    yaml_lab_free(lab);
    ncs_str_free(&text);
}
END_TEST

START_TEST(long_texts_are_cut_in_messages)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "a: \"x\" ");
    for (int i = 0; i < 100000; i++)
        ncs_str_add(&text, "\xc3\xa9");
    struct yaml_lab *lab = yaml_lab(text.text);
    ck_assert_uint_lt(lab->said.bytes, 1000);
    ck_assert_ptr_null(strstr(lab->said.text, "\\x"));
    yaml_lab_free(lab);
    ncs_str_free(&text);
}
END_TEST

/* ---- limits ---- */

START_TEST(depth_is_limited)
{
    static const char *const opening[] = { "[", "{a: ", "- ", "[\n" };
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        struct ncs_str text = { 0 };
        for (int k = 0; k < 20000; k++)
            ncs_str_add(&text, opening[i]);
        struct yaml_lab *lab = yaml_lab(text.text);
        ck_assert_msg(lab->y == NULL && strstr(lab->said.text, "too many levels: the limit is 64"), "%.500s", lab->said.text);
        yaml_lab_free(lab);
        ncs_str_free(&text);
    }
    struct ncs_str text = { 0 };
    for (int k = 0; k < NCS_YAML_DEPTH; k++)
        ncs_str_add(&text, "[");
    for (int k = 0; k < NCS_YAML_DEPTH; k++)
        ncs_str_add(&text, "]");
    struct yaml_lab *lab = yaml_lab(text.text);
    ck_assert_uint_eq(yaml_lab_root(lab)->items, 1);
    yaml_lab_free(lab);
    ncs_str_free(&text);
}
END_TEST

START_TEST(alias_bombs_are_refused)
{
    static const char *const step[] = { "a%d: &a%d [*a%d, *a%d]\n", "a%d: &a%d {x: *a%d, y: *a%d}\n" };
    for (int i = 0; i < 2; i++) {
        struct ncs_str text = { 0 };
        ncs_str_add(&text, "a0: &a0 x\n");
        for (int k = 1; k < 70; k++)
            ncs_str_addf(&text, step[i], k, k, k - 1, k - 1);
        struct yaml_lab *lab = yaml_lab(text.text);
        ck_assert_ptr_null(lab->y);
        ck_assert_ptr_nonnull(strstr(lab->said.text, "with the aliases written out: the limit is 10000000"));
        ck_assert_uint_lt(lab->c.item[0].at.at, 700); /* as soon as it grows too large */
        yaml_lab_free(lab);
        ncs_str_free(&text);
    }
}
END_TEST

/* 2^18 and then some: much sharing is no bomb. */
START_TEST(aliases_share_and_are_counted_once_each)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "a0: &a0 x\n");
    for (int k = 1; k <= 18; k++)
        ncs_str_addf(&text, "a%d: &a%d [*a%d, *a%d]\n", k, k, k - 1, k - 1);
    struct yaml_lab *lab = yaml_lab(text.text);
    const struct ncs_yaml_node *n = ncs_yaml_get(yaml_lab_root(lab), "a18");
    for (int k = 0; k < 18; k++) {
        ck_assert_uint_eq(n->items, 2);
        ck_assert_ptr_eq(n->item[0]->item, n->item[1]->item);
        n = n->item[0];
    }
    ck_assert_str_eq(n->text, "x");
    yaml_lab_free(lab);
    ncs_str_free(&text);
}
END_TEST

START_TEST(bytes_and_nodes_are_limited)
{
    char *text = malloc(NCS_YAML_BYTES + 2);
    memset(text, '\n', NCS_YAML_BYTES + 1);
    text[NCS_YAML_BYTES + 1] = '\0';
    struct yaml_lab *lab = yaml_lab_bytes(text, NCS_YAML_BYTES + 1);
    ck_assert_ptr_nonnull(strstr(lab->said.text, "t.yaml:1:1: error: the file is larger than 16 MiB\n"));
    yaml_lab_free(lab);
    text[NCS_YAML_BYTES] = '\0';
    lab = yaml_lab_bytes(text, NCS_YAML_BYTES);
    ck_assert_int_eq(yaml_lab_root(lab)->kind, NCS_YAML_NULL);
    yaml_lab_free(lab);

    for (int i = 0; i < NCS_YAML_NODES; i++) /* and the list itself is one more */
        memcpy(text + 4 * i, "- 1\n", 4);
    lab = yaml_lab_bytes(text, 4 * (size_t)NCS_YAML_NODES);
    ck_assert_msg(strstr(lab->said.text, "too many values and keys: the limit is 2000000"), "%.500s", lab->said.text);
    yaml_lab_free(lab);
    free(text);
}
END_TEST

NCS_TEST_MAIN("yaml_wrong", texts_that_are_refused, bytes_that_are_no_text, a_message_shows_line_caret_note_and_hint,
              warnings_refuse_nothing, keys_of_large_maps_are_told_apart, errors_beyond_those_shown_are_counted,
              long_texts_are_cut_in_messages, depth_is_limited, alias_bombs_are_refused, aliases_share_and_are_counted_once_each,
              bytes_and_nodes_are_limited)
