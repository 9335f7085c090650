#include "context.h"

#include <algorithm>
#include <map>
#include <vector>

#include "backend.h"
#include "ggml-backend.h"
#include "ggml-cpu.h"
#include "llama-ext.h"
#include "log_probability.h"

namespace decider {
namespace {

ggml_backend_reg_t cpu_registry() {
  ggml_backend_dev_t cpu = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
  return cpu == nullptr ? nullptr : ggml_backend_dev_backend_reg(cpu);
}

// The CPU backend is chosen at run time, so its functions are looked up rather than linked.
template <typename Function>
Function cpu_function(const char * name) {
  ggml_backend_reg_t registry = cpu_registry();
  return registry == nullptr ? nullptr
                             : reinterpret_cast<Function>(ggml_backend_reg_get_proc_address(registry, name));
}

// The name of the device that holds buffers of a type; empty if they are in RAM. Host memory that a GPU's driver has
// pinned and weights that the CPU backend has rearranged are RAM too.
std::string memory_name(ggml_backend_buffer_type_t type) {
  ggml_backend_dev_t device = ggml_backend_buft_get_device(type);
  if (device == nullptr || ggml_backend_buft_is_host(type)) return "";
  const auto kind = ggml_backend_dev_type(device);
  const bool gpu = kind == GGML_BACKEND_DEVICE_TYPE_GPU || kind == GGML_BACKEND_DEVICE_TYPE_IGPU;
  return gpu ? ggml_backend_dev_name(device) : "";
}

}  // namespace

Context::Context(std::shared_ptr<Model> model, const ContextOptions & options)
    : model_(std::move(model)),
      outputs_(std::max(options.outputs, options.sequences)),
      vocabulary_size_(static_cast<size_t>(llama_vocab_n_tokens(llama_model_get_vocab(model_->get())))) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = options.cells;
  params.n_batch = options.batch_tokens;
  params.n_ubatch = options.micro_batch_tokens;
  params.n_seq_max = options.sequences;
  // Otherwise llama.cpp reserves logits for every token of a micro-batch: 2.1 GB at a vocabulary of 262,144.
  params.n_outputs_max = options.outputs;
  params.n_threads = options.threads;
  params.n_threads_batch = options.threads;
  params.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_ENABLED;
  // One token may carry several sequences only in a unified cache; copying a sequence then copies no data.
  params.kv_unified = true;
  // A bounded sliding-window cache does not take back the cells of shared sequences, so a long shared
  // prefix would not fit; with this many sequences it would hardly be smaller.
  params.swa_full = true;
  params.no_perf = true;
  params.abort_callback = [](void * data) {
    const auto * cancel = static_cast<Context *>(data)->cancel_;
    return cancel != nullptr && cancel->load(std::memory_order_relaxed) != 0;
  };
  params.abort_callback_data = this;

  ErrorCapture errors;
  context_ = llama_init_from_model(model_->get(), params);
  if (context_ == nullptr) throw std::runtime_error("no context could be made: " + errors.text());
  attach_threads(options.threads);
}

Context::~Context() {
  llama_free(context_);
  if (threads_ == nullptr) return;
  cpu_function<void (*)(ggml_threadpool *)>("ggml_threadpool_free")(threads_);
}

// Without a thread pool ggml starts and ends its threads at every decode.
void Context::attach_threads(int32_t count) {
  const auto make = cpu_function<ggml_threadpool * (*)(ggml_threadpool_params *)>("ggml_threadpool_new");
  if (make == nullptr) return;
  ggml_threadpool_params params = ggml_threadpool_params_default(count);
  threads_ = make(&params);
  if (threads_ != nullptr) llama_attach_threadpool(context_, threads_, nullptr);
}

void Context::decode(const Decode & decode, const std::atomic<int32_t> * cancel, float * logits) {
  const size_t count = decode.token_count;
  std::vector<int32_t> sequence_counts(count);
  std::vector<llama_seq_id *> sequences(count);
  std::vector<int8_t> outputs(count, 0);
  for (size_t i = 0; i < count; i++) {
    sequence_counts[i] = decode.sequence_offsets[i + 1] - decode.sequence_offsets[i];
    sequences[i] = const_cast<llama_seq_id *>(decode.sequences + decode.sequence_offsets[i]);
  }
  for (size_t s = 0; s < decode.slot_count; s++) outputs[static_cast<size_t>(decode.slots[s])] = 1;

  llama_batch batch{};
  batch.n_tokens = static_cast<int32_t>(count);
  if (decode.embeddings == nullptr) batch.token = const_cast<llama_token *>(decode.tokens);
  batch.embd = const_cast<float *>(decode.embeddings);
  batch.pos = const_cast<llama_pos *>(decode.positions);
  batch.n_seq_id = sequence_counts.data();
  batch.seq_id = sequences.data();
  batch.logits = outputs.data();

  llama_set_causal_attn(context_, decode.causal);
  ErrorCapture errors;
  cancel_ = cancel;
  const int32_t status = llama_decode(context_, batch);
  cancel_ = nullptr;
  if (status != 0) {
    clear();
    if (status == 2) throw DecodeError(Failure::cancelled, "the decode was cancelled");
    if (status == 1) throw DecodeError(Failure::no_cells, "the KV cache has no room for the decode");
    throw DecodeError(Failure::failed, "llama_decode failed");
  }
  // llama_decode returns before a GPU has computed. If Metal then fails, llama_synchronize only logs it (has_error in
  // ggml-metal-context.m), and the logits are those of an earlier decode. A decode that succeeds logs no errors.
  llama_synchronize(context_);
  if (!errors.empty()) {
    clear();
    throw DecodeError(Failure::failed, ("the device failed to compute: " + errors.text()).c_str());
  }
  for (size_t s = 0; s < decode.slot_count; s++) {
    const float * row = llama_get_logits_ith(context_, decode.slots[s]);
    if (row == nullptr) {
      clear();
      throw DecodeError(Failure::failed, "llama.cpp returned no logits for an answer slot");
    }
    const int32_t * first = decode.option_tokens + decode.option_offsets[s];
    const int32_t * end = decode.option_tokens + decode.option_offsets[s + 1];
    for (const int32_t * option = first; option != end; option++) {
      *logits++ = *option == LABEL_MASS ? static_cast<float>(log_probability(row, vocabulary_size_, first, option - first))
                                        : row[*option];
    }
  }
}

void Context::copy_sequence(int32_t from, int32_t to) {
  llama_memory_seq_cp(llama_get_memory(context_), from, to, -1, -1);
}

void Context::remove_sequence(int32_t sequence) {
  llama_memory_seq_rm(llama_get_memory(context_), sequence, -1, -1);
}

// Cells are marked free, not overwritten. The attention of a GPU still reads the free ones between those in use, and adds
// the mask: numbers in them change nothing, but a NaN would reach the logits of every sequence. See `erase`.
void Context::clear() { llama_memory_clear(llama_get_memory(context_), false); }

void Context::erase() { llama_memory_clear(llama_get_memory(context_), true); }

std::vector<MemoryUse> Context::memory() const {
  std::map<std::string, MemoryUse> found;
  for (const auto & [type, bytes] : llama_get_memory_breakdown(context_)) {
    auto & use = found[memory_name(type)];
    use.weights += bytes.model;
    use.cache += bytes.context;
    use.compute += bytes.compute;
  }
  // Not in the report; llama_context::output_reserve in llama-context.cpp.
  found[""].outputs = sizeof(float) * outputs_ * static_cast<uint64_t>(vocabulary_size_);
  std::vector<MemoryUse> result;
  for (auto & [name, use] : found) {
    use.device = name;
    result.push_back(use);
  }
  return result;
}

}  // namespace decider
