#pragma once

#include <napi.h>

#include <memory>

#include "model.h"

// What the files of the Node-API surface share.
namespace decider {

using ModelHandle = Napi::External<std::shared_ptr<Model>>;

// openProjector, closeProjector, readProjectorFile, describeProjector, encodeImage.
void export_projector(Napi::Env env, Napi::Object exports);

// countMemory.
void export_memory(Napi::Env env, Napi::Object exports);

// recordAborts, numberThread, abort, exit.
void export_abort(Napi::Env env, Napi::Object exports);

}  // namespace decider
