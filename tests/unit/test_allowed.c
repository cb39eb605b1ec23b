/* Which files a stranger's text may name: those below the working directory or an allowed folder, and through no link. */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowed.h"

static char home[64];

/* home/in/file, home/out/file, home/in/link -> ../out, home/in/near -> file; the process works in home/in. */
static void make_folders(void)
{
    snprintf(home, sizeof home, "/tmp/allowed-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home) | mkdir("in", 0700) | mkdir("out", 0700), 0);
    for (int i = 0; i < 2; i++) {
        FILE *f = fopen(i ? "in/file" : "out/file", "w");
        ck_assert_ptr_nonnull(f);
        ck_assert_int_eq(fputs("text", f) < 0 || fclose(f) != 0, 0);
    }
    ck_assert_int_eq(symlink("../out", "in/link") | symlink("file", "in/near") | chdir("in"), 0);
}

static bool opens(const char *below)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s", home, below);
    int file = ncs_allowed_open(path);
    if (file >= 0)
        close(file);
    return file >= 0;
}

START_TEST(below_the_working_directory)
{
    struct ncs_str text = { 0 };
    char path[128];
    make_folders();
    ck_assert(opens("/in/file"));
    snprintf(path, sizeof path, "%s/in/file", home);
    ck_assert(ncs_allowed_read(path, 100, &text, NULL) && text.bytes == 4);
    ncs_str_free(&text);
    ck_assert(!ncs_allowed_read(path, 3, &text, NULL));
    ncs_str_free(&text);
    ck_assert(!opens("/in/none") && errno == ENOENT);
    ck_assert(!opens("/out/file") && errno == EACCES);
    ck_assert(!opens("/in/../out/file") && !opens("/in/link/file") && !opens("/in/near") && !opens("/in") && !opens("/in2/file"));
    ck_assert_int_lt(ncs_allowed_open("in/file"), 0);
    ck_assert_int_lt(ncs_allowed_open("/proc/self/environ"), 0);
    ncs_allow_folder("../out");
    ck_assert(opens("/out/file") && opens("/in/file") && !opens("/out/../in/near"));
    ncs_allow_folder("/");
    ck_assert_int_lt(ncs_allowed_open("/proc/self/environ"), 0);
    ck_assert_int_eq(unlink("file") | unlink("link") | unlink("near") | unlink("../out/file"), 0);
    ck_assert_int_eq(
        chdir("/") | rmdir(strcat(strcpy(path, home), "/in")) | rmdir(strcat(strcpy(path, home), "/out")) | rmdir(home), 0);
}
END_TEST

NCS_TEST_MAIN("allowed", below_the_working_directory)
