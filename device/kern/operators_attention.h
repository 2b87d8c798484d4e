/* operators_attention.h: attention, in the order of the aclnn calls that it serves.
 *
 * Layouts are BSH, SBH, BNSD and BSND. A tensor that is not wanted is absent or
 * has no elements. Query heads may be a multiple of key heads. A row that masks
 * hide wholly gives 0, and gradients of 0. sparse_mode 0 and 1 read atten_mask;
 * 2 (causal from the upper left), 3 (from the lower right) and 4 (a band) are
 * computed, since their mask is always the same triangle.
 */
#ifndef FH_KERN_OPERATORS_ATTENTION_H
#define FH_KERN_OPERATORS_ATTENTION_H

#include "device/kern/argument.h"

fh_kernel fh_op_flash_attention; /* query, key, value, pse, drop_mask, padding_mask, atten_mask,
                                    prefix, scale, keep_prob, pre_tokens, next_tokens, heads,
                                    layout, inner_precise, sparse_mode, softmax_max, softmax_sum,
                                    softmax_out, out: aclnnFlashAttentionScore */
fh_kernel fh_op_flash_attention_grad;  /* query, key, value, dy, pse, drop_mask, padding_mask,
                                          atten_mask, softmax_max, softmax_sum, softmax, out,
                                          prefix, scale, keep_prob, pre_tokens, next_tokens, heads,
                                          layout, inner_precise, sparse_mode, dq, dk, dv, dpse:
                                          aclnnFlashAttentionScoreGrad */
fh_kernel fh_op_prompt_attention;      /* query, key, value, pse, atten_mask, lengths, kv_lengths,
                                          5 quantisation tensors, heads, scale, pre_tokens,
                                          next_tokens, layout, kv_heads, sparse_mode, inner_precise,
                                          out: aclnnPromptFlashAttentionV3 */
fh_kernel fh_op_incre_attention;       /* query, keys, values, pse, atten_mask, kv_lengths,
                                          5 + 2 quantisation tensors, block_table, kv_padding, heads,
                                          scale, layout, kv_heads, block_size, inner_precise, out:
                                          aclnnIncreFlashAttentionV4 */
fh_kernel fh_op_fused_infer_attention; /* query, keys, values, pse, atten_mask, lengths,
                                          kv_lengths, 17 tensors and lists of quantisation,
                                          paging and prefixes (absent), heads, scale, pre_tokens,
                                          next_tokens, layout, kv_heads, sparse_mode,
                                          inner_precise, block_size, antiquant_mode, lse_flag,
                                          key mode, value mode, out, lse:
                                          aclnnFusedInferAttentionScoreV2 */
fh_kernel fh_op_fused_infer_attention_rope; /* the same with query_rope, key_rope and their scale
                                               before heads: aclnnFusedInferAttentionScoreV3 */

#endif
