#pragma once

#include <string>
#include <vector>

// The process-wide part of llama.cpp: its compute backends, its devices and its log.
namespace decider {

struct Device {
  std::string name;
  std::string description;
  bool gpu;
  bool integrated;
};

struct DeviceMemory {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
};

// Loads every compute backend in the folder, once per process and folder; later calls do nothing.
void load_backends(const std::string & folder);

std::vector<Device> list_devices();

// The memory of a device; zeros if there is no such device, or if it does not report its memory. On a GPU of NVIDIA it
// creates the context of CUDA, which takes several hundred megabytes of that memory until the process ends.
DeviceMemory device_memory(const std::string & name);

// Receives llama.cpp's log lines; called on whichever thread logs. Null: the lines are dropped.
using LogSink = void (*)(int level, const char * text);
void set_log_sink(LogSink sink);

// The last error that llama.cpp logged on this thread; empty if there was none.
const std::string & last_error_line();

// Collects the error lines that the current thread logs during its lifetime: llama.cpp reports only there why
// a model cannot be loaded, and that Metal has failed to compute.
class ErrorCapture {
 public:
  ErrorCapture();
  ~ErrorCapture();
  ErrorCapture(const ErrorCapture &) = delete;
  bool empty() const { return text_.empty(); }
  std::string text() const { return text_; }
  void append(const char * text);

 private:
  std::string text_;
  ErrorCapture * outer_;
};

}  // namespace decider
