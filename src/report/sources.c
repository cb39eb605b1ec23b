#include "report/sources.h"

#include <string.h>
#include <unistd.h>

#include "base/allowed.h"
#include "base/file.h"
#include "base/mem.h"

size_t ncs_sources_find(struct ncs_sources *s, const char *name)
{
    size_t i = 0;
    while (i < s->files && strcmp(s->file[i].name, name) != 0)
        i++;
    if (i == s->files)
        NCS_PUSH(s->file, s->files, s->room, (struct ncs_source_file){ .name = name });
    return i;
}

/* `strange`: a recording names the file. `own`: the run has read it, so a report that cannot quote it has to say why, unless it is
 * no file: lines typed at the prompt. Sources of a program are often on another machine; only a lack of means is worth a word there. */
static void read_source(struct ncs_source_file *f, bool strange, bool own)
{
    struct ncs_str text = { 0 };
    struct ncs_error why = { 0 };
    if (strange ? !ncs_allowed_read(f->name, NCS_FILE_LIMIT, &text, &why)
                : !ncs_file_read(f->name, NCS_FILE_LIMIT, "a scenario", &text, &why)) {
        if (why.status == NCS_NO_MEMORY || (own && access(f->name, F_OK) == 0))
            f->unread = ncs_copy_text(why.text);
        ncs_str_free(&text);
        return;
    }
    size_t bytes = text.bytes;
    if (own && bytes == 0) /* a pipe, as of a shell's `<(...)`, gives its text once */
        f->unread = ncs_copy_text("it is empty now");
    f->text = ncs_str_take(&text);
    ncs_source_init(&f->source, f->name, f->text, bytes);
}

struct ncs_sources *ncs_sources_open(const struct ncs_report_run *run)
{
    const char *own = run->scenario ? run->scenario->file : NULL;
    const struct ncs_result *r = run->result;
    struct ncs_sources *s = ncs_new(sizeof *s);
    const char *last = NULL;
    s->strange = run->origin != NULL;
    if (!own || run->origin || run->places || strcmp(own, "-") == 0)
        return s;
    ncs_sources_find(s, own);
    for (const struct ncs_call *c = r->journal ? r->journal->oldest : NULL; c; c = c->newer)
        if (c->place.file && c->place.file != last)
            ncs_sources_find(s, last = c->place.file);
    for (size_t i = 0; i < r->errors; i++)
        if (r->error[i].place.file)
            ncs_sources_find(s, r->error[i].place.file);
    for (size_t i = 0; i < s->files; i++)
        read_source(&s->file[i], false, true);
    return s;
}

struct ncs_source_file *ncs_sources_read(struct ncs_sources *s, const char *path)
{
    size_t known = s->files, i = ncs_sources_find(s, path);
    if (i == known)
        read_source(&s->file[i], s->strange, false);
    return &s->file[i];
}

void ncs_sources_free(struct ncs_sources *s)
{
    for (size_t i = 0; s && i < s->files; i++) {
        if (s->file[i].text)
            ncs_source_free(&s->file[i].source);
        ncs_free(s->file[i].text);
        ncs_free(s->file[i].unread);
    }
    if (s)
        ncs_free(s->file);
    ncs_free(s);
}
