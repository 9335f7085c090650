// The Node-API surface of projectors; like addon.cc it checks nothing.
#include "addon.h"
#include "projector.h"

namespace decider {
namespace {

using ProjectorHandle = Napi::External<std::shared_ptr<Projector>>;

// readProjectorFile(path): ProjectorFile
Napi::Value read_projector_file_js(const Napi::CallbackInfo & info) {
  try {
    const auto file = read_projector_file(info[0].As<Napi::String>());
    auto result = Napi::Object::New(info.Env());
    result.Set("kind", file.kind);
    result.Set("patchSize", file.patch_size);
    result.Set("merge", file.merge);
    result.Set("width", file.width);
    result.Set("positions", file.positions);
    result.Set("sizeBytes", static_cast<double>(file.size_bytes));
    return result;
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

// projectorComputeBytes(path): number
Napi::Value projector_compute_bytes_js(const Napi::CallbackInfo & info) {
  try {
    return Napi::Number::New(info.Env(),
                             static_cast<double>(projector_compute_bytes(info[0].As<Napi::String>())));
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

// openProjector(model, {path, device, threads}): handle
Napi::Value open_projector_js(const Napi::CallbackInfo & info) {
  const auto object = info[1].As<Napi::Object>();
  const ProjectorOptions options{object.Get("path").As<Napi::String>(), object.Get("device").As<Napi::String>(),
                                 object.Get("threads").As<Napi::Number>()};
  try {
    auto projector = open_projector(*info[0].As<ModelHandle>().Data(), options);
    return ProjectorHandle::New(info.Env(), new std::shared_ptr<Projector>(projector),
                                [](Napi::Env, std::shared_ptr<Projector> * held) { delete held; });
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

// closeProjector(handle): releases this handle's reference at once.
void close_projector(const Napi::CallbackInfo & info) { info[0].As<ProjectorHandle>().Data()->reset(); }

Napi::Int32Array token_list(Napi::Env env, const std::vector<llama_token> & tokens) {
  auto result = Napi::Int32Array::New(env, tokens.size());
  std::copy(tokens.begin(), tokens.end(), result.Data());
  return result;
}

// describeProjector(handle, side): {begin: Int32Array, end: Int32Array, nonCausal: boolean}
Napi::Value describe_projector(const Napi::CallbackInfo & info) {
  const auto env = info.Env();
  auto & projector = **info[0].As<ProjectorHandle>().Data();
  std::vector<llama_token> begin;
  std::vector<llama_token> end;
  try {
    projector.markers(info[1].As<Napi::Number>(), begin, end);
  } catch (const std::exception & error) {
    throw Napi::Error::New(env, error.what());
  }
  auto result = Napi::Object::New(env);
  result.Set("begin", token_list(env, begin));
  result.Set("end", token_list(env, end));
  result.Set("nonCausal", projector.non_causal());
  return result;
}

// encodeImage(handle, {width, height, rgb: Uint8Array}, out: Float32Array)
void encode_image(const Napi::CallbackInfo & info) {
  const auto image = info[1].As<Napi::Object>();
  const Pixels pixels{image.Get("width").As<Napi::Number>(), image.Get("height").As<Napi::Number>(),
                      image.Get("rgb").As<Napi::Uint8Array>().Data()};
  auto out = info[2].As<Napi::Float32Array>();
  try {
    (**info[0].As<ProjectorHandle>().Data()).encode(pixels, out.Data(), out.ElementLength());
  } catch (const std::exception & error) {
    throw Napi::Error::New(info.Env(), error.what());
  }
}

}  // namespace

void export_projector(Napi::Env env, Napi::Object exports) {
  exports.Set("readProjectorFile", Napi::Function::New(env, read_projector_file_js));
  exports.Set("projectorComputeBytes", Napi::Function::New(env, projector_compute_bytes_js));
  exports.Set("openProjector", Napi::Function::New(env, open_projector_js));
  exports.Set("closeProjector", Napi::Function::New(env, close_projector));
  exports.Set("describeProjector", Napi::Function::New(env, describe_projector));
  exports.Set("encodeImage", Napi::Function::New(env, encode_image));
}

}  // namespace decider
