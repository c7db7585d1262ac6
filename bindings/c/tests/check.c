/*
 * Reads the streams that are named in the file `vectors.list`, one in a line, and prints what the interface says of
 * each; `examples/digest.rs` prints the same without the interface. Then it calls with what no caller should.
 * The same program runs on the host and on an emulated device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hrry.h"

#define FRAME 4096
#define ARENA 4096

static hrry_decoder decoder;
static uint8_t frame[FRAME];
static uint64_t arena[ARENA];
static int failures;
static unsigned long encoded;

static void expect(int holds, const char *what, int line) {
    if (!holds) {
        printf("line %d: %s\n", line, what);
        failures++;
    }
}

#define EXPECT(condition) expect((condition), #condition, __LINE__)

/* FNV-1a */
static uint64_t digest;

static void fold(uint64_t value) {
    for (int byte = 0; byte < 8; byte++) {
        digest = (digest ^ (value >> 8 * byte & 0xFF)) * 0x100000001B3u;
    }
}

static void fold_text(const char *text) {
    for (; text && *text; text++) fold((uint8_t)*text);
}

static void fold_outcome(const hrry_outcome *outcome) {
    fold(outcome->kind);
    fold(outcome->depth);
    fold(outcome->members);
    fold(outcome->index);
    fold(outcome->levels);
    fold(outcome->broken_rule);
}

/* Writes the descriptor anew from what the accessors say, where a specification can. */
static void encode_again(const hrry_descriptor *d, hrry_spec *spec, const hrry_policy *policy) {
    static uint8_t out[FRAME];
    size_t written = 1;
    hrry_error error;
    int can = d->layout == HRRY_LAYOUT_ROW_MAJOR || d->layout == HRRY_LAYOUT_COL_MAJOR ||
              d->layout == HRRY_LAYOUT_STRIDED || d->layout == HRRY_LAYOUT_COMPOSITE;
    /* no statistics, no private types, no later minor version, nothing that permissive mode lets pass */
    if (!can || (d->flags & 0x0C) || d->bytes[5] || policy->mode == HRRY_MODE_PERMISSIVE) return;
    if (spec->quantization && spec->quantization->scheme > HRRY_SCHEME_MXFP) return;

    EXPECT(hrry_encode(spec, policy, NULL, 0, &written, NULL) == HRRY_ERR_BUFFER_TOO_SMALL);
    EXPECT(written == d->length);
    out[d->length - 1] = 0xA5;
    EXPECT(hrry_encode(spec, policy, out, d->length - 1, &written, &error) == HRRY_ERR_BUFFER_TOO_SMALL);
    EXPECT(written == d->length && error.status == HRRY_ERR_BUFFER_TOO_SMALL && out[d->length - 1] == 0xA5);
    EXPECT(hrry_encode(spec, policy, out, sizeof out, &written, &error) == HRRY_OK);
    EXPECT(written == d->length && memcmp(out, d->bytes, written) == 0 && error.status == HRRY_OK);
    encoded++;
}

static void fold_descriptor(const hrry_policy *policy) {
    static uint64_t shape[64], parent[64], place[64];
    static int64_t strides[64];
    static hrry_buffer buffers[255];
    hrry_descriptor d;
    hrry_quantization quantization;
    hrry_composite head;
    hrry_shard shard;
    hrry_spec spec = {0};

    EXPECT(hrry_decoder_descriptor(&decoder, &d) == HRRY_OK);
    for (size_t k = 0; k < d.length; k++) fold(d.bytes[k]);
    fold(d.element_type);
    fold(d.layout);
    fold(d.flags);
    fold(d.byte_offset);
    fold(d.has_member_role);
    fold(d.member_role);
    spec.element_type = d.element_type;
    spec.layout = d.layout;
    spec.rank = d.rank;
    spec.byte_offset = d.byte_offset;
    spec.buffer_count = d.buffer_count;
    spec.has_member_role = d.has_member_role;
    spec.member_role = d.member_role;
    spec.shape = shape;
    spec.buffers = buffers;
    for (uint32_t k = 0; k < d.rank; k++) {
        EXPECT(hrry_decoder_shape(&decoder, k, &shape[k]) == HRRY_OK);
        fold(shape[k]);
        if (hrry_decoder_stride(&decoder, k, &strides[k]) == HRRY_OK) {
            fold((uint64_t)strides[k]);
            spec.strides = strides;
        }
        if (hrry_decoder_shard(&decoder, k, &shard) == HRRY_OK) {
            fold(shard.parent_shape);
            fold(shard.shard_offset);
            parent[k] = shard.parent_shape;
            place[k] = shard.shard_offset;
        }
    }
    if (d.flags & 0x02) {
        spec.parent_shape = parent;
        spec.shard_offset = place;
    }
    EXPECT(hrry_decoder_shape(&decoder, d.rank, shape + 63) == HRRY_ERR_INDEX_OUT_OF_BOUNDS);
    for (uint32_t k = 0; k < d.buffer_count; k++) {
        EXPECT(hrry_decoder_buffer(&decoder, k, &buffers[k]) == HRRY_OK);
        fold(buffers[k].byte_size);
        fold(buffers[k].alignment);
        fold(buffers[k].device_tag);
        fold(buffers[k].sync_mode);
        fold(buffers[k].memory_class);
    }
    EXPECT(hrry_decoder_buffer(&decoder, d.buffer_count, buffers) == HRRY_ERR_INDEX_OUT_OF_BOUNDS);
    if (hrry_decoder_quantization(&decoder, &quantization) == HRRY_OK) {
        uint32_t bits;
        memcpy(&bits, &quantization.scale, 4);
        fold(quantization.scheme);
        fold(quantization.scale_type);
        fold(quantization.flags);
        fold(bits);
        fold((uint64_t)(int64_t)quantization.zero_point);
        fold(quantization.axis);
        fold(quantization.block_size);
        fold(quantization.scale_buffer_index);
        fold(quantization.zero_point_buffer_index);
        spec.quantization = &quantization;
    }
    if (hrry_decoder_composite(&decoder, &head) == HRRY_OK) {
        fold(head.composition_rule);
        fold(head.combine_op);
        fold(head.member_count);
        spec.composite = &head;
    }
    encode_again(&d, &spec, policy);
}

static void fold_event(const hrry_event *event, const hrry_policy *policy) {
    if (event->kind == HRRY_EVENT_PAYLOAD) {
        for (size_t k = 0; k < event->length; k++) {
            fold(event->buffer);
            fold(event->offset + k);
            fold(event->last && k == event->length - 1);
            fold(event->bytes[k]);
        }
        return;
    }
    fold(event->kind);
    fold_outcome(&event->outcome);
    if (event->kind == HRRY_EVENT_DESCRIPTOR) fold_descriptor(policy);
}

static void fold_error(hrry_status status) {
    hrry_error error;
    EXPECT(hrry_decoder_error(&decoder, &error) == HRRY_OK);
    EXPECT(error.status == status);
    fold(error.kind);
    fold(error.rule);
    fold(error.field);
    fold(error.index);
    fold(error.offset);
    fold(error.amounts[0]);
    fold(error.amounts[1]);
    fold_text(hrry_rule_id(error.rule));
    fold_text(hrry_rule_text(error.rule));
    fold_text(hrry_field_name(error.field));
}

/* Reads a stream in pieces of `most` bytes. */
static hrry_status decode(const char *path, size_t most, uint32_t mode) {
    static uint8_t piece[4096];
    hrry_policy policy = {0};
    hrry_status status;
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) {
        EXPECT(!"the stream can be opened");
        return 1;
    }
    policy.mode = mode;
    digest = 0xCBF29CE484222325u;
    status = hrry_decoder_init(&decoder, sizeof decoder, frame, FRAME, arena, ARENA, &policy);
    while (status == HRRY_OK && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        for (size_t start = 0; start < got && status == HRRY_OK; start += most) {
            const uint8_t *input = piece + start;
            size_t left = got - start < most ? got - start : most;
            hrry_event event;
            do {
                status = hrry_decoder_next(&decoder, &input, &left, &event);
                if (status == HRRY_OK && event.kind != HRRY_EVENT_NEED_MORE) fold_event(&event, &policy);
            } while (status == HRRY_OK && event.kind != HRRY_EVENT_NEED_MORE);
        }
    }
    fclose(file);
    if (status == HRRY_OK) status = hrry_decoder_finish(&decoder);
    if (status != HRRY_OK) fold_error(status);
    return status;
}

static void streams(void) {
    char path[256];
    FILE *list = fopen("vectors.list", "r");
    if (!list) {
        EXPECT(!"vectors.list can be opened");
        return;
    }
    while (fgets(path, sizeof path, list)) {
        const char *name = strrchr(path, '/');
        path[strcspn(path, "\n")] = 0;
        printf("%s", name ? name + 1 : path);
        for (uint32_t mode = HRRY_MODE_STRICT; mode <= HRRY_MODE_PERMISSIVE; mode++) {
            hrry_status status = decode(path, 4096, mode);
            uint64_t whole = digest;
            EXPECT(decode(path, 1, mode) == status && digest == whole);
            EXPECT(decode(path, 7, mode) == status && digest == whole);
            printf(" %" PRId32 " %08" PRIx32 "%08" PRIx32, status, (uint32_t)(whole >> 32), (uint32_t)whole);
        }
        printf("\n");
    }
    fclose(list);
    EXPECT(encoded > 100);
}

/* One tensor, float32 [3, 4], written by hand; its 48 bytes of payload are left out. */
static const uint8_t TENSOR[61] = {
    'H', 'R', 'R', 'Y', 1, 0, 61, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 0, 0, 0, /* header */
    3,   0,   0,   0,   0, 0, 0,  0, 4, 0, 0, 0, 0, 0, 0, 0,             /* shape */
    0,   0,   0,   0,   0, 0, 0,  0,                                     /* byte_offset */
    1,   48,  0,   0,   0, 0, 0,  0, 0, 64, 0, 0, 0, 0, 0, 0, 0,         /* buffers */
};

static hrry_status init(size_t size, uint8_t *memory, size_t length, uint64_t *words, size_t count) {
    return hrry_decoder_init(&decoder, size, memory, length, words, count, NULL);
}

static void hostile_handles(void) {
    static uint8_t bytes[sizeof(hrry_decoder) + 16];
    static hrry_decoder other;
    hrry_policy policy = {0};
    hrry_policy *odd_policy = (hrry_policy *)(void *)(bytes + 1);
    hrry_decoder *odd = (hrry_decoder *)(void *)(bytes + 1);
    size_t wanted;

    EXPECT(hrry_c_abi_version() == HRRY_C_ABI_VERSION);
    EXPECT(hrry_decoder_size() <= HRRY_DECODER_SIZE && sizeof decoder == HRRY_DECODER_SIZE);
    EXPECT(hrry_decoder_align() <= HRRY_DECODER_ALIGN);

    EXPECT(hrry_decoder_init(NULL, 1000, frame, FRAME, arena, ARENA, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_init(odd, 1000, frame, FRAME, arena, ARENA, NULL) == HRRY_ERR_MISALIGNED);
    EXPECT(init(sizeof decoder, NULL, FRAME, arena, ARENA) == HRRY_ERR_NULL_POINTER);
    EXPECT(init(sizeof decoder, NULL, 0, arena, ARENA) == HRRY_ERR_NULL_POINTER);
    EXPECT(init(sizeof decoder, frame, FRAME, NULL, ARENA) == HRRY_ERR_NULL_POINTER);
    EXPECT(init(sizeof decoder, frame, FRAME, (uint64_t *)(void *)(bytes + 1), 1) == HRRY_ERR_MISALIGNED);
    EXPECT(init(hrry_decoder_size() - 1, frame, FRAME, arena, ARENA) == HRRY_ERR_BUFFER_TOO_SMALL);
    EXPECT(init(0, frame, FRAME, arena, ARENA) == HRRY_ERR_BUFFER_TOO_SMALL);
    EXPECT(init(SIZE_MAX, frame, FRAME, arena, ARENA) == HRRY_ERR_TOO_LONG);
    EXPECT(init((size_t)PTRDIFF_MAX + 1, frame, FRAME, arena, ARENA) == HRRY_ERR_TOO_LONG);
    EXPECT(init(sizeof decoder, frame, SIZE_MAX, arena, ARENA) == HRRY_ERR_TOO_LONG);
    EXPECT(init(sizeof decoder, frame, (size_t)PTRDIFF_MAX + 1, arena, ARENA) == HRRY_ERR_TOO_LONG);
    EXPECT(init(sizeof decoder, frame, FRAME, arena, SIZE_MAX / 8) == HRRY_ERR_TOO_LONG);
    EXPECT(init(sizeof decoder, frame, FRAME, arena, SIZE_MAX) == HRRY_ERR_TOO_LONG);
    EXPECT(init(sizeof decoder, (uint8_t *)&decoder, 8, arena, ARENA) == HRRY_ERR_OVERLAP);
    EXPECT(init(sizeof decoder, frame, FRAME, decoder.opaque + 1, 1) == HRRY_ERR_OVERLAP);
    EXPECT(init(sizeof decoder, (uint8_t *)(arena + ARENA) - 1, 1, arena, ARENA) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_decoder_init(&decoder, sizeof decoder, frame, FRAME, arena, ARENA, odd_policy) == HRRY_ERR_MISALIGNED);
    EXPECT(init(sizeof decoder, (uint8_t *)(&decoder + 1) - 1, 1, arena, ARENA) == HRRY_ERR_OVERLAP);
    for (int place = 0; place < 3; place++) {
        /* a policy in each of the parts of a decoder */
        uint64_t *part[3] = {decoder.opaque, other.opaque, arena};
        hrry_policy *inside = (hrry_policy *)(void *)part[place];
        memset(inside, 0, sizeof *inside);
        EXPECT(hrry_decoder_init(&decoder, sizeof decoder, (uint8_t *)&other, sizeof other, arena, ARENA, inside) ==
               HRRY_ERR_OVERLAP);
    }
    policy.mode = 2;
    EXPECT(hrry_decoder_init(&decoder, sizeof decoder, frame, FRAME, arena, ARENA, &policy) == HRRY_ERR_INVALID_ARGUMENT);
    policy.mode = 0;
    policy.transport = 7;
    EXPECT(hrry_decoder_init(&decoder, sizeof decoder, frame, FRAME, arena, ARENA, &policy) == HRRY_ERR_INVALID_ARGUMENT);

    /* never initialised, full of ones, a copy, closed */
    EXPECT(hrry_decoder_finish(&other) == HRRY_ERR_NO_HANDLE);
    memset(&other, 0xFF, sizeof other);
    EXPECT(hrry_decoder_finish(&other) == HRRY_ERR_NO_HANDLE);
    EXPECT(hrry_decoder_close(&other) == HRRY_ERR_NO_HANDLE);
    EXPECT(init(sizeof decoder, frame, FRAME, NULL, 0) == HRRY_OK);
    EXPECT(hrry_decoder_finish(&decoder) == HRRY_OK);
    other = decoder;
    EXPECT(hrry_decoder_reset(&other) == HRRY_ERR_NO_HANDLE);
    EXPECT(hrry_decoder_wanted(&other, &wanted) == HRRY_ERR_NO_HANDLE);
    EXPECT(hrry_decoder_wanted(NULL, &wanted) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_wanted(odd, &wanted) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_finish(NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_finish(odd) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_reset(NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_close(NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_close(&decoder) == HRRY_OK);
    EXPECT(hrry_decoder_close(&decoder) == HRRY_ERR_NO_HANDLE);
}

static void hostile_input(void) {
    const uint8_t *input = TENSOR;
    size_t length = sizeof TENSOR, wanted;
    uint32_t depth;
    uint64_t offset;
    hrry_event event = {0};
    hrry_error error;
    static uint64_t words[sizeof(hrry_event) / 8 + 2];
    hrry_event *odd = (hrry_event *)(void *)((uint8_t *)words + 1);

    EXPECT(init(sizeof decoder, frame, FRAME, arena, ARENA) == HRRY_OK);
    EXPECT(hrry_decoder_next(NULL, &input, &length, &event) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_next(&decoder, NULL, &length, &event) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_next(&decoder, &input, NULL, &event) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_next(&decoder, &input, &length, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_next(&decoder, &input, &length, odd) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_next(&decoder, (const uint8_t **)(void *)odd, &length, &event) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_next(&decoder, &input, (size_t *)(void *)odd, &event) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_next(&decoder, &input, &length, (hrry_event *)&decoder) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_decoder_next(&decoder, &input, &length, (hrry_event *)arena) == HRRY_ERR_OVERLAP);
    input = NULL;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_ERR_NULL_POINTER);
    input = frame + FRAME - 1;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_ERR_OVERLAP);
    input = TENSOR;
    length = SIZE_MAX;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_ERR_TOO_LONG);
    length = (size_t)PTRDIFF_MAX + 1;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_ERR_TOO_LONG);

    /* none of that moved anything */
    EXPECT(hrry_decoder_offset(&decoder, &offset) == HRRY_OK && offset == 0 && input == TENSOR);
    input = NULL;
    length = 0;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_OK);
    EXPECT(event.kind == HRRY_EVENT_NEED_MORE && input == NULL && length == 0);
    input = TENSOR;
    length = sizeof TENSOR - 1;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_OK);
    EXPECT(event.kind == HRRY_EVENT_NEED_MORE && input == TENSOR + 60 && length == 0);
    EXPECT(hrry_decoder_wanted(&decoder, &wanted) == HRRY_OK && wanted == 1);
    EXPECT(hrry_decoder_wanted(&decoder, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_wanted(&decoder, (size_t *)(void *)odd) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_error(&decoder, &error) == HRRY_OK && error.kind == HRRY_ERROR_NONE);
    EXPECT(hrry_decoder_finish(&decoder) == HRRY_ERR_TRUNCATED);
    EXPECT(hrry_decoder_error(&decoder, &error) == HRRY_OK && error.kind == HRRY_ERROR_TRUNCATED);
    EXPECT(error.amounts[0] == 1 && error.offset == 60 && strcmp(hrry_rule_id(error.rule), "STREAM-04") == 0);
    length = 1;
    EXPECT(hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_OK);
    /* an end that comes too early does not stop it, and is told all the same */
    EXPECT(hrry_decoder_error(&decoder, &error) == HRRY_OK && error.status == HRRY_ERR_TRUNCATED);
    EXPECT(event.kind == HRRY_EVENT_DESCRIPTOR && event.outcome.kind == HRRY_OUTCOME_PLAIN);
    EXPECT(hrry_decoder_depth(&decoder, &depth) == HRRY_OK && depth == 0);
    EXPECT(hrry_decoder_offset(&decoder, &offset) == HRRY_OK && offset == 61);
}

/* Every pair of what `hrry_decoder_next` writes and what else it is given. */
static void overlapping_input(void) {
    static union {
        hrry_event event;
        const uint8_t *input;
        size_t length;
        uint64_t words[sizeof(hrry_event) / 8];
    } shared;
    static hrry_decoder memory;
    static uint64_t frame_words[32];
    uint64_t *own[3] = {memory.opaque + HRRY_DECODER_WORDS - 1, frame_words, arena};
    const uint8_t *input = TENSOR;
    size_t length = sizeof TENSOR;
    uint64_t offset;
    hrry_event event;

    EXPECT(hrry_decoder_init(&memory, sizeof memory, (uint8_t *)frame_words, sizeof frame_words, arena, ARENA, NULL) ==
           HRRY_OK);
    shared.input = TENSOR;
    EXPECT(hrry_decoder_next(&memory, &shared.input, &length, &shared.event) == HRRY_ERR_OVERLAP);
    EXPECT(shared.input == TENSOR);
    shared.length = sizeof TENSOR;
    EXPECT(hrry_decoder_next(&memory, &input, &shared.length, &shared.event) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_decoder_next(&memory, &shared.input, &shared.length, &event) == HRRY_ERR_OVERLAP);
    EXPECT(shared.length == sizeof TENSOR);
    /* input and its length, in the input */
    memset(&shared, 'H', sizeof shared);
    input = (const uint8_t *)&shared.event + sizeof shared - 1;
    length = 1;
    EXPECT(hrry_decoder_next(&memory, &input, &length, &shared.event) == HRRY_ERR_OVERLAP);
    EXPECT(shared.words[0] == 0x4848484848484848u && shared.event.kind == 0x48484848);
    shared.input = (const uint8_t *)&shared;
    EXPECT(hrry_decoder_next(&memory, &shared.input, &length, &event) == HRRY_ERR_OVERLAP);
    input = (const uint8_t *)&shared;
    shared.length = 1;
    EXPECT(hrry_decoder_next(&memory, &input, &shared.length, &event) == HRRY_ERR_OVERLAP);
    input = TENSOR;
    length = sizeof TENSOR;
    for (int part = 0; part < 3; part++) {
        uint64_t *inside = own[part];
        const uint8_t *bytes = (const uint8_t *)inside;
        EXPECT(hrry_decoder_next(&memory, &bytes, &length, &event) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_decoder_next(&memory, &input, &length, (hrry_event *)(void *)inside) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_decoder_next(&memory, &input, (size_t *)(void *)inside, &event) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_decoder_next(&memory, (const uint8_t **)(void *)inside, &length, &event) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_decoder_offset(&memory, inside) == HRRY_ERR_OVERLAP);
    }
    /* none of that took anything; what only touches is apart */
    EXPECT(hrry_decoder_offset(&memory, &offset) == HRRY_OK && offset == 0);
    EXPECT(input == TENSOR && length == sizeof TENSOR);
    input = (const uint8_t *)(&shared.event + 1);
    length = 0;
    EXPECT(hrry_decoder_next(&memory, &input, &length, &shared.event) == HRRY_OK);
}

/* Every pair of what `hrry_encode` writes and what else it is given. */
static void overlapping_specs(void) {
    /* a word between them, so that each starts at one */
    static struct {
        uint64_t between[2];
        hrry_spec spec;
        hrry_policy policy;
        uint64_t shape[2];
        int64_t strides[2];
        uint64_t parent[2], place[2];
        hrry_buffer buffer;
        uint64_t word;
        hrry_quantization scheme;
        uint64_t word2;
        hrry_composite head;
        uint64_t word3;
    } all, before;
    struct {
        void *start;
        size_t size;
    } read[] = {
        {&all.spec, sizeof all.spec},       {&all.policy, sizeof all.policy}, {all.shape, sizeof all.shape},
        {all.strides, sizeof all.strides},  {all.parent, sizeof all.parent},  {all.place, sizeof all.place},
        {&all.buffer, sizeof all.buffer},   {&all.scheme, sizeof all.scheme}, {&all.head, sizeof all.head},
    };
    static union {
        hrry_error error;
        size_t written;
        uint8_t bytes[sizeof(hrry_error)];
    } shared;
    uint8_t out[128];
    size_t written = 7;
    hrry_error error;

    all.spec.element_type = HRRY_TYPE_FLOAT32;
    all.spec.layout = HRRY_LAYOUT_STRIDED;
    all.spec.rank = 2;
    all.spec.shape = all.shape;
    all.spec.strides = all.strides;
    all.spec.parent_shape = all.parent;
    all.spec.shard_offset = all.place;
    all.spec.buffers = &all.buffer;
    all.spec.buffer_count = 1;
    all.spec.quantization = &all.scheme;
    all.spec.composite = &all.head;
    memcpy(&before, &all, sizeof all);

    /* apart, the call is wrong for what it says */
    EXPECT(hrry_encode(&all.spec, &all.policy, out, sizeof out, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    for (size_t k = 0; k < sizeof read / sizeof read[0]; k++) {
        uint8_t *start = read[k].start, *last = start + read[k].size - 1;
        written = 7;
        EXPECT(hrry_encode(&all.spec, &all.policy, start, 1, &written, &error) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_encode(&all.spec, &all.policy, last, 1, &written, &error) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_encode(&all.spec, &all.policy, out, 128, (size_t *)(void *)start, &error) == HRRY_ERR_OVERLAP);
        EXPECT(hrry_encode(&all.spec, &all.policy, out, 128, &written, (hrry_error *)(void *)start) ==
               HRRY_ERR_OVERLAP);
        EXPECT(written == 7);
    }
    EXPECT(memcmp(&before, &all, sizeof all) == 0);
    /* what is written over what is written; touching is apart */
    EXPECT(hrry_encode(&all.spec, &all.policy, shared.bytes, 1, &shared.written, NULL) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_encode(&all.spec, &all.policy, shared.bytes + sizeof shared - 1, 1, &written, &shared.error) ==
           HRRY_ERR_OVERLAP);
    EXPECT(hrry_encode(&all.spec, &all.policy, out, sizeof out, &shared.written, &shared.error) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_encode(&all.spec, &all.policy, (uint8_t *)all.between, sizeof all.between, &written, NULL) ==
           HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(hrry_encode(&all.spec, &all.policy, (uint8_t *)&all.word, sizeof all.word, &written, NULL) ==
           HRRY_ERR_INVALID_ARGUMENT);
}

/* Goes on with the descriptor that `hostile_input` left. */
static void hostile_accessors(void) {
    hrry_descriptor d;
    hrry_quantization quantization;
    hrry_composite head;
    hrry_shard shard;
    hrry_buffer buffer;
    uint64_t number;
    int64_t stride;
    hrry_descriptor *odd = (hrry_descriptor *)(void *)((uint8_t *)arena + 1);

    EXPECT(hrry_decoder_descriptor(&decoder, &d) == HRRY_OK);
    EXPECT(d.length == 61 && memcmp(d.bytes, TENSOR, 61) == 0 && d.rank == 2 && d.buffer_count == 1);
    EXPECT(hrry_decoder_descriptor(NULL, &d) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_descriptor(&decoder, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_descriptor(&decoder, odd) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_decoder_descriptor(&decoder, (hrry_descriptor *)arena) == HRRY_ERR_OVERLAP);
    EXPECT(hrry_decoder_shape(&decoder, 1, &number) == HRRY_OK && number == 4);
    EXPECT(hrry_decoder_shape(&decoder, 2, &number) == HRRY_ERR_INDEX_OUT_OF_BOUNDS);
    EXPECT(hrry_decoder_shape(&decoder, SIZE_MAX, &number) == HRRY_ERR_INDEX_OUT_OF_BOUNDS);
    EXPECT(hrry_decoder_shape(&decoder, 0, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_decoder_stride(&decoder, 0, &stride) == HRRY_ERR_ABSENT);
    EXPECT(hrry_decoder_buffer(&decoder, 0, &buffer) == HRRY_OK && buffer.byte_size == 48 && buffer.alignment == 64);
    EXPECT(hrry_decoder_buffer(&decoder, SIZE_MAX, &buffer) == HRRY_ERR_INDEX_OUT_OF_BOUNDS);
    EXPECT(hrry_decoder_quantization(&decoder, &quantization) == HRRY_ERR_ABSENT);
    EXPECT(hrry_decoder_shard(&decoder, 0, &shard) == HRRY_ERR_ABSENT);
    EXPECT(hrry_decoder_composite(&decoder, &head) == HRRY_ERR_ABSENT);
    EXPECT(hrry_decoder_reset(&decoder) == HRRY_OK);
    EXPECT(hrry_decoder_descriptor(&decoder, &d) == HRRY_ERR_NO_DESCRIPTOR);
    EXPECT(hrry_decoder_shape(&decoder, 0, &number) == HRRY_ERR_NO_DESCRIPTOR);
    EXPECT(hrry_rule_id(0) == NULL && hrry_rule_text(1) == NULL && hrry_field_name(HRRY_NO_FIELD) == NULL);
    EXPECT(strcmp(hrry_field_name(0), "magic") == 0);
}

/* Whether a call was refused with HRRY_ERR_INVALID_ARGUMENT, for that field. */
static int names(const hrry_error *error, const char *field, uint32_t index) {
    const char *name = hrry_field_name(error->field);
    return error->status == HRRY_ERR_INVALID_ARGUMENT && error->kind == HRRY_ERROR_NONE && error->rule == 0 &&
           error->index == index && (field ? name && strcmp(name, field) == 0 : error->field == HRRY_NO_FIELD);
}

static void hostile_specs(void) {
    static uint64_t words[32];
    const uint64_t shape[2] = {3, 4};
    const int64_t strides[2] = {4, 1};
    hrry_buffer buffer = {48, 64, 0, 0, 0, 0};
    hrry_quantization scheme = {0};
    hrry_composite head = {2, HRRY_RULE_GROUP, 0, {0, 0}};
    hrry_buffer three[3] = {{48, 64, 0, 0, 0, 0}, {48, 64, 0, 0, 0, 0}, {48, 64, 0, 0, 0, 1}};
    hrry_policy policy = {0};
    hrry_spec spec = {0};
    uint8_t *out = (uint8_t *)words;
    uint64_t *odd = (uint64_t *)(void *)(out + 1);
    size_t size = sizeof words, written = 0;
    hrry_error error;

    spec.element_type = HRRY_TYPE_FLOAT32;
    spec.layout = HRRY_LAYOUT_ROW_MAJOR;
    spec.rank = 2;
    spec.shape = shape;
    spec.buffers = &buffer;
    spec.buffer_count = 1;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_OK);
    EXPECT(written == 61 && memcmp(out, TENSOR, 61) == 0);

    EXPECT(hrry_encode(NULL, NULL, out, size, &written, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_encode((hrry_spec *)(void *)odd, NULL, out, size, &written, NULL) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_encode(&spec, NULL, NULL, 1, &written, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_encode(&spec, NULL, out, size, NULL, NULL) == HRRY_ERR_NULL_POINTER);
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, (hrry_error *)(void *)odd) == HRRY_ERR_MISALIGNED);
    EXPECT(hrry_encode(&spec, NULL, out, SIZE_MAX, &written, NULL) == HRRY_ERR_TOO_LONG);
    EXPECT(hrry_encode(&spec, (hrry_policy *)(void *)odd, out, size, &written, NULL) == HRRY_ERR_MISALIGNED);
    EXPECT(written == 61);

    spec.shape = NULL;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_NULL_POINTER);
    EXPECT(error.status == HRRY_ERR_NULL_POINTER && error.kind == HRRY_ERROR_NONE && written == 0);
    spec.shape = odd;
    EXPECT(hrry_encode(&spec, NULL, NULL, 0, &written, NULL) == HRRY_ERR_MISALIGNED);
    spec.shape = words + 1;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_OVERLAP);
    spec.shape = shape;
    spec.buffers = NULL;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_NULL_POINTER);
    spec.buffers = (hrry_buffer *)(void *)odd;
    EXPECT(hrry_encode(&spec, NULL, NULL, 0, &written, NULL) == HRRY_ERR_MISALIGNED);
    spec.buffers = &buffer;

    /* counts that no array is looked at for */
    spec.rank = UINT32_MAX;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_DESCRIPTOR);
    EXPECT(strcmp(hrry_rule_id(error.rule), "DESC-09") == 0 && strcmp(hrry_field_name(error.field), "rank") == 0);
    spec.rank = 2;
    spec.buffer_count = 256;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_DESCRIPTOR);
    EXPECT(strcmp(hrry_rule_id(error.rule), "BUF-24") == 0);
    spec.buffer_count = 1;

    /* parts that contradict each other, and numbers without a meaning */
    spec.strides = strides;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "strides", 0) && written == 0);
    spec.layout = 0;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "layout_tag", 0));
    spec.layout = HRRY_LAYOUT_STRIDED;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_OK && written == 77);
    spec.strides = NULL;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_NULL_POINTER);
    spec.layout = HRRY_LAYOUT_COMPOSITE;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_NULL_POINTER);
    spec.composite = &head;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_COMPOSITE);
    EXPECT(strcmp(hrry_rule_id(error.rule), "COMP-01") == 0);
    head.reserved[1] = 1;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "composite.reserved", 0));
    spec.layout = HRRY_LAYOUT_ROW_MAJOR;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "composition_rule", 0));
    spec.composite = NULL;
    spec.layout = HRRY_LAYOUT_TILED;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "layout_tag", 0));
    spec.layout = HRRY_LAYOUT_ROW_MAJOR;
    spec.has_member_role = 2;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "member_role", 0));
    spec.has_member_role = 0;
    spec.quantization = &scheme;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "scheme_tag", 0));
    scheme.scheme = 0xC0; /* a private one */
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "scheme_tag", 0));
    spec.quantization = NULL;
    spec.buffers = three;
    spec.buffer_count = 3;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, "handle.reserved", 2));
    spec.buffers = &buffer;
    spec.buffer_count = 1;
    policy.mode = 2;
    EXPECT(hrry_encode(&spec, &policy, out, size, &written, &error) == HRRY_ERR_INVALID_ARGUMENT);
    EXPECT(names(&error, NULL, 0) && written == 0);
    spec.quantization = (hrry_quantization *)(void *)odd;
    EXPECT(hrry_encode(&spec, NULL, NULL, 0, &written, NULL) == HRRY_ERR_MISALIGNED);
    spec.quantization = NULL;
    spec.parent_shape = shape;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_NULL_POINTER);
    spec.parent_shape = NULL;

    /* each kind of refusal has its status */
    spec.element_type = 0;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_INVALID_TYPE);
    spec.element_type = HRRY_TYPE_FLOAT32;
    buffer.byte_size = 47;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_INVALID_LAYOUT);
    buffer.byte_size = 48;
    buffer.sync_mode = HRRY_SYNC_EVENT;
    EXPECT(hrry_encode(&spec, NULL, out, size, &written, NULL) == HRRY_ERR_INVALID_SYNC_MODE);
}

/* A stream of bytes in one dimension. */
static uint8_t stream[1024];
static size_t stream_length;

static void put(hrry_spec *spec, size_t payload) {
    size_t written;
    spec->element_type = HRRY_TYPE_UINT8;
    EXPECT(hrry_encode(spec, NULL, stream + stream_length, sizeof stream - stream_length, &written, NULL) == HRRY_OK);
    stream_length += written + payload;
}

static void put_head(uint8_t rule, uint32_t members) {
    const uint64_t shape[1] = {4};
    hrry_composite head = {members, rule, HRRY_COMBINE_NONE, {0, 0}};
    hrry_spec spec = {0};
    spec.layout = HRRY_LAYOUT_COMPOSITE;
    spec.rank = 1;
    spec.shape = shape;
    spec.composite = &head;
    put(&spec, 0);
}

/* A member of a partition of 4. */
static void put_member(uint64_t first, uint64_t size) {
    const uint64_t shape[1] = {size}, parent[1] = {4}, place[1] = {first};
    hrry_buffer buffer = {size, 64, 0, 0, 0, 0};
    hrry_spec spec = {0};
    spec.layout = HRRY_LAYOUT_ROW_MAJOR;
    spec.rank = 1;
    spec.shape = shape;
    spec.parent_shape = parent;
    spec.shard_offset = place;
    spec.buffers = &buffer;
    spec.buffer_count = 1;
    put(&spec, (size_t)size);
}

/* Reads the stream, and compares what closes in it: each time how many levels, and the rule or NULL. */
static void closes(const char *rules[], const uint32_t levels[], size_t count) {
    const uint8_t *input = stream;
    size_t length = stream_length, met = 0;
    hrry_policy policy = {0};
    hrry_event event;
    policy.mode = HRRY_MODE_PERMISSIVE;
    EXPECT(hrry_decoder_init(&decoder, sizeof decoder, frame, FRAME, arena, ARENA, &policy) == HRRY_OK);
    do {
        if (hrry_decoder_next(&decoder, &input, &length, &event) != HRRY_OK) {
            EXPECT(!"the stream is valid in permissive mode");
            return;
        }
        if (event.outcome.kind == HRRY_OUTCOME_CLOSED) {
            uint32_t broken = event.outcome.broken_rule;
            const char *rule = hrry_rule_id(broken);
            EXPECT(met < count && event.outcome.levels == levels[met]);
            EXPECT(met < count && (rules[met] ? rule && strcmp(rule, rules[met]) == 0 : broken == 0));
            met++;
        }
    } while (event.kind != HRRY_EVENT_NEED_MORE);
    EXPECT(met == count && hrry_decoder_finish(&decoder) == HRRY_OK);
}

/* Which level the rule of an event belongs to that closes two: a group and, in it, a partition. */
static void broken_levels(void) {
    const uint32_t two[1] = {2}, one_two[2] = {1, 2};
    const uint8_t *input = stream;
    hrry_event event;
    hrry_error error;
    size_t length;

    /* both are whole */
    stream_length = 0;
    put_head(HRRY_RULE_GROUP, 1);
    put_head(HRRY_RULE_PARTITION, 1);
    put_member(0, 4);
    closes((const char *[]){NULL}, two, 1);

    /* the inner one is broken, and so is the one around it */
    stream_length = 0;
    put_head(HRRY_RULE_GROUP, 1);
    put_head(HRRY_RULE_PARTITION, 1);
    put_member(0, 2);
    closes((const char *[]){"COMP-43"}, two, 1);

    /* the inner one is whole, and the outer one broken since its first member */
    stream_length = 0;
    put_head(HRRY_RULE_GROUP, 2);
    put_head(HRRY_RULE_PARTITION, 1);
    put_member(0, 2);
    put_head(HRRY_RULE_PARTITION, 1);
    put_member(0, 4);
    closes((const char *[]){"COMP-43", "COMP-43"}, one_two, 2);

    /* the inner one has a gap, after an overlap in an earlier member of the outer one */
    stream_length = 0;
    put_head(HRRY_RULE_GROUP, 2);
    put_head(HRRY_RULE_PARTITION, 2);
    put_member(0, 4);
    put_member(0, 4);
    put_head(HRRY_RULE_PARTITION, 1);
    put_member(0, 2);
    closes((const char *[]){"COMP-42", "COMP-42"}, one_two, 2);

    /* an end inside a composite does not stop the decoder either: the last member may still come */
    stream_length = 0;
    put_head(HRRY_RULE_GROUP, 1);
    length = stream_length;
    put_member(0, 4);
    EXPECT(init(sizeof decoder, frame, FRAME, arena, ARENA) == HRRY_OK);
    while (hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_OK && event.kind != HRRY_EVENT_NEED_MORE) {
    }
    EXPECT(hrry_decoder_finish(&decoder) == HRRY_ERR_TORN);
    length = stream_length - (size_t)(input - stream);
    while (hrry_decoder_next(&decoder, &input, &length, &event) == HRRY_OK && event.kind != HRRY_EVENT_NEED_MORE) {
    }
    EXPECT(input == stream + stream_length && hrry_decoder_finish(&decoder) == HRRY_OK);
    EXPECT(hrry_decoder_error(&decoder, &error) == HRRY_OK && error.status == HRRY_ERR_TORN);
}

int main(void) {
    streams();
    hostile_handles();
    hostile_input();
    hostile_accessors();
    hostile_specs();
    overlapping_input();
    overlapping_specs();
    broken_levels();
    printf("%d failures, %lu descriptors written anew\n", failures, encoded);
    return failures != 0;
}
