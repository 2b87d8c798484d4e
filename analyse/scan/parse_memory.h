/* parse_memory.h: where tree-sitter gets its memory from.
 *
 * A parse allocates a dozen small blocks for every line and gives most of them
 * back at once. Here they come from one region that belongs to the parse: a
 * block is taken from a list of its size, and when the parse is over the region
 * is emptied as a whole, so that no tree has to be taken apart.
 *
 * Tree-sitter ends the program when memory runs out; here that ends the parse.
 * In builds with the address sanitizer blocks are fenced off as malloc's are.
 */
#ifndef FH_SCAN_PARSE_MEMORY_H
#define FH_SCAN_PARSE_MEMORY_H

#include <stdbool.h>

/* One region, for one thread at a time. */
typedef struct fh_parse_memory fh_parse_memory;
fh_parse_memory *fh_parse_memory_create(void); /* NULL when memory ran out */
void fh_parse_memory_destroy(fh_parse_memory *memory);

/* Calls work(data). All that tree-sitter allocates on this thread meanwhile (parsers, trees,
 * cursors) is gone when this returns: `work` copies what it needs and deletes nothing. Returns
 * false when memory ran out; `work` was left in the middle then, so it owns nothing but `data`.
 * Must not be nested. */
bool fh_parse_memory_run(fh_parse_memory *memory, void (*work)(void *data), void *data);

#endif
