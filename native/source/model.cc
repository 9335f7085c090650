#include "model.h"

#include <algorithm>
#include <stdexcept>

#include "backend.h"
#include "ggml-backend.h"
#include "shared.h"

namespace decider {
namespace {

// With the projectors, the only process-wide state besides the backends.
Shared<Model> models;

template <typename Read>
std::string read_string(Read read) {
  const int32_t length = read(nullptr, 0);
  if (length < 0) return "";
  std::string text(static_cast<size_t>(length) + 1, '\0');
  read(text.data(), text.size());
  text.resize(static_cast<size_t>(length));
  return text;
}

llama_model * load(const ModelOptions & options, const std::function<bool(float)> & progress) {
  llama_model_params params = llama_model_default_params();
  ggml_backend_dev_t devices[2] = {nullptr, nullptr};
  if (!options.device.empty()) {
    devices[0] = ggml_backend_dev_by_name(options.device.c_str());
    if (devices[0] == nullptr) throw std::runtime_error("no device is named " + options.device);
  }
  // An empty list keeps the model off every GPU; a null pointer would mean all of them.
  params.devices = devices;
  params.n_gpu_layers = options.device.empty() ? 0 : -1;
  params.split_mode = LLAMA_SPLIT_MODE_LAYER;
  // Mapped weights change when the file is overwritten, and truncating the file ends the process (SIGBUS).
  params.no_alloc = options.sizes_only;
  params.load_mode = options.mapped ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
  params.lazy_mode = LLAMA_LAZY_MODE_OFF;
  // Repacked weights would be a private copy, as large as the file.
  params.use_extra_bufts = !options.mapped;
  params.progress_callback = [](float value, void * data) {
    return (*static_cast<const std::function<bool(float)> *>(data))(value);
  };
  params.progress_callback_user_data = const_cast<std::function<bool(float)> *>(&progress);

  ErrorCapture errors;
  llama_model * model = llama_model_load_from_file(options.path.c_str(), params);
  if (model == nullptr) throw std::runtime_error(errors.text().empty() ? "unknown reason" : errors.text());
  return model;
}

}  // namespace

std::shared_ptr<Model> open_model(const ModelOptions & options, const std::function<bool(float)> & progress) {
  if (options.sizes_only) return std::make_shared<Model>(load(options, progress));
  return models.get(options.device + "\n" + options.path,
                    [&] { return std::make_shared<Model>(load(options, progress)); });
}

void quantize_model(const std::string & from, const std::string & to, const std::string & type) {
  llama_model_quantize_params params = llama_model_quantize_default_params();
  params.ftype = type == "q8_0"   ? LLAMA_FTYPE_MOSTLY_Q8_0
                 : type == "q4_0" ? LLAMA_FTYPE_MOSTLY_Q4_0
                                  : LLAMA_FTYPE_MOSTLY_F16;
  // Otherwise llama.cpp gives some matrices another type, depending on the architecture.
  params.pure = true;
  ErrorCapture errors;
  if (llama_model_quantize(from.c_str(), to.c_str(), &params) != 0) {
    throw std::runtime_error(errors.text().empty() ? "unknown reason" : errors.text());
  }
}

ModelDescription Model::describe() const {
  // llama.cpp aborts when it is asked about a token of such a file.
  if (llama_vocab_type(vocabulary_) == LLAMA_VOCAB_TYPE_NONE) throw std::runtime_error("the file has no vocabulary");
  ModelDescription result;
  result.summary = read_string([&](char * out, size_t size) { return llama_model_desc(model_, out, size); });
  result.size_bytes = llama_model_size(model_);
  result.parameters = llama_model_n_params(model_);
  result.vocabulary_size = llama_vocab_n_tokens(vocabulary_);
  result.context_length = llama_model_n_ctx_train(model_);
  result.layers = llama_model_n_layer(model_);
  result.embedding_length = llama_model_n_embd(model_);
  result.sliding_window = llama_model_n_swa(model_);
  const auto text_of = [&](llama_token token) {
    return token == LLAMA_TOKEN_NULL ? "" : std::string(llama_vocab_get_text(vocabulary_, token));
  };
  result.bos_text = text_of(llama_vocab_bos(vocabulary_));
  result.eos_text = text_of(llama_vocab_eos(vocabulary_));
  for (int32_t i = 0; i < llama_model_meta_count(model_); i++) {
    const auto key = read_string(
        [&](char * out, size_t size) { return llama_model_meta_key_by_index(model_, i, out, size); });
    result.metadata[key] = read_string(
        [&](char * out, size_t size) { return llama_model_meta_val_str_by_index(model_, i, out, size); });
  }
  result.longest_token_bytes = 0;
  for (llama_token token = 0; token < result.vocabulary_size; token++) {
    result.longest_token_bytes = std::max<uint64_t>(result.longest_token_bytes, text_of(token).size());
    const auto attributes = llama_vocab_get_attr(vocabulary_, token);
    if (attributes & (LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNKNOWN)) {
      result.control_tokens.push_back({token, text_of(token)});
    } else if (attributes & LLAMA_TOKEN_ATTR_BYTE) {
      result.byte_tokens.push_back(token);
    } else if (attributes & LLAMA_TOKEN_ATTR_USER_DEFINED) {
      result.user_defined_tokens.push_back({token, text_of(token)});
    }
  }
  return result;
}

std::vector<llama_token> Model::tokenize(const std::string & text, bool parse_special) const {
  const auto run = [&](std::vector<llama_token> & out) {
    return llama_tokenize(vocabulary_, text.data(), static_cast<int32_t>(text.size()), out.data(),
                          static_cast<int32_t>(out.size()), false, parse_special);
  };
  std::vector<llama_token> tokens(text.size() + 8);
  int32_t count = run(tokens);
  if (count < 0) {
    tokens.resize(static_cast<size_t>(-count));
    count = run(tokens);
  }
  tokens.resize(static_cast<size_t>(count));
  return tokens;
}

std::string Model::piece(llama_token token) const {
  std::string text(64, '\0');
  int32_t length = llama_token_to_piece(vocabulary_, token, text.data(), static_cast<int32_t>(text.size()), 0, true);
  if (length < 0) {
    text.resize(static_cast<size_t>(-length));
    length = llama_token_to_piece(vocabulary_, token, text.data(), static_cast<int32_t>(text.size()), 0, true);
  }
  text.resize(static_cast<size_t>(length));
  return text;
}

}  // namespace decider
