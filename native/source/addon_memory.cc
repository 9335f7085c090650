// The Node-API surface for reporting memory to V8; like addon.cc, it checks nothing.
#include "addon.h"

namespace decider {
namespace {

// countMemory(memory: SharedArrayBuffer, bytes): number. Counted until this thread's last reference is collected.
Napi::Value count_memory(const Napi::CallbackInfo & info) {
  const auto memory = info[0].As<Napi::Object>();
  const int64_t bytes = info[1].As<Napi::Number>();
  const int64_t told = Napi::MemoryManagement::AdjustExternalMemory(info.Env(), bytes);
  memory.AddFinalizer(
      [](Napi::Env env, int64_t * counted) {
        Napi::MemoryManagement::AdjustExternalMemory(env, -*counted);
        delete counted;
      },
      new int64_t(bytes));
  return Napi::Number::New(info.Env(), static_cast<double>(told));
}

}  // namespace

void export_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("countMemory", Napi::Function::New(env, count_memory));
}

}  // namespace decider
