// The Node-API surface: turns JavaScript values into the plain structs of the other files and back.
// JavaScript has checked every argument; nothing is checked again here.
#include <mutex>

#include "addon.h"
#include "backend.h"
#include "context.h"
#include "model.h"
#include "tensors.h"

namespace decider {
namespace {

// One per Node environment (the main thread and each worker has its own).
struct Environment {
  Napi::FunctionReference context;
  napi_threadsafe_function log = nullptr;
};

// --- log: one receiver per process, the last one registered -------------------------------------------------

std::mutex log_mutex;
napi_threadsafe_function log_receiver = nullptr;

struct LogLine {
  int level;
  std::string text;
};

void send_log(int level, const char * text) {
  std::lock_guard<std::mutex> lock(log_mutex);
  if (log_receiver == nullptr) return;
  auto * line = new LogLine{level, text};
  if (napi_call_threadsafe_function(log_receiver, line, napi_tsfn_nonblocking) != napi_ok) delete line;
}

void deliver_log(napi_env env, napi_value callback, void *, void * data) {
  std::unique_ptr<LogLine> line(static_cast<LogLine *>(data));
  if (env == nullptr || callback == nullptr) return;
  napi_value arguments[2];
  napi_value global;
  if (napi_create_int32(env, line->level, &arguments[0]) != napi_ok) return;
  if (napi_create_string_utf8(env, line->text.data(), line->text.size(), &arguments[1]) != napi_ok) return;
  if (napi_get_global(env, &global) != napi_ok) return;
  napi_call_function(env, global, callback, 2, arguments, nullptr);
}

void release_log(void * data) {
  auto & environment = *static_cast<Environment *>(data);
  if (environment.log == nullptr) return;
  {
    std::lock_guard<std::mutex> lock(log_mutex);
    if (log_receiver == environment.log) log_receiver = nullptr;
  }
  napi_release_threadsafe_function(environment.log, napi_tsfn_abort);
  environment.log = nullptr;
}

// onLog(callback(level, text)): receives the lines of every thread of the process.
void on_log(const Napi::CallbackInfo & info) {
  auto & environment = *info.Env().GetInstanceData<Environment>();
  napi_remove_env_cleanup_hook(info.Env(), release_log, &environment);
  release_log(&environment);
  const napi_status status =
      napi_create_threadsafe_function(info.Env(), info[0], nullptr, Napi::String::New(info.Env(), "log"), 1024, 1,
                                      nullptr, nullptr, nullptr, deliver_log, &environment.log);
  if (status != napi_ok) throw Napi::Error::New(info.Env(), "the log could not be set");
  // Cleanup hooks run last in, first out: this one runs before the function's own, which ends it. The finalizer of the
  // instance data would run after both.
  napi_add_env_cleanup_hook(info.Env(), release_log, &environment);
  napi_unref_threadsafe_function(info.Env(), environment.log);
  {
    std::lock_guard<std::mutex> lock(log_mutex);
    log_receiver = environment.log;
  }
  set_log_sink(send_log);
}

// --- backends ---------------------------------------------------------------------------------------

// loadBackends(folder): Device[]
Napi::Value load_backends_js(const Napi::CallbackInfo & info) {
  load_backends(info[0].As<Napi::String>());
  const auto devices = list_devices();
  auto result = Napi::Array::New(info.Env(), devices.size());
  for (size_t i = 0; i < devices.size(); i++) {
    auto entry = Napi::Object::New(info.Env());
    entry.Set("name", devices[i].name);
    entry.Set("description", devices[i].description);
    entry.Set("gpu", devices[i].gpu);
    entry.Set("integrated", devices[i].integrated);
    result[static_cast<uint32_t>(i)] = entry;
  }
  return result;
}

// deviceMemory(name): {free, total}
Napi::Value device_memory_js(const Napi::CallbackInfo & info) {
  const auto memory = device_memory(info[0].As<Napi::String>());
  auto result = Napi::Object::New(info.Env());
  result.Set("free", static_cast<double>(memory.free_bytes));
  result.Set("total", static_cast<double>(memory.total_bytes));
  return result;
}

// --- context ----------------------------------------------------------------------------------------

const int32_t * ints(const Napi::Object & object, const char * name) {
  return object.Get(name).As<Napi::Int32Array>().Data();
}

size_t length(const Napi::Object & object, const char * name) {
  return object.Get(name).As<Napi::Int32Array>().ElementLength();
}

Napi::Error decode_error(Napi::Env env, const DecodeError & error) {
  auto result = Napi::Error::New(env, error.what());
  const char * code = error.failure == Failure::cancelled  ? "cancelled"
                      : error.failure == Failure::no_cells ? "no_cells"
                                                           : "decode_failed";
  result.Set("code", Napi::String::New(env, code));
  return result;
}

class ContextObject : public Napi::ObjectWrap<ContextObject> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Context",
                       {InstanceMethod("decode", &ContextObject::decode),
                        InstanceMethod("copySequence", &ContextObject::copy_sequence),
                        InstanceMethod("removeSequence", &ContextObject::remove_sequence),
                        InstanceMethod("clear", &ContextObject::clear),
                        InstanceMethod("erase", &ContextObject::erase),
                        InstanceMethod("memory", &ContextObject::memory),
                        InstanceMethod("close", &ContextObject::close)});
  }

  explicit ContextObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ContextObject>(info) {
    auto model = *info[0].As<Napi::External<std::shared_ptr<Model>>>().Data();
    const auto object = info[1].As<Napi::Object>();
    const auto number = [&](const char * name) { return object.Get(name).As<Napi::Number>().Uint32Value(); };
    ContextOptions options;
    options.cells = number("cells");
    options.batch_tokens = number("batchTokens");
    options.micro_batch_tokens = number("microBatchTokens");
    options.sequences = number("sequences");
    options.outputs = number("outputs");
    options.threads = static_cast<int32_t>(number("threads"));
    try {
      context_ = std::make_unique<Context>(std::move(model), options);
    } catch (const std::exception & error) {
      throw Napi::Error::New(info.Env(), error.what());
    }
  }

 private:
  // decode(batch, cancel: Int32Array(1)): Float32Array
  Napi::Value decode(const Napi::CallbackInfo & info) {
    const auto batch = info[0].As<Napi::Object>();
    const auto * cancel = reinterpret_cast<const std::atomic<int32_t> *>(info[1].As<Napi::Int32Array>().Data());
    const auto embeddings = batch.Get("embeddings");
    const Decode decode{length(batch, "positions"),
                        ints(batch, "tokens"),
                        embeddings.IsNull() ? nullptr : embeddings.As<Napi::Float32Array>().Data(),
                        batch.Get("causal").As<Napi::Boolean>(),
                        ints(batch, "positions"),
                        ints(batch, "sequenceOffsets"),
                        ints(batch, "sequences"),
                        length(batch, "slots"),
                        ints(batch, "slots"),
                        ints(batch, "optionOffsets"),
                        ints(batch, "optionTokens")};
    auto logits = Napi::Float32Array::New(info.Env(), length(batch, "optionTokens"));
    try {
      context_->decode(decode, cancel, logits.Data());
    } catch (const DecodeError & error) {
      throw decode_error(info.Env(), error);
    } catch (const std::exception & error) {
      context_->clear();
      throw decode_error(info.Env(), DecodeError(Failure::failed, error.what()));
    }
    return logits;
  }

  void copy_sequence(const Napi::CallbackInfo & info) {
    context_->copy_sequence(info[0].As<Napi::Number>(), info[1].As<Napi::Number>());
  }
  void remove_sequence(const Napi::CallbackInfo & info) { context_->remove_sequence(info[0].As<Napi::Number>()); }
  void clear(const Napi::CallbackInfo &) { context_->clear(); }
  void erase(const Napi::CallbackInfo &) { context_->erase(); }
  void close(const Napi::CallbackInfo &) { context_.reset(); }

  // memory(): MemoryUse[]
  Napi::Value memory(const Napi::CallbackInfo & info) {
    const auto uses = context_->memory();
    auto result = Napi::Array::New(info.Env(), uses.size());
    for (size_t i = 0; i < uses.size(); i++) {
      auto entry = Napi::Object::New(info.Env());
      entry.Set("device", uses[i].device);
      entry.Set("weights", static_cast<double>(uses[i].weights));
      entry.Set("cache", static_cast<double>(uses[i].cache));
      entry.Set("compute", static_cast<double>(uses[i].compute));
      entry.Set("outputs", static_cast<double>(uses[i].outputs));
      result[static_cast<uint32_t>(i)] = entry;
    }
    return result;
  }

  std::unique_ptr<Context> context_;
};

// --- model ------------------------------------------------------------------------------------------

Model & model_of(const Napi::CallbackInfo & info) { return **info[0].As<ModelHandle>().Data(); }

// openModel({path, device, mapped, sizesOnly}, onProgress(0…1): whether to continue): handle
Napi::Value open_model_js(const Napi::CallbackInfo & info) {
  const auto env = info.Env();
  const auto object = info[0].As<Napi::Object>();
  const auto on_progress = info[1].As<Napi::Function>();
  const ModelOptions options{object.Get("path").As<Napi::String>(), object.Get("device").As<Napi::String>(),
                             object.Get("mapped").As<Napi::Boolean>(), object.Get("sizesOnly").ToBoolean()};
  try {
    auto model = open_model(options, [&](float value) {
      Napi::HandleScope scope(env);
      return on_progress.Call({Napi::Number::New(env, value)}).ToBoolean().Value();
    });
    return ModelHandle::New(env, new std::shared_ptr<Model>(model),
                            [](Napi::Env, std::shared_ptr<Model> * held) { delete held; });
  } catch (const Napi::Error &) {
    throw;
  } catch (const std::exception & error) {
    throw Napi::Error::New(env, error.what());
  }
}

// closeModel(handle): releases this handle's reference to the weights at once.
void close_model(const Napi::CallbackInfo & info) { info[0].As<ModelHandle>().Data()->reset(); }

// quantizeModel(from, to, type)
void quantize_model_js(const Napi::CallbackInfo & info) {
  try {
    quantize_model(info[0].As<Napi::String>(), info[1].As<Napi::String>(), info[2].As<Napi::String>());
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

// requireFinite(path, threads)
void require_finite_js(const Napi::CallbackInfo & info) {
  try {
    require_finite(info[0].As<Napi::String>(), info[1].As<Napi::Number>().Uint32Value());
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

Napi::Array token_array(Napi::Env env, const std::vector<TokenEntry> & tokens) {
  auto result = Napi::Array::New(env, tokens.size());
  for (size_t i = 0; i < tokens.size(); i++) {
    auto entry = Napi::Object::New(env);
    entry.Set("id", tokens[i].id);
    entry.Set("text", tokens[i].text);
    result[static_cast<uint32_t>(i)] = entry;
  }
  return result;
}

// describeModel(handle): ModelDescription
Napi::Value describe_model(const Napi::CallbackInfo & info) {
  const auto env = info.Env();
  const auto description = model_of(info).describe();
  auto result = Napi::Object::New(env);
  result.Set("summary", description.summary);
  result.Set("sizeBytes", static_cast<double>(description.size_bytes));
  result.Set("parameters", static_cast<double>(description.parameters));
  result.Set("vocabularySize", description.vocabulary_size);
  result.Set("contextLength", description.context_length);
  result.Set("layers", description.layers);
  result.Set("embeddingLength", description.embedding_length);
  result.Set("slidingWindow", description.sliding_window);
  result.Set("longestTokenBytes", static_cast<double>(description.longest_token_bytes));
  result.Set("bosText", description.bos_text);
  result.Set("eosText", description.eos_text);
  auto metadata = Napi::Object::New(env);
  for (const auto & [key, value] : description.metadata) metadata.Set(key, value);
  result.Set("metadata", metadata);
  auto bytes = Napi::Int32Array::New(env, description.byte_tokens.size());
  std::copy(description.byte_tokens.begin(), description.byte_tokens.end(), bytes.Data());
  result.Set("byteTokens", bytes);
  result.Set("controlTokens", token_array(env, description.control_tokens));
  result.Set("userDefinedTokens", token_array(env, description.user_defined_tokens));
  return result;
}

// tokenize(handle, text, parseSpecial): Int32Array
Napi::Value tokenize(const Napi::CallbackInfo & info) {
  const auto tokens = model_of(info).tokenize(info[1].As<Napi::String>(), info[2].As<Napi::Boolean>());
  auto result = Napi::Int32Array::New(info.Env(), tokens.size());
  std::copy(tokens.begin(), tokens.end(), result.Data());
  return result;
}

// tokenPiece(handle, token): Buffer of the token's bytes
Napi::Value token_piece(const Napi::CallbackInfo & info) {
  const auto piece = model_of(info).piece(info[1].As<Napi::Number>());
  return Napi::Buffer<char>::Copy(info.Env(), piece.data(), piece.size());
}

// createContext(handle, options): Context
Napi::Value create_context(const Napi::CallbackInfo & info) {
  return info.Env().GetInstanceData<Environment>()->context.New({info[0], info[1]});
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto * environment = new Environment{Napi::Persistent(ContextObject::define(env))};
  env.SetInstanceData(environment);
  exports.Set("onLog", Napi::Function::New(env, on_log));
  exports.Set("loadBackends", Napi::Function::New(env, load_backends_js));
  exports.Set("deviceMemory", Napi::Function::New(env, device_memory_js));
  exports.Set("openModel", Napi::Function::New(env, open_model_js));
  exports.Set("closeModel", Napi::Function::New(env, close_model));
  exports.Set("quantizeModel", Napi::Function::New(env, quantize_model_js));
  exports.Set("requireFinite", Napi::Function::New(env, require_finite_js));
  exports.Set("describeModel", Napi::Function::New(env, describe_model));
  exports.Set("tokenize", Napi::Function::New(env, tokenize));
  exports.Set("tokenPiece", Napi::Function::New(env, token_piece));
  export_projector(env, exports);
  export_memory(env, exports);
  export_abort(env, exports);
  exports.Set("createContext", Napi::Function::New(env, create_context));
  return exports;
}

}  // namespace
}  // namespace decider

static Napi::Object initialize(Napi::Env env, Napi::Object exports) { return decider::initialize(env, exports); }
NODE_API_MODULE(decider, initialize)
