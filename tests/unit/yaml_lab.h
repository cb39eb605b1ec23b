/* A YAML text read for a test: its tree, or what was said about it. */
#ifndef NCS_TESTS_UNIT_YAML_LAB_H
#define NCS_TESTS_UNIT_YAML_LAB_H

#include <string.h>

#include "base/str.h"
#include "harness.h"
#include "notation/yaml/yaml.h"

struct yaml_lab {
    struct ncs_source source;
    struct ncs_complaints c;
    struct ncs_yaml *y;
    struct ncs_str said;
};

static inline struct yaml_lab *yaml_lab_bytes(const char *text, size_t bytes)
{
    struct yaml_lab *lab = calloc(1, sizeof *lab);
    ncs_source_init(&lab->source, "t.yaml", text, bytes);
    lab->c.source = &lab->source;
    lab->y = ncs_yaml_read(&lab->source, &lab->c);
    ncs_str_add(&lab->said, "");
    ncs_complaints_text(&lab->c, &lab->said);
    ck_assert_int_eq(lab->y == NULL, lab->c.errors > 0);
    return lab;
}

static inline struct yaml_lab *yaml_lab(const char *text)
{
    return yaml_lab_bytes(text, strlen(text));
}

/* The root of a text that is right. */
static inline const struct ncs_yaml_node *yaml_lab_root(const struct yaml_lab *lab)
{
    if (!lab->y)
        ck_abort_msg("refused:\n%s\nof:\n%s", lab->said.text, lab->source.text);
    return ncs_yaml_root(lab->y);
}

/* What was said, one line each without the lines of source: "1:4: error: ..", "2:1: note: ..",
 * "hint: ..". */
static inline char *yaml_lab_words(const struct yaml_lab *lab)
{
    char *words = calloc(1, lab->said.bytes + 1), *to = words;
    for (const char *p = lab->said.text; *p;) {
        size_t bytes = strcspn(p, "\n") + 1;
        size_t skip = strncmp(p, "t.yaml:", 7) == 0 ? 7 : strncmp(p, "  hint:", 7) == 0 ? 2 : bytes;
        to = (char *)memcpy(to, p + skip, bytes - skip) + (bytes - skip);
        p += bytes;
    }
    return words;
}

static inline void yaml_lab_free(struct yaml_lab *lab)
{
    ncs_yaml_free(lab->y);
    ncs_complaints_free(&lab->c);
    ncs_source_free(&lab->source);
    ncs_str_free(&lab->said);
    free(lab);
}

/* A text, and what must be said about it. */
struct yaml_lab_case {
    const char *text, *words;
};

static inline void yaml_lab_check(const char *text, size_t bytes, const char *expected)
{
    struct yaml_lab *lab = yaml_lab_bytes(text, bytes);
    char *words = yaml_lab_words(lab);
    ck_assert_msg(strcmp(words, expected) == 0, "of:\n%s\nwas said:\n%s\ninstead of:\n%s", text, words, expected);
    ck_assert_ptr_null(lab->y);
    free(words);
    yaml_lab_free(lab);
}

#endif
