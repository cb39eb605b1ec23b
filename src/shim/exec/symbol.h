/* Names of addresses in code, from the symbols of its files. */
#ifndef NCS_EXEC_SYMBOL_H
#define NCS_EXEC_SYMBOL_H

/* "train_step+0x1a2", or the file's "train+0x4711" if no symbol is known. Plain characters only; the
 * caller frees it. module: the file whose symbols have the address; NULL = it is an address in this process. */
char *ncs_symbol_name(const char *module, void *address);

#endif
