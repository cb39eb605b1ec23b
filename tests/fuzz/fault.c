/* Lists of faults for exec: every list is read whole or refused with a line, a column and a text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "run/fault_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ncs_fault_list list = { 0 };
    struct ncs_error err = { 0 };
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "");
    ncs_str_add_bytes(&text, data, strnlen((const char *)data, size));
    bool read = ncs_fault_list_read(&list, text.text, &err);
    must(read || (err.line > 0 && err.column > 0 && err.text[0]));
    for (size_t i = 0; read && i < list.count; i++) {
        const struct ncs_fault_text *f = &list.fault[i];
        must(f->nth > 0 && (f->call > 0 || f->fn >= 0 || f->at));
        must(ncs_fault_info[f->kind].needs != NCS_FAULT_NEEDS_code || f->code > 0);
        must(f->kind != NCS_FAULT_FAIL || f->fn < 0 || ncs_fault_can_fail(f->fn));
    }
    ncs_fault_list_free(&list);
    ncs_str_free(&text);
    return 0;
}
