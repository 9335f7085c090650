#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model.h"

// A llama.cpp context: the KV cache and compute buffers of one engine thread.
namespace decider {

struct ContextOptions {
  uint32_t cells;         // KV cells, shared by all sequences
  uint32_t batch_tokens;  // most tokens of one decode
  uint32_t micro_batch_tokens;
  uint32_t sequences;
  uint32_t outputs;  // most answer slots of one decode
  int32_t threads;
};

// In place of an option's token: the natural logarithm of the probability of the slot's options before it, together.
constexpr int32_t LABEL_MASS = -1;

// One decode in flat arrays. The caller has checked every bound: a token's sequences are
// sequences[sequence_offsets[i] .. sequence_offsets[i + 1]], a slot's option tokens likewise.
struct Decode {
  size_t token_count;
  const int32_t * tokens;
  const float * embeddings;  // null, or embeddings in place of all tokens
  bool causal;               // whether a token attends only to earlier ones
  const int32_t * positions;
  const int32_t * sequence_offsets;
  const int32_t * sequences;
  size_t slot_count;
  const int32_t * slots;
  const int32_t * option_offsets;
  const int32_t * option_tokens;
};

// Bytes of one device that a context and its model take; an empty name means RAM.
struct MemoryUse {
  std::string device;
  uint64_t weights;
  uint64_t cache;
  uint64_t compute;
  uint64_t outputs;  // logits of the answer slots
};

enum class Failure { cancelled, no_cells, failed };

struct DecodeError : std::runtime_error {
  DecodeError(Failure failure, const char * message) : std::runtime_error(message), failure(failure) {}
  Failure failure;
};

class Context {
 public:
  Context(std::shared_ptr<Model> model, const ContextOptions & options);
  ~Context();
  Context(const Context &) = delete;

  // Runs one decode and writes each slot's option logits, in order, to `logits`. `cancel`: a word that
  // another thread may set to non-zero. Throws DecodeError; the KV cache is then cleared. After Failure::failed the
  // device may compute nothing more on this context.
  void decode(const Decode & decode, const std::atomic<int32_t> * cancel, float * logits);

  void copy_sequence(int32_t from, int32_t to);
  void remove_sequence(int32_t sequence);
  void clear();
  // Clears, and overwrites every cell with zeros: takes as long as writing the whole KV cache.
  void erase();
  // The sizes of the buffers, or for a model opened for its sizes only, those that they would have.
  std::vector<MemoryUse> memory() const;

 private:
  void attach_threads(int32_t count);

  std::shared_ptr<Model> model_;
  llama_context * context_ = nullptr;
  const uint32_t outputs_;
  const size_t vocabulary_size_;
  struct ggml_threadpool * threads_ = nullptr;
  const std::atomic<int32_t> * cancel_ = nullptr;
};

}  // namespace decider
