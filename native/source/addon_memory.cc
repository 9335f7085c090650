// The Node-API surface of V8's account of memory; like addon.cc it checks nothing.
#include "addon.h"

namespace decider {
namespace {

// countMemory(memory: SharedArrayBuffer): counts for this thread until its last reference here is gone.
void count_memory(const Napi::CallbackInfo & info) {
  const auto memory = info[0].As<Napi::Object>();
  const int64_t bytes = memory.Get("byteLength").As<Napi::Number>();
  Napi::MemoryManagement::AdjustExternalMemory(info.Env(), bytes);
  memory.AddFinalizer(
      [](Napi::Env env, int64_t * counted) {
        Napi::MemoryManagement::AdjustExternalMemory(env, -*counted);
        delete counted;
      },
      new int64_t(bytes));
}

}  // namespace

void export_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("countMemory", Napi::Function::New(env, count_memory));
}

}  // namespace decider
