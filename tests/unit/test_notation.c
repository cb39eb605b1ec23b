/* Scenarios in YAML: what they become in Lua, line by line, and what is said of those that are wrong. */
#include "harness.h"
#include "notation_lab.h"

#include "notation/schema.h"
#include "notation/scope.h"
#include "notation/yaml/yaml.h"

#define FILES "tests/notation/"

static const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* tests/notation/good/NAME.yaml is without fault, compiles, and is NAME.txt. */
START_TEST(good_files)
{
    glob_t found;
    ck_assert_int_eq(glob(FILES "good/*.yaml", 0, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct ncs_str said = { 0 };
        struct lab lab;
        size_t bytes;
        char *text = lab_read(path, &bytes);
        lab_open(&lab, base_name(path), text, bytes);
        ncs_complaints_text(&lab.complaints, &said);
        ck_assert_msg(lab.ok && lab.complaints.count == 0, "%s: %s", path, said.text);
        char *compiled = lab_compile(&lab);
        ck_assert_msg(!compiled, "%s: %s", path, compiled);
        for (size_t k = 0; k < lab.out.lines; k++)
            ck_assert_msg(lab.out.line[k] >= 1 && (size_t)lab.out.line[k] <= lab.source.lines, "%s: line %zu", path, k + 1);
        lab_numbered(&lab, &said);
        ck_assert_msg(lab_agrees(path, ".txt", said.text), "%s", path);
        ncs_str_free(&said);
        lab_close(&lab);
        ncs_free(text);
    }
    globfree(&found);
}
END_TEST

/* All that is said of tests/notation/bad/NAME.yaml is NAME.txt. */
START_TEST(bad_files)
{
    glob_t found;
    ck_assert_int_eq(glob(FILES "bad/*.yaml", 0, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 10);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct ncs_str said = { 0 };
        struct lab lab;
        size_t bytes;
        char *text = lab_read(path, &bytes);
        lab_open(&lab, base_name(path), text, bytes);
        ck_assert_msg(!lab.ok && lab.complaints.errors > 0, "%s", path);
        ck_assert_msg(!lab.out.lua.text, "%s: a translation all the same", path);
        ncs_complaints_text(&lab.complaints, &said);
        ck_assert_msg(lab_agrees(path, ".txt", said.text), "%s", path);
        ncs_str_free(&said);
        lab_close(&lab);
        ncs_free(text);
    }
    globfree(&found);
}
END_TEST

/* ---- what the good files use of the form ---- */

static const void *used[1024]; /* rows of the form */
static size_t used_count;

static bool is_used(const void *row)
{
    for (size_t i = 0; i < used_count; i++)
        if (used[i] == row)
            return true;
    return false;
}

static void use(const void *row)
{
    if (!is_used(row) && used_count < sizeof used / sizeof *used)
        used[used_count++] = row;
}

static void use_steps(const struct ncs_yaml_node *list);

static void use_fields(const struct ncs_schema_field *fields, const struct ncs_yaml_node *map)
{
    for (size_t i = 0; fields && map->kind == NCS_YAML_MAP && i < map->items; i++) {
        const struct ncs_yaml_node *value = map->item[2 * i + 1];
        const struct ncs_schema_field *f = ncs_schema_find(fields, map->item[2 * i]->text);
        if (!f)
            continue;
        use(f);
        if (f->kind == NCS_SCHEMA_ENTRIES)
            for (size_t k = 0; value->kind == NCS_YAML_MAP && k < value->items; k++)
                use_fields(f->fields, value->item[2 * k + 1]);
        else if (value->kind == NCS_YAML_LIST && f->fields)
            for (size_t k = 0; k < value->items; k++)
                use_fields(f->fields, value->item[k]);
        else if (f->kind == NCS_SCHEMA_STEPS)
            use_steps(value);
        else
            use_fields(f->fields, value);
    }
}

static void use_steps(const struct ncs_yaml_node *list)
{
    for (size_t i = 0; i < list->items; i++) {
        struct ncs_step step;
        ncs_step_read(list->item[i], &step);
        use(step.verb);
        if (step.verb->kind == NCS_SCHEMA_STEPS)
            use_steps(step.value);
        use_fields(step.verb->fields, step.value);
        use_fields(step.verb->beside, step.map);
        use_fields(ncs_schema_common, step.map);
    }
}

static void all_used(const char *owner, const struct ncs_schema_field *fields)
{
    for (const struct ncs_schema_field *f = fields; f && f->name; f++) {
        ck_assert_msg(is_used(f), "no good file has %s: %s", owner, f->name);
        ck_assert_msg(f->about && *f->about, "%s of %s is not described", f->name, owner);
        all_used(f->name, f->fields);
    }
}

START_TEST(good_files_use_all)
{
    glob_t found;
    ck_assert_int_eq(glob(FILES "good/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ncs_source source;
        struct ncs_complaints c = { .source = &source };
        size_t bytes;
        char *text = lab_read(found.gl_pathv[i], &bytes);
        ncs_source_init(&source, found.gl_pathv[i], text, bytes);
        struct ncs_yaml *yaml = ncs_yaml_read(&source, &c);
        ck_assert_ptr_nonnull(yaml);
        use_fields(ncs_schema_top, ncs_yaml_root(yaml));
        ncs_yaml_free(yaml);
        ncs_complaints_free(&c);
        ncs_source_free(&source);
        ncs_free(text);
    }
    globfree(&found);
    all_used("a scenario", ncs_schema_top);
    all_used("a step", ncs_schema_common);
    for (const struct ncs_schema_verb *v = ncs_schema_verbs; v->name; v++) {
        ck_assert_msg(is_used(v), "no good file has the verb %s", v->name);
        all_used(v->name, v->fields);
        all_used(v->name, v->beside);
    }
}
END_TEST

START_TEST(file_names)
{
    ck_assert(ncs_notation_is("a.yaml"));
    ck_assert(ncs_notation_is("dir.lua/x.ncclscript.yml"));
    ck_assert(!ncs_notation_is("yaml"));
    ck_assert(!ncs_notation_is("a.yaml.lua"));
    ck_assert(!ncs_notation_is("a.yaml/b"));
    ck_assert(!ncs_notation_is("-"));
}
END_TEST

NCS_TEST_MAIN("notation", good_files, bad_files, good_files_use_all, file_names)
