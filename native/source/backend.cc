#include "backend.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include "ggml-backend.h"
#include "llama.h"
#include "mtmd.h"

namespace decider {
namespace {

std::mutex load_mutex;
std::set<std::string> loaded;
std::atomic<LogSink> log_sink{nullptr};
thread_local ErrorCapture * capture = nullptr;
thread_local std::string last_error;

void on_log(ggml_log_level level, const char * text, void *) {
  if (level == GGML_LOG_LEVEL_ERROR && capture != nullptr) capture->append(text);
  // Lines that begin with a space add to the one before.
  if (level == GGML_LOG_LEVEL_ERROR && text[0] != ' ') last_error.assign(text, strcspn(text, "\n"));
  if (LogSink sink = log_sink.load()) sink(static_cast<int>(level), text);
}

}  // namespace

ErrorCapture::ErrorCapture() : outer_(capture) { capture = this; }
ErrorCapture::~ErrorCapture() { capture = outer_; }
void ErrorCapture::append(const char * text) { text_ += text; }

void load_backends(const std::string & folder) {
  std::lock_guard<std::mutex> lock(load_mutex);
  const bool first = loaded.empty();
  if (first) {
    llama_log_set(on_log, nullptr);
    mtmd_log_set(on_log, nullptr);
  }
  if (!loaded.insert(folder).second) return;
  ggml_backend_load_all_from_path(folder.c_str());
  // Not earlier: without a backend it would look for libraries in the folder of node and in the working directory.
  if (first) llama_backend_init();
}

std::vector<Device> list_devices() {
  std::vector<Device> devices;
  for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
    ggml_backend_dev_t device = ggml_backend_dev_get(i);
    Device entry;
    entry.name = ggml_backend_dev_name(device);
    entry.description = ggml_backend_dev_description(device);
    const auto type = ggml_backend_dev_type(device);
    entry.integrated = type == GGML_BACKEND_DEVICE_TYPE_IGPU;
    entry.gpu = entry.integrated || type == GGML_BACKEND_DEVICE_TYPE_GPU;
    devices.push_back(entry);
  }
  return devices;
}

DeviceMemory device_memory(const std::string & name) {
  DeviceMemory memory;
  ggml_backend_dev_t device = ggml_backend_dev_by_name(name.c_str());
  if (device != nullptr) ggml_backend_dev_memory(device, &memory.free_bytes, &memory.total_bytes);
  return memory;
}

const std::string & last_error_line() { return last_error; }

void set_log_sink(LogSink sink) { log_sink.store(sink); }

}  // namespace decider
