#include "base/interpreter.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* OWN_BYTES, OWN_WORDS: how much of a command line is read. A script is among the first words. */
enum { OWN_BYTES = 16384, OWN_WORDS = 256 };

static const char *const interpreter_shells[] = { "sh", "bash", "dash", "ksh", "zsh", NULL };
static const char *const interpreter_launchers[] = { "torchrun", "torch.distributed.run", "torch.distributed.launch", NULL };

static const char *interpreter_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool interpreter_is_any(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* "python", "python3", "python3.12": digits and points may follow. */
static bool interpreter_is_python(const char *name)
{
    size_t bytes = strncmp(name, "python", 6) == 0 ? 6 : strncmp(name, "pypy", 4) == 0 ? 4 : 0;
    return bytes > 0 && name[bytes + strspn(name + bytes, "0123456789.")] == '\0';
}

/* The options of torchrun that take no value (PyTorch 2.7, torch/distributed/run.py). All others take one, after `=` or as the
 * next word. */
static bool interpreter_is_torchrun_flag(const char *word)
{
    static const char *const flags[] = { "--standalone", "-m",        "--module",  "--no-python", "--no_python", "--run-path",
                                         "--run_path",   "--use-env", "--use_env", "-h",          "--help",      NULL };
    return interpreter_is_any(word, flags);
}

static char *const *interpreter_after_torchrun(char *const *word)
{
    while (*word && (*word)[0] == '-') {
        bool alone = strchr(*word, '=') || interpreter_is_torchrun_flag(*word);
        word += alone || !word[1] ? 1 : 2;
    }
    return *word ? word : NULL;
}

/* Short options may share a word: -um is -u and -m, -Wignore is -W with its value. NULL: there is no script. */
static char *const *interpreter_after_python(char *const *word, bool *is_module)
{
    for (; *word && (*word)[0] == '-'; word++) {
        if (strcmp(*word, "--check-hash-based-pycs") == 0 && word[1])
            word++;
        if ((*word)[1] == '-')
            continue;
        if ((*word)[1] == '\0')
            return NULL; /* the script is standard input */
        const char *option = *word + 1 + strcspn(*word + 1, "cmWX");
        if (*option == 'c')
            return NULL;
        if (*option == 'm') {
            *is_module = true;
            return word[1] && !option[1] ? word + 1 : NULL;
        }
        if (*option && !option[1] && word[1])
            word++; /* -W and -X take a value */
    }
    return *word ? word : NULL;
}

static char *const *interpreter_after_shell(char *const *word)
{
    static const char *const valued[] = { "-o", "+o", "-O", "+O", "--rcfile", "--init-file", NULL };
    for (; *word && ((*word)[0] == '-' || (*word)[0] == '+'); word++) {
        if ((*word)[1] != '-' && strchr(*word, 'c'))
            return NULL;
        if (interpreter_is_any(*word, valued) && word[1])
            word++;
    }
    return *word ? word : NULL;
}

const char *ncs_interpreter_script(char *const *argv)
{
    const char *name = argv[0] ? argv[0] : "";
    while (argv && argv[0]) { /* torchrun is itself a script of Python */
        const char *base = interpreter_base(argv[0]);
        bool is_module = false;
        name = argv[0];
        if (interpreter_is_any(base, interpreter_launchers))
            argv = interpreter_after_torchrun(argv + 1);
        else if (interpreter_is_python(base))
            argv = interpreter_after_python(argv + 1, &is_module);
        else if (interpreter_is_any(base, interpreter_shells))
            argv = interpreter_after_shell(argv + 1);
        else
            return name;
        if (is_module && argv && !interpreter_is_any(argv[0], interpreter_launchers))
            return argv[0];
    }
    return name;
}

static bool interpreter_is_one(const char *name)
{
    return interpreter_is_python(name) || interpreter_is_any(name, interpreter_shells) ||
           interpreter_is_any(name, interpreter_launchers);
}

bool ncs_interpreter_script_of(int process, char *out, size_t room)
{
    char text[OWN_BYTES], path[64], *word[OWN_WORDS + 1];
    size_t bytes = 0, words = 0;
    snprintf(path, sizeof path, "/proc/%d/cmdline", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    out[0] = '\0';
    if (fd < 0)
        return false;
    for (ssize_t got; bytes < sizeof text - 1 && (got = read(fd, text + bytes, sizeof text - 1 - bytes)) > 0;)
        bytes += (size_t)got;
    close(fd);
    text[bytes] = '\0';
    for (size_t at = 0; at < bytes && words < OWN_WORDS; at += strlen(text + at) + 1)
        word[words++] = text + at;
    word[words] = NULL;
    if (!words)
        return false;
    const char *script = ncs_interpreter_script(word);
    snprintf(out, room, "%s", script);
    return !interpreter_is_one(interpreter_base(script));
}

void ncs_interpreter_own_script(char *out, size_t room)
{
    ncs_interpreter_script_of((int)getpid(), out, room);
}
