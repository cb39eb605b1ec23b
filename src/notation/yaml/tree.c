#include <string.h>

#include "base/mem.h"
#include "notation/yaml/private.h"

const struct ncs_yaml_node *ncs_yaml_root(const struct ncs_yaml *y)
{
    return y->root;
}

void ncs_yaml_free(struct ncs_yaml *y)
{
    if (!y)
        return;
    ncs_arena_free(&y->arena);
    ncs_free(y);
}

bool ncs_yaml_is_number(const struct ncs_yaml_node *node)
{
    return node->kind == NCS_YAML_INT || node->kind == NCS_YAML_FLOAT;
}

const struct ncs_yaml_node *ncs_yaml_get(const struct ncs_yaml_node *map, const char *key)
{
    size_t bytes = strlen(key);
    for (size_t i = 0; map && map->kind == NCS_YAML_MAP && i < map->items; i++) {
        const struct ncs_yaml_node *name = map->item[2 * i];
        if (name->bytes == bytes && memcmp(name->text, key, bytes) == 0)
            return map->item[2 * i + 1];
    }
    return NULL;
}
