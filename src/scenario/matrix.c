#include "scenario/matrix.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static const char ranks[] = "ranks", seed[] = "seed";

/* ---- axes ---- */

/* The position of an axis among the others; axes of equal position are sorted by name. */
static int order_of(const struct ncs_axis *a)
{
    return a->is_param ? 1 : strcmp(a->name, ranks) == 0 ? 0 : 2;
}

static bool matrix_before(const struct ncs_axis *a, const struct ncs_axis *b)
{
    return order_of(a) != order_of(b) ? order_of(a) < order_of(b) : strcmp(a->name, b->name) < 0;
}

struct ncs_axis *ncs_matrix_add(struct ncs_matrix *m, const struct ncs_scenario *s, const char *name)
{
    const struct ncs_param *p = strcmp(name, ranks) == 0 ? NULL : ncs_scenario_param(s, name);
    if (!p && strcmp(name, ranks) != 0 && strcmp(name, seed) != 0)
        return NULL;
    struct ncs_axis axis = { .name = ncs_copy_text(name), .is_param = p, .kind = p ? p->kind : NCS_PARAM_INT };
    size_t at = m->axes;
    while (at > 0 && matrix_before(&axis, &m->axis[at - 1]))
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

/* Equal values have equal hashes: 0 equals -0. */
static uint64_t matrix_hash_of(const struct ncs_param *p)
{
    double d = p->kind == NCS_PARAM_NUMBER && p->d != 0 ? p->d : 0;
    uint64_t hash = ncs_hash(1, p->kind);
    switch (p->kind) {
    case NCS_PARAM_NUMBER: return ncs_hash_bytes(hash, &d, sizeof d);
    case NCS_PARAM_TEXT: return ncs_hash_bytes(hash, p->text, strlen(p->text));
    default: return ncs_hash(hash, (uint64_t)p->i);
    }
}

/* Index + 1 of the value; 0 = absent, and *key is the key under which to insert it. */
static size_t matrix_find_value(struct ncs_axis *axis, const struct ncs_param *value, uint64_t *key)
{
    size_t at;
    for (*key = matrix_hash_of(value); (at = ncs_map_number(&axis->at, *key)) != 0; *key = ncs_mix(*key + 1)) {
        axis->compared++;
        if (ncs_param_same(&axis->value[at - 1], value))
            break;
    }
    return at;
}

bool ncs_axis_add(struct ncs_axis *axis, struct ncs_param value)
{
    uint64_t key;
    bool is_new = !matrix_find_value(axis, &value, &key);
    NCS_PUSH(axis->value, axis->values, axis->values_room, value);
    if (is_new)
        ncs_map_put_number(&axis->at, key, axis->values);
    return is_new;
}

bool ncs_axis_has(struct ncs_axis *axis, const struct ncs_param *value)
{
    uint64_t key;
    return matrix_find_value(axis, value, &key) != 0;
}

void ncs_axis_pin(struct ncs_axis *axis, const struct ncs_param *value)
{
    struct ncs_param only = ncs_param_copy(value);
    free_values(axis->value, axis->values);
    ncs_map_free(&axis->at);
    axis->value = NULL;
    axis->values = axis->values_room = 0;
    axis->at = (struct ncs_map){ 0 };
    ncs_axis_add(axis, only);
    axis->pinned = true;
}

void ncs_matrix_free(struct ncs_matrix *m)
{
    for (size_t i = 0; i < m->axes; i++) {
        free_values(m->axis[i].value, m->axis[i].values);
        ncs_map_free(&m->axis[i].at);
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
        count *= m->axis[i].values <= NCS_CASES_MOST ? m->axis[i].values : NCS_CASES_MOST + 1;
    return count <= NCS_CASES_MOST ? count : NCS_CASES_MOST + 1;
}

const struct ncs_param *ncs_case_value(const struct ncs_case *c, const char *name)
{
    for (size_t i = 0; i < c->values; i++)
        if (strcmp(c->value[i].name, name) == 0)
            return &c->value[i];
    return NULL;
}

static char *matrix_name_of(const struct ncs_case *c)
{
    struct ncs_str name = { 0 };
    for (size_t i = 0; i < c->values; i++) {
        ncs_str_addf(&name, "%s%s=", i ? "," : "", c->value[i].name);
        ncs_param_text(&c->value[i], &name);
    }
    return ncs_str_take(&name);
}

static struct ncs_case make_case(const struct ncs_matrix *m, const size_t *place)
{
    struct ncs_case c = { .value = ncs_new(m->axes * sizeof *c.value), .values = m->axes };
    for (size_t i = 0; i < m->axes; i++) {
        const struct ncs_axis *axis = &m->axis[i];
        const struct ncs_param *value = &axis->value[place[i]];
        c.value[i] = ncs_param_copy(value);
        if (order_of(axis) == 0)
            c.ranks = (int)value->i;
        if (order_of(axis) == 2) {
            c.seeded = true;
            c.seed = value->i;
        }
    }
    c.name = m->axes ? matrix_name_of(&c) : NULL;
    return c;
}

static void free_case(struct ncs_case *c)
{
    free_values(c->value, c->values);
    ncs_free(c->name);
}

/* ---- combinations that are not excluded ---- */

/* A value in an exclusion. An exclusion with a value that was pinned away excludes nothing. */
struct term {
    size_t axis, place;
    bool last; /* of its exclusion */
};

struct walk {
    const struct ncs_matrix *m;
    size_t *place; /* of the value of each axis */
    struct term *term;
    size_t terms, room;
};

static void add_exclusion(struct walk *w, const struct ncs_exclusion *e)
{
    size_t before = w->terms;
    for (size_t k = 0; k < e->values; k++) {
        struct ncs_axis *axis = ncs_matrix_axis(w->m, e->value[k].name);
        uint64_t key;
        size_t at = matrix_find_value(axis, &e->value[k], &key);
        if (!at) {
            w->terms = before;
            return;
        }
        struct term t = { (size_t)(axis - w->m->axis), at - 1, k + 1 == e->values };
        NCS_PUSH(w->term, w->terms, w->room, t);
    }
}

static bool matrix_is_excluded(const struct walk *w)
{
    bool all = true;
    for (size_t i = 0; i < w->terms; i++) {
        const struct term *t = &w->term[i];
        all = all && w->place[t->axis] == t->place;
        if (t->last && all)
            return true;
        all = all || t->last;
    }
    return false;
}

/* Advances to the next combination; the last axis changes fastest. */
static void matrix_step(struct walk *w)
{
    for (size_t i = w->m->axes; i-- > 0; w->place[i] = 0)
        if (++w->place[i] < w->m->axis[i].values)
            return;
}

/* Appends the cases; with `cases` NULL only counts them. */
static size_t expand(const struct ncs_matrix *m, struct ncs_cases *cases)
{
    struct walk w = { .m = m, .place = ncs_new((m->axes + 1) * sizeof *w.place) };
    size_t count = ncs_matrix_combinations(m), left = 0;
    for (size_t i = 0; i < m->exclusions; i++)
        add_exclusion(&w, &m->exclusion[i]);
    for (size_t n = 0; n < count; n++, matrix_step(&w)) {
        if (matrix_is_excluded(&w))
            continue;
        left++;
        if (cases)
            NCS_PUSH(cases->item, cases->count, cases->room, make_case(m, w.place));
    }
    ncs_free(w.term);
    ncs_free(w.place);
    return left;
}

size_t ncs_matrix_cases(const struct ncs_matrix *m)
{
    return expand(m, NULL);
}

void ncs_matrix_expand(const struct ncs_matrix *m, struct ncs_cases *cases)
{
    expand(m, cases);
}

void ncs_cases_free(struct ncs_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        free_case(&cases->item[i]);
    ncs_free(cases->item);
    *cases = (struct ncs_cases){ 0 };
}

/* ---- names ---- */

/* True if the case has the value in "name=text" of this length. */
static bool case_has_value(const struct ncs_case *c, const char *term, size_t bytes)
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
        if (!case_has_value(c, name, bytes))
            return false;
        name += bytes;
        if (!*name)
            return true;
    }
}
