/* Room prompt: what a text before the cursor can become. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "harness.h"
#include "prompt/prompt.h"

static char folder[] = "/tmp/ncclscript-complete-XXXXXX";

static void on_text(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

static void on_word(void *arg, const char *word)
{
    ncs_str_addf(arg, "%s ", word);
}

static int by_letter(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The words offered for a text, in order; *from = where they begin. */
static void offered(const char *text, size_t *from, char *out, size_t room)
{
    struct ncs_prompt_options options = { .settings = { .ranks = 2, .policy = -1 }, .out = on_text };
    struct ncs_error err = { 0 };
    struct ncs_str words = { 0 };
    struct ncs_prompt *p = ncs_prompt_new(&options, &err);
    ck_assert_ptr_nonnull(p);
    ncs_str_add(&words, "");
    ncs_prompt_complete(p, text, strlen(text), from, on_word, &words);
    ncs_prompt_free(p);
    char *word[512];
    size_t count = 0;
    for (char *at = strtok(words.text, " "); at && count < 512; at = strtok(NULL, " "))
        word[count++] = at;
    qsort(word, count, sizeof *word, by_letter);
    *out = 0;
    for (size_t i = 0; i < count; i++)
        snprintf(out + strlen(out), room - strlen(out), "%s%s", i ? " " : "", word[i]);
    ncs_str_free(&words);
}

static void offers(const char *text, size_t begin, const char *want)
{
    char got[4096];
    size_t from = 0;
    offered(text, &from, got, sizeof got);
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(from, begin);
}

static void make_file(const char *name)
{
    struct ncs_error err = { 0 };
    ck_assert(ncs_file_write(name, "x", 1, false, &err));
}

START_TEST(files_of_load_and_save)
{
    static const char folder_made[] = "hangs";
    static const char *const made[] = { "hang.lua", "hang.yaml", "hang.txt", ".hidden.lua", "hangs/one.yml", folder_made };
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir(folder_made, 0700), 0);
    for (size_t i = 0; made[i] != folder_made; i++)
        make_file(made[i]);
    offers(":load ha", 6, "hang.lua hang.yaml hangs/");
    offers(":load ", 6, "hang.lua hang.yaml hangs/");
    offers(":save hang.l", 6, "hang.lua");
    offers(":load .h", 6, ".hidden.lua");
    offers(":load hangs/", 12, "one.yml");
    offers(":load hangs/o", 12, "one.yml");
    offers(":load nowhere/o", 14, "");
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ck_assert_int_eq(remove(made[i]), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(commands_and_their_words)
{
    offers(":dr", 1, "draw");
    offers(":draw ", 6, "all steps tree");
    offers(":policy t", 8, "typical");
    offers(":fault ki", 7, "kill");
}
END_TEST

START_TEST(names_and_options)
{
    offers("world:all_r", 6, "all_reduce");
    offers("world:broadcast(x, { ro", 21, "root");
    offers("cuda.buffer(\"bfl", 13, "bfloat16");
}
END_TEST

NCS_TEST_MAIN("complete", files_of_load_and_save, commands_and_their_words, names_and_options)
