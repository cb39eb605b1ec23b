/* YAML, mistakes of form: the message names the cause, and the place is where it is, not where
 * it was noticed. */
#include "yaml_lab.h"

static const struct yaml_lab_case cases[] = {
    { "a: \"\\", "1:4: error: this quote is not closed\n" },
    { "a: [1, 2\nb: 3\n", "1:4: error: this '[' is not closed\n"
                          "2:2: note: ']' was expected before this\n" },
    { "a: {x: 1, y: 2\nb: 3\n", "1:4: error: this '{' is not closed\n"
                                "2:2: note: '}' was expected before this\n" },
    { "- [1, 2\n- 3\n", "1:3: error: this '[' is not closed\n"
                        "2:1: warning: no item: it continues the text that begins above\n"
                        "1:7: note: the text begins here\n"
                        "hint: items of one list are indented alike, and a list begins below its key\n" },
    { "a: [1, 2}\n", "1:9: error: ',' or ']' was expected, not '}'\n"
                     "1:4: note: the '[' is here\n" },
    { "a: {x: 1]\n", "1:9: error: ',' or '}' was expected, not ']'\n"
                     "1:4: note: the '{' is here\n" },
    { "a: [1 2, \"b\" c]\n", "1:14: error: ',' or ']' was expected, not 'c'\n"
                             "1:4: note: the '[' is here\n"
                             "hint: is a ',' missing, or a pair of quotes around the whole value?\n" },
    { "a: \"abc\nb: 1\n", "1:4: error: this quote is not closed\n" },
    { "a: it's\nb: 'it's'\n", "2:8: error: 's'' follows the end of a quoted text\n"
                              "hint: a quote inside of '...' is written twice: 'it''s'; or use \"...\"\n" },
    { "a: \"x\" y\n", "1:8: error: 'y' follows the end of a quoted text\n"
                      "hint: put the whole value between quotes: '...', or \"...\" with \\\" inside\n" },
    { "a: \"\\q\"\n", "1:5: error: unknown escape '\\q'\n"
                      "hint: a backslash is written \\\\ between \"...\", and as it is between '...'\n" },
    { "a: \"\\u12\"\n", "1:5: error: '\\u' needs 4 hexadecimal digits\n" },
    { "a: b: c\n", "1:5: error: this line has a second ': '\n"
                   "hint: quote the value if ':' is a part of it: 'b: c'\n" },
    { "a: b\n  c: d\n", "2:3: error: this line is indented 2, the one above 0\n"
                        "1:1: note: this key has a value in its own line\n"
                        "hint: keys of one map are indented alike; a key with others below it has no value\n" },
    { "a:\n    b: 1\n   c: 2\n", "3:4: error: this line is indented 3, the others here 4\n"
                                 "2:5: note: this one is indented 4\n" },
    { "a:\n   b: 1\n    c: 2\n", "3:5: error: this line is indented 4, the one above 3\n"
                                 "2:4: note: this key has a value in its own line\n"
                                 "hint: keys of one map are indented alike; a key with others below it has no value\n" },
    { "- a: 1\n  b: 2\n c: 3\n", "3:2: error: this line is indented 1, the others here 2\n"
                                 "2:3: note: this one is indented 2\n" },
    { "- a: 1\n   b: 2\n", "2:4: error: this line is indented 3, the one above 2\n"
                           "1:3: note: this key has a value in its own line\n"
                           "hint: keys of one map are indented alike; a key with others below it has no value\n" },
    { "- a\n- b\nc: 1\n", "3:1: error: an item of the list was expected here: '- ...'\n"
                          "1:1: note: the list begins here\n" },
    { "a: 1\n- b\n", "2:1: error: a list item among the keys of a map\n"
                     "1:1: note: the map begins here\n"
                     "hint: items stand below a key that has no value in its own line\n" },
    { "  - a\n- b\n", "2:1: error: this line is indented 0, the first one 2\n"
                      "1:3: note: the first one is here\n" },
    { "a:\n\tb: 1\n", "2:1: error: the indentation contains a tab\n"
                      "hint: YAML is indented with blanks only\n" },
    { "\ta: 1\n", "1:1: error: the indentation contains a tab\n"
                  "hint: YAML is indented with blanks only\n" },
    { "a: 1\n\tb: 2\n", "2:1: error: the indentation contains a tab\n"
                        "hint: YAML is indented with blanks only\n" },
    { "a:\n  - x\n\t- y\n", "3:1: error: the indentation contains a tab\n"
                            "hint: YAML is indented with blanks only\n" },
    { "a: @x\n", "1:4: error: a value cannot begin with '@'\n"
                 "hint: quote it: '@x'\n" },
    { "a: `x\n", "1:4: error: a value cannot begin with '`'\n"
                 "hint: quote it: '`x'\n" },
    { "a: &x\nb: *\n", "2:4: error: '*' is no name of an alias\n"
                       "hint: names are letters, digits, '_' and '-'; quote a text that begins with '*'\n" },
    { "a: & x\n", "1:4: error: '&' is no name of an anchor\n"
                  "hint: names are letters, digits, '_' and '-'; quote a text that begins with '&'\n" },
    { "a: *x y\n", "1:4: error: unknown alias '*x'\n"
                   "hint: there is no anchor above it; quote a text that begins with '*'\n"
                   "1:7: error: 'y' follows the end of a value\n" },
    { "a: !<foo b\n", "1:4: error: tags ('!...') have no meaning here\n"
                      "hint: quote a text that begins with '!'\n" },
    { "a: !x!y b\n", "1:4: error: tags ('!...') have no meaning here\n"
                     "hint: quote a text that begins with '!'\n" },
    { "count:1\nb: 2\n", "1:1: error: this is no key: there is no ': ' in it\n"
                         "2:1: note: here a key follows\n"
                         "hint: is a blank missing behind ':'?\n" },
    { "a: 1\ncount:1\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n"
                         "hint: is a blank missing behind ':'?\n" },
    { "a: 1\ncount\nb: 2\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n" },
    { "a: |\nx\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n"
                   "hint: the lines of a block that '|' begins are indented deeper than its key\n" },
    { "a: |0\n x\n", "1:4: error: a block that '|' begins has nothing else in this line\n"
                     "hint: its text begins in the next line; quote a text that begins with '|'\n" },
    { "a: |\n\tx\n", "2:1: error: the indentation contains a tab\n"
                     "hint: YAML is indented with blanks only\n" },
    { "a: |\n    x\n  y\n", "3:3: error: this line is indented 2, the others here 4\n"
                            "2:5: note: this one is indented 4\n" },
    { "a: >2 x\n y\n", "1:4: error: a block that '>' begins has nothing else in this line\n"
                       "hint: its text begins in the next line; quote a text that begins with '>'\n" },
    { "%YAML 1.3\n---\na: 1\n", "1:1: error: '%YAML 1.3': only YAML 1.2 is understood\n"
                                "hint: leave the line out\n" },
    { "%YAML\n---\n", "1:1: error: '%YAML' is no line that YAML 1.2 knows\n"
                      "hint: leave it out; quote a text that begins with '%'\n" },
    { "%FOO bar\n---\na: 1\n", "1:1: error: '%FOO bar' is no line that YAML 1.2 knows\n"
                               "hint: leave it out; quote a text that begins with '%'\n" },
    { "%YAML 1.2\na: 1\n", "2:1: error: a line '---' was expected before this\n" },
    { "a: 1\n---\nb: 2\n", "2:1: error: a second document begins here\n"
                           "hint: a file holds one: put this into a file of its own\n" },
    { "a: 1\n...\nb: 2\n", "3:1: error: 'b: 2' follows the end of the whole value\n"
                           "1:1: note: which begins here\n" },
    { ": a\n", "1:1: error: a key is missing before ':'\n" },
    { "a: - b\n", "1:4: error: a list cannot begin in this line\n"
                  "hint: put its items into lines of their own, or between '[' and ']'\n" },
    { "- - a\n - b\n", "2:2: error: this line is indented 1, the others here 4\n"
                       "1:5: note: this one is indented 4\n" },
    { "- a\n-b\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n"
                   "hint: is a blank missing behind '-'?\n" },
    { "{a: 1} b\n", "1:8: error: 'b' follows the end of the whole value\n"
                    "1:1: note: which begins here\n" },
    { "[a]\nb: 1\n", "2:1: error: 'b: 1' follows the end of the whole value\n"
                     "1:1: note: which begins here\n" },
    { "foo\nbar: 1\n", "1:1: error: this is no key: there is no ': ' in it\n"
                       "2:1: note: here a key follows\n" },
    { "\"foo\" bar: 1\n", "1:7: error: 'bar: 1' follows the end of a quoted text\n"
                          "hint: put the whole value between quotes: '...', or \"...\" with \\\" inside\n" },
    { "a: ]\n", "1:4: error: a value cannot begin with ']'\n"
                "hint: quote it if it is meant as text\n" },
    { "a: [1,,2]\n", "1:7: error: a value is missing before ','\n" },
    { "a: {x: 1, , y: 2}\n", "1:11: error: a value is missing before ','\n" },
    { "a: ? b\n", "1:4: error: '? ' (a key of many lines) cannot stand here\n"
                  "hint: quote a text that begins with '?'\n" },
    { "a: \"x\n---\ny\"\n", "1:4: error: this quote is not closed\n"
                            "2:1: note: it must end before this line\n" },
    { "a: [\n", "1:4: error: this '[' is not closed\n" },
    { "[[[[\n", "1:4: error: this '[' is not closed\n" },
    { "a: [x: {y: [1, 2}]\n", "1:17: error: ',' or ']' was expected, not '}'\n"
                              "1:12: note: the '[' is here\n" },
    { "- a: 1\n  - b\n", "2:3: error: a list item among the keys of a map\n"
                         "1:3: note: the map begins here\n"
                         "hint: items stand below a key that has no value in its own line\n" },
    { "a:\n  - b\n  c: 1\n", "3:3: error: an item of the list was expected here: '- ...'\n"
                             "2:3: note: the list begins here\n" },
    { "a\nb: 1\nc: 2\n", "1:1: error: this is no key: there is no ': ' in it\n"
                         "2:1: note: here a key follows\n" },
    { "a: |\n  x\n # c\ny: \"\n", "4:4: error: this quote is not closed\n" },
    { "steps:\n  - all_reduce: {count: 1M, op: sum\n  - broadcast: {count: 1}\n",
      "3:3: warning: no item: it continues the text that begins above\n"
      "2:33: note: the text begins here\n"
      "hint: items of one list are indented alike, and a list begins below its key\n"
      "3:14: error: ',' or '}' was expected, not ':'\n"
      "2:17: note: the '{' is here\n"
      "hint: is a ',' missing at the end of the line above?\n" },
    { "x: rank == 0 ? 1 : 2\n", "1:18: error: this line has a second ': '\n"
                                "hint: quote the value if ':' is a part of it: 'rank == 0 ? 1 : 2'\n" },
    { "x: {when: rank == 0 ? 1 : 2, b: a[1]}\n", "1:25: error: ',' or '}' was expected, not ':'\n"
                                                 "1:4: note: the '{' is here\n"
                                                 "hint: quote the value if ':' is a part of it\n" },
    { "x: \"a\" + \"b\"\n", "1:8: error: '+ \"b\"' follows the end of a quoted text\n"
                            "hint: put the whole value between quotes: '...', or \"...\" with \\\" inside\n" },
    { "x: a: \"b\"\n", "1:5: error: this line has a second ': '\n"
                       "hint: quote the value if ':' is a part of it: 'a: \"b\"'\n" },
    { "x: {a: b: c}\n", "1:9: error: ',' or '}' was expected, not ':'\n"
                        "1:4: note: the '{' is here\n"
                        "hint: quote the value if ':' is a part of it\n" },
    { "x: {{ y }}\n", "1:5: error: a map cannot be a key\n"
                      "hint: if the braces are meant as text, quote the whole of it\n" },
    { "x: *a: b\n", "1:4: error: unknown alias '*a'\n"
                    "hint: there is no anchor above it; quote a text that begins with '*'\n"
                    "1:6: error: this line has a second ': '\n"
                    "hint: quote the value if ':' is a part of it: '*a: b'\n" },
    { "- x: 1\n -y: 2\n", "2:2: error: this line is indented 1, the others here 2\n"
                          "1:3: note: this one is indented 2\n"
                          "hint: is a blank missing behind '-'?\n" },
    { "\"a\": 1\n\"b\" 2\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n" },
    { "{a: 1\n b: 2}\n", "2:3: error: ',' or '}' was expected, not ':'\n"
                         "1:1: note: the '{' is here\n"
                         "hint: is a ',' missing at the end of the line above?\n" },
    { "a: 'x'y\n", "1:7: error: 'y' follows the end of a quoted text\n"
                   "hint: a quote inside of '...' is written twice: 'it''s'; or use \"...\"\n" },
    { "a: \"x\"\n  - b\n", "2:3: error: a key and ':' were expected here\n"
                           "1:1: note: the map begins here\n"
                           "hint: this line is indented 2, the keys of the map 0\n" },
    { "a: [- b]\n", "1:5: error: '- ' inside of brackets\n"
                    "hint: between '[' and ']' items are separated by ','\n" },
    { "a: [\n - b\n]\n", "2:2: error: '- ' inside of brackets\n"
                         "hint: between '[' and ']' items are separated by ','\n" },
    { "a: [|\n x]\n", "1:5: error: a block of text ('|') cannot stand inside of brackets\n"
                      "hint: quote the text, or write the list or map without brackets\n" },
    { "\"a\n b\": 1\n", "1:1: error: this is no key: there is no ': ' in it\n"
                        "2:2: note: here a key follows\n" },
    { "x: 1\n\"a\n b\": 1\n", "2:1: error: a key was expected here, but there is no ': ' behind it\n" },
    { "a: \"abc\nb: \"x\"\n", "1:4: error: this quote is closed lines later, in the middle of a text\n"
                              "2:4: note: here it ends\n"
                              "hint: is a closing quote missing in the first line?\n" },
    { "a: {b: \"c}\nd: 1\n", "1:8: error: this quote is not closed\n" },
    { "a: &x.y 1\n", "1:4: error: '&x.y' is no name of an anchor\n"
                     "hint: names are letters, digits, '_' and '-'; quote a text that begins with '&'\n" },
    { "a: *.x\n", "1:4: error: '*.x' is no name of an alias\n"
                  "hint: names are letters, digits, '_' and '-'; quote a text that begins with '*'\n" },
    { "a: 'x\n b: 'y'\n", "1:4: error: this quote is closed lines later, in the middle of a text\n"
                          "2:5: note: here it ends\n"
                          "hint: is a closing quote missing in the first line?\n" },
    { "a: {b: |\n x}\n", "1:8: error: a block of text ('|') cannot stand inside of brackets\n"
                         "hint: quote the text, or write the list or map without brackets\n" },
    { "a: \"\\ud800\"\n", "1:5: error: '\\ud800' is no character\n" },
    { "%YAML 1.2\n%YAML 1.2\n---\n", "2:1: error: '%YAML 1.2' is no line that YAML 1.2 knows\n"
                                     "hint: leave it out; quote a text that begins with '%'\n" },
    { "a: |\n  x\n y\nb: 1\n", "3:2: error: this line is indented 1, the others here 2\n"
                               "2:3: note: this one is indented 2\n" },
    { "a: [1, 2]]\nb: 1\n", "1:10: error: ']' follows the end of a list or map in brackets\n"
                            "hint: there is a bracket too many\n" },
    { "k:\n  a: 1\n - b\n", "3:2: error: this line is indented 1, the others here 2\n"
                            "2:3: note: this one is indented 2\n" },
    { "k: [a, b\n  c: 1\n", "1:4: error: this '[' is not closed\n"
                            "2:4: note: ']' was expected before this\n" },
    { "k: [a, b\n  c: 1]\n", "2:4: error: ',' or ']' was expected, not ':'\n"
                             "1:4: note: the '[' is here\n"
                             "hint: is a ',' missing at the end of the line above?\n" },
    { "k:\n  - a: 1\n    b: 2\n   c: 3\n", "4:4: error: this line is indented 3, the others here 4\n"
                                           "3:5: note: this one is indented 4\n" },
    { "k:\n  - a: 1\n    b: 2\n     c: 3\n",
      "4:6: error: this line is indented 5, the one above 4\n"
      "3:5: note: this key has a value in its own line\n"
      "hint: keys of one map are indented alike; a key with others below it has no value\n" },
    { "a: !!str [\n", "1:4: error: tag '!!str' has no meaning here: a value has the type that it is written as\n"
                      "hint: put the value between quotes\n"
                      "1:10: error: this '[' is not closed\n" },
    { "? [a\n: b\n", "1:3: error: a list cannot be a key\n"
                     "1:3: error: this '[' is not closed\n"
                     "2:1: note: ']' was expected before this\n" },
    { "a: \"x\": 1\n", "1:7: error: this line has a second ': '\n"
                       "hint: quote the value if ':' is a part of it: '\"x\": 1'\n" },
    { "x:\n - :\n", "2:4: error: a key is missing before ':'\n" },
    { "&a &b x\n", "1:4: error: '&b x' follows the end of the whole value\n"
                   "1:3: note: which begins here\n" },
    { "%\n", "1:1: error: '%' is no line that YAML 1.2 knows\n"
             "hint: leave it out; quote a text that begins with '%'\n" },
    { "a: \"b\" # c\n x: y\n", "2:2: error: a key and ':' were expected here\n"
                               "1:1: note: the map begins here\n"
                               "hint: this line is indented 1, the keys of the map 0\n" },
    { "'a': 1\n'b: 2\n", "2:1: error: this quote is not closed\n" },
};

START_TEST(mistakes_of_form)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        yaml_lab_check(cases[i].text, strlen(cases[i].text), cases[i].words);
}
END_TEST

NCS_TEST_MAIN("yaml_syntax", mistakes_of_form)
