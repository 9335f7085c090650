// Preloaded before llama.cpp, loses one computation as Metal does: the error is only logged, and only while the program
// waits for the device. FAILING: the function whose second call fails; LLAMA, GGML: the libraries.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace {

constexpr int LEVEL_ERROR = 4;

template <typename Function>
Function function_of(const char * library, const char * name) {
  void * handle = dlopen(getenv(library), RTLD_LAZY | RTLD_NOLOAD);
  void * found = handle == nullptr ? nullptr : dlsym(handle, name);
  if (found == nullptr) abort();
  return reinterpret_cast<Function>(found);
}

void fail_if_second(int calls, const char * name) {
  if (calls != 2 || strcmp(getenv("FAILING"), name) != 0) return;
  function_of<void (*)(int, const char *, ...)>("GGML", "ggml_log_internal")(
      LEVEL_ERROR, "%s: error: command buffer 0 failed with status 5\n", name);
}

}  // namespace

extern "C" void llama_synchronize(void * context) {
  static int calls = 0;
  fail_if_second(++calls, "llama_synchronize");
  function_of<void (*)(void *)>("LLAMA", "llama_synchronize")(context);
}

extern "C" int ggml_backend_sched_graph_compute(void * scheduler, void * graph) {
  static int calls = 0;
  fail_if_second(++calls, "ggml_backend_sched_graph_compute");
  return function_of<int (*)(void *, void *)>("GGML", "ggml_backend_sched_graph_compute")(scheduler, graph);
}
