/* Quantities: whatever parses must be what its own rendering says, and nothing may crash. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static const char *const names[] = { "all_reduce", "broadcast", "float32", "ranks", NULL };
    char *text = ncs_new(bytes + 1), shown[64];
    memcpy(text, data, bytes);
    uint64_t size;
    int64_t time, number;
    if (ncs_parse_size(text, &size))
        ncs_format_size(size, shown, sizeof shown);
    if (ncs_parse_duration(text, &time)) {
        ncs_format_duration(time, shown, sizeof shown);
        if (time < 0)
            abort();
    }
    if (ncs_parse_int(text, &number) && strpbrk(text, " \t\n"))
        abort();
    ncs_nearest(text, names, 0);
    ncs_free(text);
    return 0;
}
