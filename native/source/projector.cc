#include "projector.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "backend.h"
#include "ggml.h"
#include "gguf.h"
#include "mtmd.h"
#include "shared.h"

namespace decider {
namespace {

// Wide enough that llama.cpp does not resize a grid of whole tokens: the caller has chosen its size.
constexpr int TOKENS_MIN = 1;
constexpr int TOKENS_MAX = 1120;

Shared<Projector> projectors;

std::string text_of(const gguf_context * file, const char * key) {
  const int64_t id = gguf_find_key(file, key);
  return id < 0 || gguf_get_kv_type(file, id) != GGUF_TYPE_STRING ? "" : gguf_get_val_str(file, id);
}

uint32_t number_of(const gguf_context * file, const char * key, uint32_t otherwise) {
  const int64_t id = gguf_find_key(file, key);
  return id < 0 || gguf_get_kv_type(file, id) != GGUF_TYPE_UINT32 ? otherwise : gguf_get_val_u32(file, id);
}

struct Chunks {
  mtmd_input_chunks * chunks = mtmd_input_chunks_init();
  mtmd_bitmap * bitmap;

  // With null pixels only the tokens are counted.
  Chunks(const mtmd_context * context, const Pixels & pixels)
      : bitmap(mtmd_bitmap_init(pixels.width, pixels.height, pixels.rgb)) {
    const mtmd_input_part part{nullptr, bitmap};
    const mtmd_input_part * parts[] = {&part};
    if (mtmd_tokenize_from_parts(context, chunks, parts, 1, false) != 0) {
      release();
      throw std::runtime_error("the image could not be prepared");
    }
  }
  ~Chunks() { release(); }
  Chunks(const Chunks &) = delete;

  size_t size() const { return mtmd_input_chunks_size(chunks); }
  const mtmd_input_chunk * operator[](size_t i) const { return mtmd_input_chunks_get(chunks, i); }

 private:
  void release() {
    mtmd_bitmap_free(bitmap);
    mtmd_input_chunks_free(chunks);
  }
};

bool is_image(const mtmd_input_chunk * chunk) {
  return mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_IMAGE;
}

}  // namespace

ProjectorFile read_projector_file(const std::string & path) {
  ggml_context * tensors = nullptr;
  const gguf_init_params params{true, &tensors};
  const std::unique_ptr<gguf_context, decltype(&gguf_free)> file(gguf_init_from_file(path.c_str(), params), gguf_free);
  if (file == nullptr) throw std::runtime_error("it is no GGUF file");
  const std::unique_ptr<ggml_context, decltype(&ggml_free)> held(tensors, ggml_free);
  ProjectorFile result{};
  result.kind = text_of(file.get(), "clip.projector_type");
  if (result.kind.empty()) result.kind = text_of(file.get(), "clip.vision.projector_type");
  result.patch_size = number_of(file.get(), "clip.vision.patch_size", 0);
  result.merge = number_of(file.get(), "clip.vision.projector.scale_factor", 3);
  if (const ggml_tensor * projection = ggml_get_tensor(tensors, "mm.input_projection.weight")) {
    result.width = static_cast<uint32_t>(projection->ne[1]);
  }
  if (const ggml_tensor * positions = ggml_get_tensor(tensors, "v.position_embd.weight")) {
    result.positions = static_cast<uint32_t>(positions->ne[1]);
  }
  for (int64_t i = 0; i < gguf_get_n_tensors(file.get()); i++) result.size_bytes += gguf_get_tensor_size(file.get(), i);
  return result;
}

uint64_t projector_compute_bytes(const std::string & path) {
  mtmd_context_params params = mtmd_context_params_default();
  // llama.cpp allocates the weights here, unlike those of a model: in RAM they take no pages until they are written.
  params.use_gpu = false;
  params.warmup = true;
  uint64_t total = 0;
  for (const auto & [_, bytes] : mtmd_get_memory_usage(path.c_str(), params)) total += bytes;
  if (total == 0) throw std::runtime_error("it is no projector that llama.cpp can read");
  const uint64_t weights = read_projector_file(path).size_bytes;
  return total > weights ? total - weights : 0;
}

Projector::Projector(std::shared_ptr<Model> model, const ProjectorOptions & options)
    : model_(std::move(model)), options_(options) {
  open();
}

void Projector::open() {
  mtmd_context_params params = mtmd_context_params_default();
  params.use_gpu = !options_.device.empty();
  if (params.use_gpu) params.device = ggml_backend_dev_by_name(options_.device.c_str());
  params.print_timings = false;
  params.n_threads = options_.threads;
  params.warmup = false;
  params.image_min_tokens = TOKENS_MIN;
  params.image_max_tokens = TOKENS_MAX;
  ErrorCapture errors;
  context_ = mtmd_init_from_file(options_.path.c_str(), model_->get(), params);
  if (context_ == nullptr) throw std::runtime_error(errors.text().empty() ? "unknown reason" : errors.text());
}

Projector::~Projector() { close(); }

void Projector::close() {
  mtmd_free(context_);
  context_ = nullptr;
}

void Projector::require_open() {
  if (context_ == nullptr) open();
}

void Projector::markers(uint32_t side, std::vector<llama_token> & begin, std::vector<llama_token> & end) {
  std::lock_guard<std::mutex> lock(mutex_);
  require_open();
  const Chunks chunks(context_, {side, side, nullptr});
  bool behind = false;
  for (size_t i = 0; i < chunks.size(); i++) {
    if (is_image(chunks[i])) {
      behind = true;
      continue;
    }
    size_t count = 0;
    const llama_token * tokens = mtmd_input_chunk_get_tokens_text(chunks[i], &count);
    auto & list = behind ? end : begin;
    list.insert(list.end(), tokens, tokens + count);
  }
}

bool Projector::non_causal() {
  std::lock_guard<std::mutex> lock(mutex_);
  require_open();
  return mtmd_decode_use_non_causal(context_, nullptr);
}

void Projector::encode(const Pixels & pixels, float * out, size_t count) {
  std::lock_guard<std::mutex> lock(mutex_);
  require_open();
  const Chunks chunks(context_, pixels);
  const size_t width = static_cast<size_t>(llama_model_n_embd_inp(model_->get()));
  for (size_t i = 0; i < chunks.size(); i++) {
    if (!is_image(chunks[i])) continue;
    if (mtmd_input_chunk_get_n_tokens(chunks[i]) * width != count) {
      throw std::runtime_error("the image has another number of tokens than its size says");
    }
    ErrorCapture errors;
    // If Metal fails to compute, it is only logged, and the output is another one.
    if (mtmd_encode_chunk(context_, chunks[i]) != 0 || !errors.empty()) {
      close();
      throw std::runtime_error("the image could not be encoded: " + errors.text());
    }
    std::copy_n(mtmd_get_output_embd(context_), count, out);
    return;
  }
  throw std::runtime_error("the image has no tokens");
}

std::shared_ptr<Projector> open_projector(std::shared_ptr<Model> model, const ProjectorOptions & options) {
  // Keyed by the weights: the same file beside another model is another projector.
  const std::string key = std::to_string(reinterpret_cast<uintptr_t>(model->get())) + "\n" + options.path;
  return projectors.get(key, [&] { return std::make_shared<Projector>(std::move(model), options); });
}

}  // namespace decider
