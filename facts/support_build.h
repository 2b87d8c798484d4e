/* support_build.h: the parts of support.c, by kind of name.
 *
 * Those that return a bool leave *verdict alone and return false when the tables do not have the
 * name. Texts are in the arena, which also remembers that memory ran out. The query is complete.
 */
#ifndef FH_FACTS_SUPPORT_BUILD_H
#define FH_FACTS_SUPPORT_BUILD_H

#include "facts/api.h"
#include "facts/support.h"

/* A public name of torch. */
fh_verdict fh_support_of_api(const fh_support_query *query, const fh_api *api, fh_arena *arena);

/* One overload, or one operator of torch_npu: aten::addmm.out, npu::npu_rms_norm. */
bool fh_support_of_overload(const fh_support_query *query, fh_text name, fh_arena *arena,
                            fh_verdict *verdict);

/* torch_npu.npu_rms_norm or torch.npu.empty_cache; npu_rms_norm alone. */
bool fh_support_of_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                             fh_verdict *verdict);
bool fh_support_of_bare_torch_npu(const fh_support_query *query, fh_text name, fh_arena *arena,
                                  fh_verdict *verdict);

/* A package of somebody else's, or something in it: flash_attn.flash_attn_func. */
bool fh_support_of_package(fh_text name, fh_arena *arena, fh_verdict *verdict);

/* Moves the text of a buffer to the arena and clears the buffer. */
fh_text fh_support_keep(fh_arena *arena, fh_buffer *buffer);

#endif
