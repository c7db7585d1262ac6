/*
 * C interface of hrry, a codec for the Hurray tensor format: a decoder that is given a stream in pieces of any
 * size, and an encoder of descriptors. All memory comes from the caller.
 *
 * Pointers are checked for null and alignment, lengths for what an object can have, and what must be apart for
 * overlaps; a status says what is wrong. That memory is there, as large and as long as the texts below say, is the
 * caller's promise. A pointer that is null where a count or length is 0 is fine. Nothing allocates, nothing unwinds.
 *
 * Made by bindings/c/header from bindings/c/src; changes belong there. docs/c.md says how to build and link.
*/

#ifndef HRRY_H
#define HRRY_H

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX > 0xFFFFFFFFu
#define HRRY_POINTER_64
#else
#define HRRY_POINTER_32
#endif


// The version of this interface; it rises with every change that a compiled program could notice.
#define HRRY_C_ABI_VERSION 1

// All went well.
#define HRRY_OK 0

// The bytes are no descriptor (DESC-02).
#define HRRY_ERR_INVALID_MAGIC -1

// A major version that cannot be read (VER rules).
#define HRRY_ERR_VERSION_MISMATCH -2

// A LAYOUT rule is broken.
#define HRRY_ERR_INVALID_LAYOUT -3

// A TYPE rule is broken.
#define HRRY_ERR_INVALID_TYPE -4

// The output, or the memory for a handle, is too short.
#define HRRY_ERR_BUFFER_TOO_SMALL -5

// A pointer that must not be null is.
#define HRRY_ERR_NULL_POINTER -6

// Named by the specification; never returned, because nothing here panics.
#define HRRY_ERR_INTERNAL_PANIC -7

// There is no such dimension or buffer.
#define HRRY_ERR_INDEX_OUT_OF_BOUNDS -8

// The sync mode of a buffer breaks a rule (BUF-11, BUF-12, BUF-19).
#define HRRY_ERR_INVALID_SYNC_MODE -9

// A pointer is not aligned for what it points to.
#define HRRY_ERR_MISALIGNED -16

// A length is more than an object can have (PTRDIFF_MAX bytes), or leads past the end of memory.
#define HRRY_ERR_TOO_LONG -17

// Memory that must be apart overlaps.
#define HRRY_ERR_OVERLAP -18

// The handle is not initialised, was closed, or is a copy of one that was elsewhere.
#define HRRY_ERR_NO_HANDLE -19

// No tensor is being read: there is no current descriptor.
#define HRRY_ERR_NO_DESCRIPTOR -20

// The descriptor has no such section, or another layout.
#define HRRY_ERR_ABSENT -21

// A number of a structure is none of its constants, or parts of it contradict each other. `field` of a `hrry_error`
// names the field of the descriptor at fault: `layout_tag` where the layout was forgotten or cannot be written,
// `strides` and `composition_rule` where they are given for another layout, `scheme_tag`, `member_role`,
// `handle.reserved` with the buffer as `index`, or `composite.reserved`. A policy has no such fields.
#define HRRY_ERR_INVALID_ARGUMENT -22

// Another rule of descriptors is broken (DESC, BUF, QUANT, SHARD, STAT, EXT, MEMBER).
#define HRRY_ERR_INVALID_DESCRIPTOR -32

// A rule of composites is broken (COMP).
#define HRRY_ERR_INVALID_COMPOSITE -33

// A rule of streams is broken (STREAM).
#define HRRY_ERR_INVALID_STREAM -34

// The input ended inside a descriptor or buffer.
#define HRRY_ERR_TRUNCATED -35

// The input ended inside a composite.
#define HRRY_ERR_TORN -36

// The frame, the arena or a ceiling is too small for the input, which may be valid.
#define HRRY_ERR_CAPACITY -37

// `element_type`.
#define HRRY_TYPE_FLOAT16 1

#define HRRY_TYPE_BFLOAT16 2

#define HRRY_TYPE_FLOAT32 3

#define HRRY_TYPE_FLOAT64 4

#define HRRY_TYPE_INT8 16

#define HRRY_TYPE_UINT8 17

#define HRRY_TYPE_INT16 18

#define HRRY_TYPE_UINT16 19

#define HRRY_TYPE_INT32 20

#define HRRY_TYPE_UINT32 21

#define HRRY_TYPE_INT64 22

#define HRRY_TYPE_UINT64 23

#define HRRY_TYPE_BOOL 32

#define HRRY_TYPE_FLOAT8_E4M3 64

#define HRRY_TYPE_FLOAT8_E5M2 65

#define HRRY_TYPE_FLOAT8_E8M0 66

#define HRRY_TYPE_FLOAT4_E2M1 67

#define HRRY_TYPE_FLOAT6_E2M3 68

#define HRRY_TYPE_FLOAT6_E3M2 69

#define HRRY_TYPE_FLOAT128 70

#define HRRY_TYPE_INT4 72

#define HRRY_TYPE_UINT4 73

#define HRRY_TYPE_INT2 74

#define HRRY_TYPE_UINT2 75

#define HRRY_TYPE_COMPLEX64 80

#define HRRY_TYPE_COMPLEX128 81

// `layout`.
#define HRRY_LAYOUT_ROW_MAJOR 1

#define HRRY_LAYOUT_COL_MAJOR 2

#define HRRY_LAYOUT_STRIDED 3

#define HRRY_LAYOUT_TILED 4

#define HRRY_LAYOUT_MORTON 5

#define HRRY_LAYOUT_COO 6

#define HRRY_LAYOUT_CSR 7

#define HRRY_LAYOUT_CSC 8

#define HRRY_LAYOUT_CSF 9

#define HRRY_LAYOUT_BLOCK_PAGED 10

#define HRRY_LAYOUT_COMPOSITE 11

#define HRRY_LAYOUT_HILBERT 64

// `device_tag`.
#define HRRY_DEVICE_CPU 0

#define HRRY_DEVICE_CUDA 1

#define HRRY_DEVICE_ROCM 2

#define HRRY_DEVICE_METAL 3

#define HRRY_DEVICE_VULKAN 4

#define HRRY_DEVICE_WEBGPU 5

#define HRRY_DEVICE_HEXAGON 6

#define HRRY_DEVICE_LEVEL_ZERO 7

#define HRRY_DEVICE_OPENCL 8

// `memory_class`.
#define HRRY_MEMORY_STANDARD 0

#define HRRY_MEMORY_HOST_PINNED 1

#define HRRY_MEMORY_UNIFIED 2

#define HRRY_MEMORY_PEER 3

// `sync_mode`.
#define HRRY_SYNC_PRODUCER_SYNCED 0

#define HRRY_SYNC_EVENT 1

#define HRRY_SYNC_CONSUMER_STREAM 2

// `scheme` of a quantization.
#define HRRY_SCHEME_PER_TENSOR_AFFINE 1

#define HRRY_SCHEME_PER_CHANNEL_AFFINE 2

#define HRRY_SCHEME_PER_BLOCK_AFFINE 3

#define HRRY_SCHEME_NF4 4

#define HRRY_SCHEME_MXFP 5

// `composition_rule`.
#define HRRY_RULE_PARTITION 1

#define HRRY_RULE_OVERLAY 2

#define HRRY_RULE_GROUP 3

// `combine_op`.
#define HRRY_COMBINE_NONE 0

#define HRRY_COMBINE_REPLACE 1

#define HRRY_COMBINE_ADD 2

// `member_role`.
#define HRRY_ROLE_CORRECTION 0

#define HRRY_ROLE_BASE 1

// Flag of the per-channel and per-block schemes: every zero point is 0.
#define HRRY_SYMMETRIC 1

// Every rule holds.
#define HRRY_MODE_STRICT 0

// Rules that `docs/rules.md` relaxes are relaxed.
#define HRRY_MODE_PERMISSIVE 1

// One machine: every sync mode is possible.
#define HRRY_TRANSPORT_LOCAL 0

// Between machines: buffers are synchronised by their producer.
#define HRRY_TRANSPORT_CROSS_MACHINE 1

// No error.
#define HRRY_ERROR_NONE 0

// The bytes break a rule.
#define HRRY_ERROR_RULE 1

// Two members of a partition overlap: `index` and, in the order of their arrival, one of `amounts[0]` to
// `amounts[1]`.
#define HRRY_ERROR_OVERLAP 2

// Something is too small, `index` says what (HRRY_RESOURCE_): `amounts[0]` are needed, `amounts[1]` there.
#define HRRY_ERROR_CAPACITY 3

// The input ended inside a descriptor or buffer: `amounts[0]` bytes are missing.
#define HRRY_ERROR_TRUNCATED 4

// The input ended inside the composite at level `index`: `amounts[0]` members were announced, `amounts[1]` arrived.
#define HRRY_ERROR_TORN 5

// Bytes of the frame, or the ceiling `max_descriptor`.
#define HRRY_RESOURCE_FRAME 0

// The ceiling `max_buffer`.
#define HRRY_RESOURCE_BUFFER 1

// The ceiling `max_members`.
#define HRRY_RESOURCE_MEMBERS 2

// Words of the arena.
#define HRRY_RESOURCE_ARENA 3

// Positions, which end at 2^64 - 1.
#define HRRY_RESOURCE_POSITION 5

// `field` of an error that names none.
#define HRRY_NO_FIELD 4294967295

// The input is used up; give more, or finish.
#define HRRY_EVENT_NEED_MORE 0

// A whole, checked descriptor, and its place in a composite.
#define HRRY_EVENT_DESCRIPTOR 1

// Bytes of a buffer.
#define HRRY_EVENT_PAYLOAD 2

// All buffers of the tensor are there; what that closes.
#define HRRY_EVENT_TENSOR_END 3

// A tensor outside every composite.
#define HRRY_OUTCOME_PLAIN 0

// A head: `members` items follow and belong to it.
#define HRRY_OUTCOME_OPENED 1

// A tensor in a composite that goes on.
#define HRRY_OUTCOME_MEMBER 2

// The end of an item that was the last member of `levels` composites.
#define HRRY_OUTCOME_CLOSED 3

// `index` of a composite that is in no other.
#define HRRY_NO_INDEX 4294967295

#if defined(HRRY_POINTER_64)
// 64-bit words of a handle.
#define HRRY_DECODER_WORDS 72
#endif

#if defined(HRRY_POINTER_32)
// 64-bit words of a handle.
#define HRRY_DECODER_WORDS 64
#endif

// Bytes that are enough for a handle. `hrry_decoder_size` says how many the library that is linked takes.
#define HRRY_DECODER_SIZE (HRRY_DECODER_WORDS * 8)

// An alignment that is enough for a handle.
#define HRRY_DECODER_ALIGN 8

// A dimension that is not known yet.
#define HRRY_DYNAMIC 18446744073709551615ull

// `zero_point_buffer_index` of a scheme without zero points.
#define HRRY_NO_BUFFER 4294967295

// 0, or what went wrong. -1 to -7 are the numbers that the specification gives; the others are this interface's own.
typedef int32_t hrry_status;

// A decoder of one stream, and of the composites in it. The caller provides the memory and calls `hrry_decoder_init`; to
// give it up, it calls `hrry_decoder_close` or nothing at all.
//
// A decoder is used by one thread at a time, and where it was initialised: a copy elsewhere is no decoder.
typedef struct hrry_decoder {
  // Nothing that a caller looks at.
  uint64_t opaque[HRRY_DECODER_WORDS];
} hrry_decoder;

// The choices of a reader or writer. All zeros, as a null pointer, means strict, local, without ceilings. Private
// values have no meaning through this interface.
typedef struct hrry_policy {
  // HRRY_MODE_.
  uint32_t mode;
  // HRRY_TRANSPORT_.
  uint32_t transport;
  // Longest descriptor that is read, in bytes; 0 for no ceiling.
  uint32_t max_descriptor;
  // Most members of one composite; 0 for no ceiling.
  uint32_t max_members;
  // Largest buffer that a stream may carry, in bytes; 0 for no ceiling.
  uint64_t max_buffer;
} hrry_policy;

// The place of an item among composites. What a kind does not name is 0.
typedef struct hrry_outcome {
  // HRRY_OUTCOME_.
  uint32_t kind;
  // Opened, member: levels that are open, a new one included.
  uint32_t depth;
  // Opened: items that follow and belong to it.
  uint32_t members;
  // Opened, member: its index in the composite around it, or HRRY_NO_INDEX.
  uint32_t index;
  // Closed: how many levels close.
  uint32_t levels;
  // Closed: 0 where the outermost of the composites that close is whole, and so all that it holds; or the first rule
  // that keeps it from being whole, which may have been broken in a member, earlier or now. Of the levels inside it
  // nothing more is told. Only permissive mode gets here with a rule.
  uint32_t broken_rule;
} hrry_outcome;

// What a call of `hrry_decoder_next` met. What a kind does not name is 0.
typedef struct hrry_event {
  // HRRY_EVENT_.
  uint32_t kind;
  // Payload: index in the buffer table.
  uint32_t buffer;
  // Payload: 1 if the buffer ends with these bytes.
  uint32_t last;
  // Descriptor, tensor end: the place among composites.
  struct hrry_outcome outcome;
  // Payload: place of the first byte in the buffer.
  uint64_t offset;
  // Payload: the bytes, in the input; they stay as long as the caller lets them.
  const uint8_t *bytes;
  // Payload: how many there are, at least one.
  size_t length;
} hrry_event;

// What is wrong, and where.
typedef struct hrry_error {
  // The status that came with it.
  hrry_status status;
  // HRRY_ERROR_.
  uint32_t kind;
  // The number of the broken rule, or 0. `hrry_rule_id` names it.
  uint32_t rule;
  // The number of the field at fault, also with HRRY_ERR_INVALID_ARGUMENT, or HRRY_NO_FIELD. `hrry_field_name` names
  // it.
  uint32_t field;
  // Which dimension, buffer, member, level or resource.
  uint32_t index;
  // Byte of the stream that the field at fault starts at, or where the input ended; 0 for what is written.
  uint64_t offset;
  // As the kind says.
  uint64_t amounts[2];
} hrry_error;

// The single fields of a descriptor.
typedef struct hrry_descriptor {
  // The encoded descriptor, in the frame: until the next call that is given the handle to change.
  const uint8_t *bytes;
  // How many bytes it has.
  size_t length;
  // Bytes from the start of buffer 0 to the first element.
  uint64_t byte_offset;
  // Which optional sections there are.
  uint32_t flags;
  // Number of dimensions, 0 to 64.
  uint32_t rank;
  // Number of buffers, 0 to 255.
  uint32_t buffer_count;
  // HRRY_TYPE_, or a private one.
  uint8_t element_type;
  // HRRY_LAYOUT_, or a private one.
  uint8_t layout;
  // HRRY_ROLE_, where `has_member_role` is 1.
  uint8_t member_role;
  // 1 for a member of an overlay.
  uint8_t has_member_role;
} hrry_descriptor;

// One entry of a buffer table.
typedef struct hrry_buffer {
  // Bytes; 0 for an empty buffer.
  uint64_t byte_size;
  // A power of two; at least 64 unless the buffer is empty.
  uint32_t alignment;
  // HRRY_DEVICE_, or a private one.
  uint8_t device_tag;
  // HRRY_SYNC_.
  uint8_t sync_mode;
  // HRRY_MEMORY_, or a private one.
  uint8_t memory_class;
  // 0; anything else is HRRY_ERR_INVALID_ARGUMENT.
  uint8_t reserved;
} hrry_buffer;

// A quantization scheme. What a scheme does not have is 0; NF4 and MXFP have the fields of the per-block scheme.
typedef struct hrry_quantization {
  // HRRY_SCHEME_, or a private one, of which nothing else is told.
  uint8_t scheme;
  // Per channel, per block: HRRY_TYPE_ of the scales.
  uint8_t scale_type;
  // HRRY_SYMMETRIC, per channel and per block.
  uint16_t flags;
  // Per tensor.
  float scale;
  // Per tensor.
  int32_t zero_point;
  // Per channel, per block: the dimension that channels or blocks run along.
  uint32_t axis;
  // Per block: elements of a block.
  uint32_t block_size;
  // Per channel, per block: the buffer of the scales.
  uint32_t scale_buffer_index;
  // Per channel, per block: the buffer of the zero points, or HRRY_NO_BUFFER.
  uint32_t zero_point_buffer_index;
} hrry_quantization;

// Where a tensor lies in a larger one, along one dimension.
typedef struct hrry_shard {
  // Size of the larger tensor.
  uint64_t parent_shape;
  // First index of this tensor in it.
  uint64_t shard_offset;
} hrry_shard;

// What the head of a composite adds.
typedef struct hrry_composite {
  // Items that follow and belong to the head.
  uint32_t member_count;
  // HRRY_RULE_, or a private one.
  uint8_t composition_rule;
  // HRRY_COMBINE_.
  uint8_t combine_op;
  // 0; anything else is HRRY_ERR_INVALID_ARGUMENT.
  uint8_t reserved[2];
} hrry_composite;

// A descriptor to write. All zeros, but for an element type and a layout, is a scalar without buffers.
typedef struct hrry_spec {
  // HRRY_TYPE_.
  uint8_t element_type;
  // HRRY_LAYOUT_ROW_MAJOR, HRRY_LAYOUT_COL_MAJOR, HRRY_LAYOUT_STRIDED or HRRY_LAYOUT_COMPOSITE.
  uint8_t layout;
  // HRRY_ROLE_, where `has_member_role` is 1.
  uint8_t member_role;
  // 1 for a member of an overlay, or 0.
  uint8_t has_member_role;
  // Number of dimensions, at most 64: of entries of all four arrays that follow.
  uint32_t rank;
  // The dimensions; HRRY_DYNAMIC for one that is not known yet.
  const uint64_t *shape;
  // Elements from one index to the next; null unless the layout is strided.
  const int64_t *strides;
  // Shape of a larger tensor that this one is part of, or null.
  const uint64_t *parent_shape;
  // First index of this tensor in the larger one; null exactly if `parent_shape` is, or if rank is 0.
  const uint64_t *shard_offset;
  // The buffer table.
  const struct hrry_buffer *buffers;
  // Number of its entries, at most 255.
  uint32_t buffer_count;
  // Bytes from the start of buffer 0 to the first element.
  uint64_t byte_offset;
  // The quantization scheme, or null. Private schemes cannot be written.
  const struct hrry_quantization *quantization;
  // What the head of a composite adds; null unless the layout is composite.
  const struct hrry_composite *composite;
} hrry_spec;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// HRRY_C_ABI_VERSION of the library that is linked.
uint32_t hrry_c_abi_version(void);

// The ID of the rule with that number, for example "SHARD-01"; null for none. The string stays for ever.
const char *hrry_rule_id(uint32_t rule);

// What must hold by the rule with that number, in one line of UTF-8; null for none. The string stays for ever.
const char *hrry_rule_text(uint32_t rule);

// The name of the field with that number, as in the specification; null for none. The string stays for ever.
const char *hrry_field_name(uint32_t field);

// Bytes that `hrry_decoder_init` asks for.
size_t hrry_decoder_size(void);

// The alignment that `hrry_decoder_init` asks for.
size_t hrry_decoder_align(void);

// Makes `size` bytes at `handle` a decoder at the start of a stream.
//
// `frame` holds one descriptor at a time, `arena` open partitions and overlays; a longer descriptor or more members than fit
// is HRRY_ERR_CAPACITY. 256 bytes and 64 words are enough for nearly every descriptor of rank 8. `arena` may be null
// with no words. Both belong to the decoder until it is closed, and are filled with zeros now. A null `policy` means
// strict.
//
// HRRY_ERR_BUFFER_TOO_SMALL where `size` is less than `hrry_decoder_size()`; HRRY_ERR_OVERLAP where the `size` bytes
// of the handle, frame, arena and policy are not apart. Nothing is written then.
hrry_status hrry_decoder_init(struct hrry_decoder *handle,
                              size_t size,
                              uint8_t *frame,
                              size_t frame_length,
                              uint64_t *arena,
                              size_t arena_words,
                              const struct hrry_policy *policy);

// Takes what it can of `*length` bytes at `*input`, moves both behind that, and says what it met. Call it until it says
// HRRY_EVENT_NEED_MORE; then nothing is left of the input.
//
// `*input` may be null with a length of 0. After a status that says that the bytes are wrong, the event is
// HRRY_EVENT_NEED_MORE, `hrry_decoder_error` knows more, and every later call returns the same, until
// `hrry_decoder_reset`. After any other status nothing has changed; HRRY_ERR_OVERLAP is that of an event, `input`,
// `length`, the input or memory of the decoder that are not apart.
hrry_status hrry_decoder_next(struct hrry_decoder *handle,
                              const uint8_t **input,
                              size_t *length,
                              struct hrry_event *event);

// Tells whether the input may end here: HRRY_ERR_TRUNCATED inside a descriptor or buffer, or where events were not taken,
// HRRY_ERR_TORN inside a composite, or the error that stopped the decoder.
//
// The first two do not stop it: `hrry_decoder_next` goes on with more input, and `hrry_decoder_error` tells them until
// there is another error or a reset.
hrry_status hrry_decoder_finish(struct hrry_decoder *handle);

// Forgets everything but the policy and the position: the next byte starts a descriptor outside any composite.
hrry_status hrry_decoder_reset(struct hrry_decoder *handle);

// Gives up the decoder: frame and arena are the caller's again, and the handle is none.
hrry_status hrry_decoder_close(struct hrry_decoder *handle);

// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
hrry_status hrry_decoder_wanted(const struct hrry_decoder *handle, size_t *out);

// Offset of the next byte in the stream.
hrry_status hrry_decoder_offset(const struct hrry_decoder *handle, uint64_t *out);

// How many composites are open.
hrry_status hrry_decoder_depth(const struct hrry_decoder *handle, uint32_t *out);

// What is wrong, after a call of `hrry_decoder_next` or `hrry_decoder_finish` said so; HRRY_ERROR_NONE before that and
// after a reset.
hrry_status hrry_decoder_error(const struct hrry_decoder *handle, struct hrry_error *out);

// The single fields of the current descriptor: from its event to the end of the tensor. Then this, and all functions
// below, return HRRY_ERR_NO_DESCRIPTOR.
hrry_status hrry_decoder_descriptor(const struct hrry_decoder *handle, struct hrry_descriptor *out);

// Dimension `index`, or HRRY_DYNAMIC.
hrry_status hrry_decoder_shape(const struct hrry_decoder *handle, size_t index, uint64_t *out);

// Elements from one index to the next along dimension `index`; HRRY_ERR_ABSENT unless the layout is strided.
hrry_status hrry_decoder_stride(const struct hrry_decoder *handle, size_t index, int64_t *out);

// Entry `index` of the buffer table.
hrry_status hrry_decoder_buffer(const struct hrry_decoder *handle, size_t index, struct hrry_buffer *out);

// The quantization scheme; HRRY_ERR_ABSENT without one.
hrry_status hrry_decoder_quantization(const struct hrry_decoder *handle, struct hrry_quantization *out);

// The place in a larger tensor along dimension `index`; HRRY_ERR_ABSENT without one.
hrry_status hrry_decoder_shard(const struct hrry_decoder *handle, size_t index, struct hrry_shard *out);

// What the head of a composite adds; HRRY_ERR_ABSENT for any other tensor.
hrry_status hrry_decoder_composite(const struct hrry_decoder *handle, struct hrry_composite *out);

// Writes a descriptor to the front of `out` and its length to `*written`.
//
// What a reader would refuse is refused, and told in `*error` where that is not null. `out` may be null with a length of
// 0. With HRRY_ERR_BUFFER_TOO_SMALL, `*written` is the length that is needed; with any other status but HRRY_OK it is
// 0. A null `policy` means strict.
//
// `out`, `*written` and `*error` are apart from each other and from all that is read, the specification and what it
// points to included. With HRRY_ERR_OVERLAP, and where one of the six arguments is itself refused, nothing is written.
hrry_status hrry_encode(const struct hrry_spec *spec,
                        const struct hrry_policy *policy,
                        uint8_t *out,
                        size_t out_length,
                        size_t *written,
                        struct hrry_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HRRY_H */
