/* What is wrong with any bytes is said, in places that are there; and what loads has no error of
 * syntax. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "script/check.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    char path[32];
    int file = memfd_create("scenario", 0);
    if (file < 0 || write(file, data, bytes) != (ssize_t)bytes)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct ncs_script_settings settings = { .policy = -1, .driver = "sim" };
    struct ncs_checking c = { .file = path };
    struct ncs_error err = { 0 };
    struct ncs_str text = { 0 };
    if (!ncs_script_check(&c, &settings, &err) && !err.text[0])
        abort(); /* refused without a word */
    for (size_t i = 0; i < c.reading.complaints.count; i++) {
        const struct ncs_complaint *item = &c.reading.complaints.item[i];
        if (!item->text || !item->text[0] || item->at.at + item->at.bytes > c.reading.source.bytes)
            abort();
    }
    if (c.reading.complaints.source)
        ncs_complaints_text(&c.reading.complaints, &text);
    if (!c.script && !c.reading.complaints.errors && err.status == NCS_OK)
        abort(); /* it does not compile, and nothing is wrong with it */
    ncs_str_free(&text);
    ncs_checking_free(&c);
    close(file);
    return 0;
}
