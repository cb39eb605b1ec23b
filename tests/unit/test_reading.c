/* Files as text: read within their limit, written whole or not at all; and which notation a
 * scenario's text is in. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "script/script.h"

static char folder[] = "/tmp/ncs_reading_XXXXXX";
static char path[64];
static struct ncs_error err;

static void begin(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
}

static void end(void)
{
    remove(path);
    ck_assert_msg(rmdir(folder) == 0, "something is left in %s", folder);
}

static void holds(const char *text)
{
    struct ncs_str got = { 0 };
    ck_assert_msg(ncs_file_read(path, 100, "a file", &got, &err), "%s", err.text);
    ck_assert_str_eq(got.text, text);
    ncs_str_free(&got);
}

START_TEST(test_files)
{
    struct ncs_str text = { 0 };
    begin();
    ck_assert(!ncs_file_read(path, 100, "a file", &text, &err));
    ck_assert_str_eq(err.text, "cannot be opened: No such file or directory");
    ck_assert_str_eq(err.file, path);
    ck_assert(ncs_file_write(path, "one", 3, false, &err));
    holds("one");
    ck_assert(!ncs_file_write(path, "two", 3, false, &err));
    ck_assert_str_eq(err.text, "exists already");
    holds("one");
    ck_assert(ncs_file_write(path, "two", 3, true, &err));
    holds("two");
    ck_assert(ncs_file_write(path, "", 0, true, &err));
    holds("");
    ck_assert(!ncs_file_read(folder, 100, "a file", &text, &err));
    ck_assert_str_eq(err.text, "is a folder, expected a file");
    ck_assert(!ncs_file_write(folder, "x", 1, true, &err));
    ck_assert_str_eq(err.text, "cannot be written: Is a directory");
    ck_assert(!ncs_file_write("/nowhere/a", "x", 1, true, &err));
    ck_assert_str_eq(err.text, "cannot be written: No such file or directory");
    ck_assert(!ncs_file_write("/dev/full", "x", 1, false, &err));
    ck_assert_str_eq(err.text, "cannot be written: No space left on device");
    ck_assert(ncs_file_write("/dev/null", "x", 1, false, &err));
    ncs_str_free(&text);
    end();
}
END_TEST

/* A file system without links is one whose link() fails so. */
static int no_links;

int link(const char *from, const char *to)
{
    if (!no_links)
        return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
    errno = no_links;
    return -1;
}

START_TEST(test_files_without_links)
{
    static const int errors[] = { EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EACCES };
    begin();
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        no_links = errors[i];
        ck_assert_msg(ncs_file_write(path, "one", 3, false, &err), "%s", err.text);
        holds("one");
        ck_assert(!ncs_file_write(path, "two", 3, false, &err));
        ck_assert_str_eq(err.text, "exists already");
        holds("one");
        no_links = 0;
        remove(path);
    }
    end();
}
END_TEST

START_TEST(test_long_files)
{
    struct ncs_str text = { 0 };
    begin();
    ck_assert(ncs_file_write(path, "0123456789", 10, false, &err));
    ck_assert(ncs_file_read(path, 10, "a file", &text, &err));
    ck_assert(!ncs_file_read(path, 9, "a file", &text, &err));
    ck_assert_str_eq(err.text, "the file is longer than 9 B");
    ck_assert_str_eq(text.text, "0123456789");
    ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
    ck_assert(!ncs_file_read(path, (size_t)1 << 20, "a file", &text, &err));
    ck_assert_str_eq(err.text, "the file is longer than 1 MiB");
    ck_assert(!ncs_file_read("/dev/zero", (size_t)1 << 20, "a file", &text, &err));
    ck_assert_str_eq(err.text, "the file is longer than 1 MiB");
    ncs_str_free(&text);
    end();
}
END_TEST

/* The thing at folder/a: `refusal` is the message about it, NULL = it is read and holds "in". */
static void stays_within(const char *refusal)
{
    struct ncs_str text = { 0 };
    bool ok = ncs_file_read_within(path, 100, "a file", &text, &err);
    ck_assert_str_eq(ok ? text.text : err.text, refusal ? refusal : "in");
    if (!ok)
        ck_assert_str_eq(err.file, path);
    ncs_str_free(&text);
    ck_assert_int_eq(remove(path), 0);
}

static void link_to(const char *target)
{
    ck_assert_int_eq(symlink(target, path), 0);
}

START_TEST(test_links_out_of_a_folder)
{
    static const char out[] = "is a link that leads out of the folder", odd[] = "is no regular file, expected a file";
    char inner[80], inside[96], outside[80];
    begin();
    snprintf(inner, sizeof inner, "%s/inner", folder);
    snprintf(inside, sizeof inside, "%s/inner/b", folder);
    snprintf(outside, sizeof outside, "%sx", folder); /* a name that begins as the folder's */
    ck_assert_int_eq(mkdir(inner, 0700), 0);
    ck_assert(ncs_file_write(inside, "in", 2, false, &err));
    ck_assert(ncs_file_write(outside, "out", 3, false, &err));

    ck_assert(ncs_file_write(path, "in", 2, false, &err));
    stays_within(NULL);
    link_to("inner/b");
    stays_within(NULL);
    link_to(inside);
    stays_within(NULL);
    link_to(outside);
    stays_within(out);
    link_to("inner/../../../etc/passwd");
    stays_within(out);
    link_to("/proc/self/environ");
    stays_within(out);
    link_to("/proc/self/fd/0");
    ck_assert(!ncs_file_read_within(path, 100, "a file", NULL, &err));
    ck_assert_int_eq(remove(path), 0);
    link_to("/dev/zero");
    stays_within(odd);
    link_to("inner");
    stays_within("is a folder, expected a file");
    link_to("a");
    stays_within("cannot be opened: Too many levels of symbolic links");
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* to which nobody will ever write */
    stays_within(odd);
    ck_assert(ncs_file_write(path, "in", 2, false, &err));
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() != 0)
        stays_within("cannot be opened: Permission denied");
    else
        stays_within(NULL);

    remove(inside);
    rmdir(inner);
    remove(outside);
    end();
}
END_TEST

/* The folder may be reached by a link, and be the one that the process is in. */
START_TEST(test_folders_by_links)
{
    struct ncs_str text = { 0 };
    char other[64], there[80];
    begin();
    ck_assert(ncs_file_write(path, "in", 2, false, &err));
    snprintf(other, sizeof other, "%s_link", folder);
    snprintf(there, sizeof there, "%s/a", other);
    ck_assert_int_eq(symlink(folder, other), 0);
    ck_assert_msg(ncs_file_read_within(there, 100, "a file", &text, &err), "%s", err.text);
    ck_assert_int_eq(chdir(other), 0);
    ck_assert_msg(ncs_file_read_within("a", 100, "a file", &text, &err), "%s", err.text);
    ck_assert_str_eq(text.text, "inin");
    ck_assert(!ncs_file_read_within("a", 1, "a file", &text, &err));
    ck_assert_str_eq(err.text, "the file is longer than 1 B");
    ncs_str_free(&text);
    remove(other);
    end();
}
END_TEST

START_TEST(test_permissions)
{
    struct stat about;
    begin();
    mode_t mask = umask(027);
    ck_assert(ncs_file_write(path, "x", 1, false, &err));
    umask(mask);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0640);
    end();
}
END_TEST

START_TEST(test_notations)
{
    static const char *const yaml[] = {
        "steps:\n",
        "steps:",
        "ranks: 2\nsteps :\t\n",
        "# x\r\n\"steps\": []\r\n",
        "'steps': 1",
        "\xef\xbb\xbfscenario: x\n",
        "a:\n  b: 1\nscenario: >\n",
    };
    static const char *const other[] = {
        "",
        "  steps:\n",
        "step:\n",
        "stepsize: 1\n",
        "steps\n:",
        "\"steps: 1\n",
        "'steps\": 1\n",
        "steps = 1\n",
        "steps:sync()\n",
        "scenario { ranks = 2 }\n",
        "jobs:\n  steps:\n",
        "-- steps:\n",
    };
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++)
        ck_assert_msg(ncs_reading_looks_yaml(yaml[i], strlen(yaml[i])), "%s", yaml[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ck_assert_msg(!ncs_reading_looks_yaml(other[i], strlen(other[i])), "%s", other[i]);
}
END_TEST

static void is_yaml(const char *name, const char *text, bool yaml)
{
    struct ncs_reading r = { 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_msg(ncs_file_write(path, text, strlen(text), false, &err), "%s", err.text);
    ck_assert_msg(ncs_reading_open(&r, path, &err), "%s", err.text);
    ck_assert_msg(r.yaml == yaml, "%s", name);
    ck_assert_str_eq(r.text.text, text);
    ncs_reading_close(&r);
    remove(path);
}

START_TEST(test_notation_of_a_file)
{
    begin();
    is_yaml("a.yaml", "x = 1", true);
    is_yaml("a.yml", "x = 1", true);
    is_yaml("a.lua", "steps:\n", false);
    is_yaml("a", "steps:\n", true);
    is_yaml("a.txt", "local steps = 1", false);
    end();
}
END_TEST

NCS_TEST_MAIN("reading", test_files, test_files_without_links, test_long_files, test_links_out_of_a_folder, test_folders_by_links,
              test_permissions, test_notations, test_notation_of_a_file)
