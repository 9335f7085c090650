#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model.h"

struct mtmd_context;

// Turns images into embeddings that a model reads in place of tokens.
namespace decider {

// The metadata of a projector file, read without its weights.
struct ProjectorFile {
  std::string kind;
  uint32_t patch_size;   // pixels
  uint32_t merge;        // patches per side of a token
  uint32_t width;        // numbers of one embedding
  uint32_t positions;    // most patches of a side
  uint64_t size_bytes;
};

// Throws std::runtime_error if the file is not a projector.
ProjectorFile read_projector_file(const std::string & path);

// Bytes that encoding an image of 256 tokens takes on the CPU besides the weights. Throws std::runtime_error if the file
// is not a projector.
uint64_t projector_compute_bytes(const std::string & path);

struct ProjectorOptions {
  std::string path;
  std::string device;  // empty: the CPU
  int32_t threads;
};

struct Pixels {
  uint32_t width;
  uint32_t height;
  const uint8_t * rgb;
};

// Shared by every thread of the process.
class Projector {
 public:
  Projector(std::shared_ptr<Model> model, const ProjectorOptions & options);
  ~Projector();
  Projector(const Projector &) = delete;

  // The tokens before and after an image of `side` × `side` pixels.
  void markers(uint32_t side, std::vector<llama_token> & begin, std::vector<llama_token> & end);
  // Whether an image's tokens attend to later ones.
  bool non_causal();
  // Writes an image's embeddings to `out`, which has room for `count` numbers. One image at a time, so that its result
  // does not depend on others; other threads wait. Throws std::runtime_error; if the device has failed, the next image
  // loads the projector again, because Metal computes nothing after a failure.
  void encode(const Pixels & pixels, float * out, size_t count);

 private:
  void open();
  void close();
  void require_open();

  std::shared_ptr<Model> model_;
  const ProjectorOptions options_;
  mtmd_context * context_ = nullptr;
  std::mutex mutex_;
};

// Returns the projector of this file for this model, loading it unless a thread has done so. Throws std::runtime_error with
// llama.cpp's reason.
std::shared_ptr<Projector> open_projector(std::shared_ptr<Model> model, const ProjectorOptions & options);

}  // namespace decider
