#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "llama.h"

// Model weights, shared by every thread of the process.
namespace decider {

struct ModelOptions {
  std::string path;
  // The name of the one device that holds the weights; empty: the CPU.
  std::string device;
  // Map the file instead of copying its weights.
  bool mapped;
  // Read no weights and allocate no buffers: the model's contexts report their memory, and cannot decode.
  bool sizes_only;
};

struct TokenEntry {
  llama_token id;
  std::string text;
};

struct ModelDescription {
  std::string summary;
  uint64_t size_bytes;
  uint64_t parameters;
  int32_t vocabulary_size;
  int32_t context_length;
  int32_t layers;
  int32_t embedding_length;
  int32_t sliding_window;
  // Bytes of the longest token.
  uint64_t longest_token_bytes;
  std::string bos_text;
  std::string eos_text;
  std::map<std::string, std::string> metadata;
  // Tokens that are control or unknown: never produced from text unless special tokens are parsed.
  std::vector<TokenEntry> control_tokens;
  // Tokens for single bytes that no other token covers.
  std::vector<llama_token> byte_tokens;
  // User-defined tokens: llama.cpp recognizes them in any text, even if special tokens are not parsed.
  std::vector<TokenEntry> user_defined_tokens;
};

class Model {
 public:
  explicit Model(llama_model * model) : model_(model), vocabulary_(llama_model_get_vocab(model)) {}
  ~Model() { llama_model_free(model_); }
  Model(const Model &) = delete;

  llama_model * get() const { return model_; }
  // Throws std::runtime_error if the file has no vocabulary.
  ModelDescription describe() const;
  std::vector<llama_token> tokenize(const std::string & text, bool parse_special) const;
  std::string piece(llama_token token) const;

 private:
  llama_model * model_;
  const llama_vocab * vocabulary_;
};

// Writes the model in file `from` to file `to` with its matrices stored as `type`: `q8_0`, `f16` or `q4_0`.
// Vectors keep their type. Throws std::runtime_error with llama.cpp's reason.
void quantize_model(const std::string & from, const std::string & to, const std::string & type);

// Returns the model of these options, loading it unless a thread has done so; waits while another thread
// is loading it. Throws std::runtime_error with llama.cpp's reason. `progress` gets 0…1, runs on the
// calling thread, and returns whether to continue.
std::shared_ptr<Model> open_model(const ModelOptions & options, const std::function<bool(float)> & progress);

}  // namespace decider
