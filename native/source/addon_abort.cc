// Says why llama.cpp ends the process, where the next process finds it. Like addon.cc, it checks nothing.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>

#include "addon.h"
#include "backend.h"
#include "ggml.h"

namespace decider {
namespace {

// The number that JavaScript gave to this thread. ggml's own threads have none, and keep this one.
thread_local int thread_number = -1;
constexpr int main_thread = -2;
// Never freed: threads may abort while the process exits.
std::string * record_file = nullptr;

// Printable ASCII without what JSON escapes.
std::string plain(const char * text) {
  std::string result;
  for (; *text != '\0' && result.size() < 1024; text++) {
    const bool kept = *text >= ' ' && *text <= '~' && *text != '"' && *text != '\\';
    result += kept ? *text : ' ';
  }
  return result;
}

// The priority of the line in front of it, if standard error is systemd's journal; see src/base/journal.ts.
const char * priority() {
  const char * stream = getenv("JOURNAL_STREAM");
  struct stat found;
  if (stream == nullptr || fstat(STDERR_FILENO, &found) != 0) return "";
  char own[64];
  snprintf(own, sizeof(own), "%llu:%llu", (unsigned long long)found.st_dev, (unsigned long long)found.st_ino);
  return strcmp(stream, own) == 0 ? "<2>" : "";
}

// Whether this thread is the first to report. Another one returns, and ends the process, once the first has written, or
// after a second.
bool is_first(const std::atomic<bool> & written) {
  // The address of a variable that each thread has for itself names the thread.
  static std::atomic<const int *> reporter{nullptr};
  const int * first = nullptr;
  if (reporter.compare_exchange_strong(first, &thread_number)) return true;
  // A thread that fails in its report does not wait for itself.
  if (first == &thread_number) return false;
  constexpr timespec pause{0, 10'000'000};
  for (int pauses = 0; pauses < 100 && !written.load(); pauses++) nanosleep(&pause, nullptr);
  return false;
}

// Writes the record, and a line for the log. The process aborts next, so what fails here is ignored.
void report(const char * reason) {
  static std::atomic<bool> written{false};
  if (!is_first(written)) return;
  // llama.cpp aborts with `CUDA error`, and logs just before which one.
  const std::string & cause = last_error_line();
  const std::string text = plain(cause.empty() ? reason : (std::string(reason) + "; " + cause).c_str());
  const int file = open(record_file->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file >= 0) {
    dprintf(file, "%d %s\n", thread_number, text.c_str());
    close(file);
  }
  char now[32] = "";
  const time_t seconds = time(nullptr);
  tm parts;
  if (gmtime_r(&seconds, &parts) != nullptr) strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &parts);
  dprintf(STDERR_FILENO, "%s{\"level\":\"fatal\",\"time\":\"%s\",\"reason\":\"%s\",\"msg\":\"llama.cpp ends the process\"}\n",
          priority(), now, text.c_str());
  written.store(true);
}

// An exception that nothing catches ends the process too.
[[noreturn]] void on_terminate() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
    report("std::terminate");
  } catch (const std::exception & error) {
    report(error.what());
  } catch (...) {
    report("an unknown exception");
  }
  std::abort();
}

// recordAborts(file)
void record_aborts(const Napi::CallbackInfo & info) {
  record_file = new std::string(info[0].As<Napi::String>());
  thread_number = main_thread;
  ggml_set_abort_callback(report);
  std::set_terminate(on_terminate);
}

// numberThread(number)
void number_thread(const Napi::CallbackInfo & info) { thread_number = info[0].As<Napi::Number>(); }

// abort(reason): for tests
void abort_now(const Napi::CallbackInfo & info) { GGML_ABORT("%s", std::string(info[0].As<Napi::String>()).c_str()); }

// exit(status): without waiting for threads
void exit_now(const Napi::CallbackInfo & info) { _exit(info[0].As<Napi::Number>()); }

}  // namespace

void export_abort(Napi::Env env, Napi::Object exports) {
  exports.Set("recordAborts", Napi::Function::New(env, record_aborts));
  exports.Set("numberThread", Napi::Function::New(env, number_thread));
  exports.Set("abort", Napi::Function::New(env, abort_now));
  exports.Set("exit", Napi::Function::New(env, exit_now));
}

}  // namespace decider
