/* A YAML text read for a test: its tree, or what was said about it. */
#ifndef NCS_TESTS_UNIT_YAML_LAB_H
#define NCS_TESTS_UNIT_YAML_LAB_H

#include <string.h>

#include "base/str.h"
#include "harness.h"
#include "yaml/yaml.h"

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

static inline void yaml_lab_free(struct yaml_lab *lab)
{
    ncs_yaml_free(lab->y);
    ncs_complaints_free(&lab->c);
    ncs_source_free(&lab->source);
    ncs_str_free(&lab->said);
    free(lab);
}

#endif
