/* Names that the notation knows of Lua's side: they are those that scripts find there. */
#include "script_lab.h"

#include "notation/schema.h"
#include "notation/things.h"
#include "script/object.h"

static bool is_one_of(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* How many of the functions are members; fails for one that is not. */
static size_t found(const char *class, const char *const *members, const luaL_Reg *functions)
{
    size_t n = 0;
    for (; functions && functions->name; functions++, n++)
        ck_assert_msg(is_one_of(members, functions->name), "%s has '%s'", class, functions->name);
    return n;
}

/* Those that the rows of the API's functions make methods. */
static size_t found_collectives(const char *const *members)
{
    size_t n = 0;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        const char *name = info->lua_name ? strchr(info->lua_name, ':') : NULL;
        if (!info->counted || info->one_sided || !name)
            continue;
        ck_assert_msg(is_one_of(members, name + 1), "comm has '%s'", name + 1);
        n++;
    }
    return n;
}

START_TEST(members)
{
    static const struct {
        enum ncs_thing_kind kind;
        enum ncs_class_id class;
    } rows[] = { { NCS_THING_STREAM, NCS_CLASS_STREAM }, { NCS_THING_EVENT, NCS_CLASS_EVENT },
                 { NCS_THING_COMM, NCS_CLASS_COMM },     { NCS_THING_BUFFER, NCS_CLASS_BUFFER },
                 { NCS_THING_OP, NCS_CLASS_REDOP },      { NCS_THING_WINDOW, NCS_CLASS_WINDOW },
                 { NCS_THING_THREAD, NCS_CLASS_THREAD }, { NCS_THING_GRAPH, NCS_CLASS_GRAPH } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ncs_class *c = ncs_classes[rows[i].class];
        const char *const *known = ncs_schema_members[rows[i].kind];
        size_t n = found(c->name, known, c->fields), all = 0;
        for (size_t k = 0; c->methods[k]; k++)
            n += found(c->name, known, c->methods[k]);
        if (rows[i].kind == NCS_THING_COMM)
            n += found_collectives(known);
        n += c->close != NULL; /* close */
        while (known[all])
            all++;
        ck_assert_msg(n == all, "%s: %zu members, %zu are known", c->name, n, all);
    }
}
END_TEST

/* Reading a global that is not there is an error of the script. */
START_TEST(globals)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "scenario { ranks = 1 }\n");
    for (size_t i = 0; ncs_schema_globals[i]; i++)
        ncs_str_addf(&text, "expect.that(%s ~= nil, \"%s\")\n", ncs_schema_globals[i], ncs_schema_globals[i]);
    for (size_t i = 0; ncs_schema_taken[i]; i++)
        if (ncs_schema_taken[i][0] != '_')
            ncs_str_addf(&text, "expect.that(%s ~= nil, \"%s\")\n", ncs_schema_taken[i], ncs_schema_taken[i]);
    for (size_t i = 0; ncs_schema_math[i]; i++)
        ncs_str_addf(&text, "expect.that(math.%s ~= nil, \"math.%s\")\n", ncs_schema_math[i], ncs_schema_math[i]);
    const struct ncs_result *result = execute(text.text, false);
    ck_assert_int_eq(result->verdict, NCS_PASS);
    finish();
    ncs_str_free(&text);
}
END_TEST

NCS_TEST_MAIN("notation_names", members, globals)
