/* Shared by the files that make sentences and their text. Private to this room. */
#ifndef NCS_WORDS_SENTENCE_H
#define NCS_WORDS_SENTENCE_H

#include "base/str.h"
#include "words/words.h"

void ncs_sentence_render(struct ncs_sentence *s, struct ncs_naming *naming); /* makes the text anew */

#endif
