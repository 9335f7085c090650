#include "tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ggml.h"
#include "gguf.h"

namespace decider {
namespace {

// A file in memory, for reading.
class Mapping {
 public:
  explicit Mapping(const std::string & path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw std::runtime_error(std::strerror(errno));
    struct stat found {};
    const bool known = ::fstat(file, &found) == 0 && found.st_size > 0;
    size_ = known ? static_cast<size_t>(found.st_size) : 0;
    data_ = known ? ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    const int reason = errno;
    ::close(file);
    if (data_ == MAP_FAILED) throw std::runtime_error(std::strerror(reason));
    ::madvise(data_, size_, MADV_SEQUENTIAL);
  }
  ~Mapping() { ::munmap(data_, size_); }
  Mapping(const Mapping &) = delete;

  size_t size() const { return size_; }
  const char * at(size_t offset) const { return static_cast<const char *>(data_) + offset; }

 private:
  void * data_;
  size_t size_;
};

// The divisors of the rotation of positions. An infinite one turns a pair of dimensions not at all.
bool may_be_infinite(const std::string & name) {
  return name.find("rope_freqs") != std::string::npos || name.find("rope_factors") != std::string::npos;
}

// Numbers between two looks at what was found. The loop over them always has this length: compilers use vectors then.
constexpr size_t STEP = 4096;

// Whether no number has an exponent of ones only, which is what NaN and infinities have.
template <typename Bits>
bool have_exponents(const char * data, size_t size, Bits exponent) {
  const size_t count = size / sizeof(Bits);
  Bits values[STEP];
  for (size_t first = 0; first < count; first += STEP) {
    const size_t end = std::min(STEP, count - first);
    // A file may place its tensors anywhere.
    std::memcpy(values, data + first * sizeof(Bits), end * sizeof(Bits));
    if (end < STEP) std::fill(values + end, values + STEP, Bits{0});
    Bits found = 0;
    for (size_t i = 0; i < STEP; i++) found |= static_cast<Bits>((values[i] & exponent) == exponent);
    if (found != 0) return false;
  }
  return true;
}

// Plain numbers here: ggml's own loops for them are four times as slow. A later ggml may have types that it does not
// validate.
bool is_finite(ggml_type type, const char * data, size_t size) {
  if (type == GGML_TYPE_F32) return have_exponents<uint32_t>(data, size, 0x7f800000);
  if (type == GGML_TYPE_F16) return have_exponents<uint16_t>(data, size, 0x7c00);
  if (type == GGML_TYPE_BF16) return have_exponents<uint16_t>(data, size, 0x7f80);
  return !ggml_validate_row_data(type, data, 0) || ggml_validate_row_data(type, data, size);
}

// What is wrong with a tensor; empty: nothing.
std::string fault_of(const gguf_context * file, int64_t tensor, const Mapping & mapping) {
  const std::string name = gguf_get_tensor_name(file, tensor);
  const size_t size = gguf_get_tensor_size(file, tensor);
  const size_t begin = gguf_get_data_offset(file);
  const size_t offset = begin + gguf_get_tensor_offset(file, tensor);
  if (offset < begin || offset > mapping.size() || size > mapping.size() - offset) {
    return "its tensor " + name + " ends behind the file; download it again";
  }
  if (may_be_infinite(name) || is_finite(gguf_get_tensor_type(file, tensor), mapping.at(offset), size)) return "";
  return "its tensor " + name + " has a weight that is NaN or infinite; the file is damaged";
}

bool begins_with(const std::string & text, const char * beginning) { return text.rfind(beginning, 0) == 0; }

template <typename Number>
bool has_nan(const gguf_context * file, int64_t key) {
  const auto * numbers = static_cast<const Number *>(gguf_get_arr_data(file, key));
  return std::any_of(numbers, numbers + gguf_get_arr_n(file, key), [](Number number) { return std::isnan(number); });
}

// Whether llama.cpp cannot compute with a number of the metadata. A list may have infinite bounds of clamps: those of Gemma 3n
// for layers that nothing limits are such.
bool is_unusable(const gguf_context * file, int64_t key) {
  const gguf_type type = gguf_get_kv_type(file, key);
  if (type == GGUF_TYPE_FLOAT32) return !std::isfinite(gguf_get_val_f32(file, key));
  if (type == GGUF_TYPE_FLOAT64) return !std::isfinite(gguf_get_val_f64(file, key));
  if (type != GGUF_TYPE_ARRAY) return false;
  const gguf_type of = gguf_get_arr_type(file, key);
  return of == GGUF_TYPE_FLOAT32 ? has_nan<float>(file, key) : of == GGUF_TYPE_FLOAT64 && has_nan<double>(file, key);
}

// Throws std::runtime_error if a number of the metadata that llama.cpp computes with is NaN, or infinite and no part of a list.
void require_finite_metadata(const gguf_context * file) {
  for (int64_t i = 0; i < gguf_get_n_kv(file); i++) {
    const std::string key = gguf_get_key(file, i);
    if (begins_with(key, "general.") || begins_with(key, "tokenizer.")) continue;
    if (is_unusable(file, i)) throw std::runtime_error("its metadata " + key + " is NaN or infinite");
  }
}

}  // namespace

void require_finite(const std::string & path, size_t threads) {
  const gguf_init_params params{true, nullptr};
  const std::unique_ptr<gguf_context, decltype(&gguf_free)> file(gguf_init_from_file(path.c_str(), params), gguf_free);
  if (file == nullptr) throw std::runtime_error("it is no GGUF file");
  require_finite_metadata(file.get());
  const Mapping mapping(path);
  const auto count = static_cast<size_t>(gguf_get_n_tensors(file.get()));
  std::vector<std::string> faults(count);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) faults[i] = fault_of(file.get(), static_cast<int64_t>(i), mapping);
  };
  std::vector<std::thread> others;
  for (size_t i = 1; i < std::min(threads, count); i++) others.emplace_back(work);
  work();
  for (auto & other : others) other.join();
  for (const auto & fault : faults) if (!fault.empty()) throw std::runtime_error(fault);
}

}  // namespace decider
