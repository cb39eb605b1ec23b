#include "scenario/matrix.h"

#include <string.h>

#include "base/mem.h"

static const char ranks[] = "ranks", seed[] = "seed";

/* ---- axes ---- */

/* Where an axis stands among the others, but for its name. */
static int place(const struct ncs_axis *a)
{
    return a->is_param ? 1 : strcmp(a->name, ranks) == 0 ? 0 : 2;
}

static bool before(const struct ncs_axis *a, const struct ncs_axis *b)
{
    return place(a) != place(b) ? place(a) < place(b) : strcmp(a->name, b->name) < 0;
}

struct ncs_axis *ncs_matrix_add(struct ncs_matrix *m, const struct ncs_scenario *s, const char *name)
{
    const struct ncs_param *p = strcmp(name, ranks) == 0 ? NULL : ncs_scenario_param(s, name);
    if (!p && strcmp(name, ranks) != 0 && strcmp(name, seed) != 0)
        return NULL;
    struct ncs_axis axis = { .name = ncs_copy_text(name), .is_param = p,
                             .kind = p ? p->kind : NCS_PARAM_INT };
    size_t at = m->axes;
    while (at > 0 && before(&axis, &m->axis[at - 1]))
        at--;
    NCS_PUSH(m->axis, m->axes, m->axes_room, axis);
    memmove(&m->axis[at + 1], &m->axis[at], (m->axes - 1 - at) * sizeof *m->axis);
    m->axis[at] = axis;
    return &m->axis[at];
}

struct ncs_axis *ncs_matrix_axis(const struct ncs_matrix *m, const char *name)
{
    for (size_t i = 0; i < m->axes; i++)
        if (strcmp(m->axis[i].name, name) == 0)
            return &m->axis[i];
    return NULL;
}

static void free_values(struct ncs_param *value, size_t values)
{
    for (size_t i = 0; i < values; i++)
        ncs_param_free(&value[i]);
    ncs_free(value);
}

bool ncs_axis_has(const struct ncs_axis *axis, const struct ncs_param *value)
{
    for (size_t i = 0; i < axis->values; i++)
        if (ncs_param_same(&axis->value[i], value))
            return true;
    return false;
}

void ncs_axis_pin(struct ncs_axis *axis, const struct ncs_param *value)
{
    struct ncs_param only = ncs_param_copy(value);
    free_values(axis->value, axis->values);
    axis->value = NULL;
    axis->values = axis->values_room = 0;
    NCS_PUSH(axis->value, axis->values, axis->values_room, only);
    axis->pinned = true;
}

void ncs_matrix_free(struct ncs_matrix *m)
{
    for (size_t i = 0; i < m->axes; i++) {
        free_values(m->axis[i].value, m->axis[i].values);
        ncs_free(m->axis[i].name);
    }
    for (size_t i = 0; i < m->exclusions; i++)
        free_values(m->exclusion[i].value, m->exclusion[i].values);
    ncs_free(m->axis);
    ncs_free(m->exclusion);
    *m = (struct ncs_matrix){ 0 };
}

/* ---- combinations ---- */

size_t ncs_matrix_combinations(const struct ncs_matrix *m)
{
    size_t count = 1;
    for (size_t i = 0; i < m->axes && count <= NCS_CASES_MOST; i++)
        count *= m->axis[i].values < NCS_CASES_MOST ? m->axis[i].values : NCS_CASES_MOST + 1;
    return count <= NCS_CASES_MOST ? count : NCS_CASES_MOST + 1;
}

const struct ncs_param *ncs_case_value(const struct ncs_case *c, const char *name)
{
    for (size_t i = 0; i < c->values; i++)
        if (strcmp(c->value[i].name, name) == 0)
            return &c->value[i];
    return NULL;
}

static bool is_excluded(const struct ncs_matrix *m, const struct ncs_case *c)
{
    for (size_t i = 0; i < m->exclusions; i++) {
        const struct ncs_exclusion *e = &m->exclusion[i];
        bool all = true;
        for (size_t k = 0; k < e->values && all; k++)
            all = ncs_param_same(ncs_case_value(c, e->value[k].name), &e->value[k]);
        if (all)
            return true;
    }
    return false;
}

static char *name_of(const struct ncs_case *c)
{
    struct ncs_str name = { 0 };
    for (size_t i = 0; i < c->values; i++) {
        ncs_str_addf(&name, "%s%s=", i ? "," : "", c->value[i].name);
        ncs_param_text(&c->value[i], &name);
    }
    return ncs_str_take(&name);
}

/* Combination number n. */
static struct ncs_case combine(const struct ncs_matrix *m, size_t n)
{
    struct ncs_case c = { .value = ncs_new(m->axes * sizeof *c.value), .values = m->axes };
    for (size_t i = m->axes; i-- > 0;) {
        const struct ncs_axis *axis = &m->axis[i];
        const struct ncs_param *value = &axis->value[n % axis->values];
        c.value[i] = ncs_param_copy(value);
        n /= axis->values;
        if (place(axis) == 0)
            c.ranks = (int)value->i;
        if (place(axis) == 2) {
            c.seeded = true;
            c.seed = value->i;
        }
    }
    return c;
}

static void free_case(struct ncs_case *c)
{
    free_values(c->value, c->values);
    ncs_free(c->name);
}

void ncs_matrix_expand(const struct ncs_matrix *m, struct ncs_cases *cases)
{
    size_t count = ncs_matrix_combinations(m);
    for (size_t n = 0; n < count; n++) {
        struct ncs_case c = combine(m, n);
        if (is_excluded(m, &c)) {
            free_case(&c);
            continue;
        }
        c.name = m->axes ? name_of(&c) : NULL;
        NCS_PUSH(cases->item, cases->count, cases->room, c);
    }
}

void ncs_cases_free(struct ncs_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free_case(&cases->item[i]);
    ncs_free(cases->item);
    *cases = (struct ncs_cases){ 0 };
}

/* ---- names ---- */

/* Has it the value that "name=text" of this length says? */
static bool says_so(const struct ncs_case *c, const char *term, size_t bytes)
{
    bool found = false;
    struct ncs_str own = { 0 };
    for (size_t i = 0; i < c->values && !found; i++) {
        ncs_str_clear(&own);
        ncs_str_addf(&own, "%s=", c->value[i].name);
        ncs_param_text(&c->value[i], &own);
        found = own.bytes == bytes && memcmp(own.text, term, bytes) == 0;
    }
    ncs_str_free(&own);
    return found;
}

bool ncs_case_is(const struct ncs_case *c, const char *name)
{
    if (!c->name || strcmp(c->name, name) == 0)
        return c->name != NULL;
    for (;; name++) {
        size_t bytes = strcspn(name, ",");
        if (!says_so(c, name, bytes))
            return false;
        name += bytes;
        if (!*name)
            return true;
    }
}
