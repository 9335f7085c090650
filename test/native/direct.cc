// What llama.cpp itself computes for a prompt with one image, without any code of ours: the logits of tokens behind it.
// direct MODEL PROJECTOR WIDTH HEIGHT PIXELS(file) BEFORE BEHIND OPTIONS(tokens, separated by commas)
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"
#include "mtmd.h"

static std::vector<llama_token> list(const char * text) {
  std::vector<llama_token> tokens;
  std::stringstream stream(text);
  for (std::string each; std::getline(stream, each, ',');) tokens.push_back(std::atoi(each.c_str()));
  return tokens;
}

static bool decode(llama_context * context, int count, llama_token * tokens, float * embeddings, int position, bool last) {
  std::vector<llama_pos> positions(count);
  std::vector<int32_t> counts(count, 1);
  llama_seq_id sequence = 0;
  std::vector<llama_seq_id *> sequences(count, &sequence);
  std::vector<int8_t> outputs(count, 0);
  for (int i = 0; i < count; i++) positions[i] = position + i;
  outputs[count - 1] = last;
  llama_batch batch{};
  batch.n_tokens = count;
  batch.token = tokens;
  batch.embd = embeddings;
  batch.pos = positions.data();
  batch.n_seq_id = counts.data();
  batch.seq_id = sequences.data();
  batch.logits = outputs.data();
  return llama_decode(context, batch) == 0;
}

int main(int, char ** arguments) {
  const auto quiet = [](ggml_log_level, const char *, void *) {};
  llama_log_set(quiet, nullptr);
  mtmd_log_set(quiet, nullptr);
  ggml_backend_load_all_from_path(arguments[9]);
  llama_model * model = llama_model_load_from_file(arguments[1], llama_model_default_params());
  mtmd_context_params images = mtmd_context_params_default();
  images.use_gpu = false;
  images.n_threads = 1;
  images.image_min_tokens = 1;
  mtmd_context * projector = mtmd_init_from_file(arguments[2], model, images);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = 2048;
  params.n_threads = params.n_threads_batch = 1;
  llama_context * context = llama_init_from_model(model, params);
  if (projector == nullptr || context == nullptr) return 1;

  std::ifstream file(arguments[5], std::ios::binary);
  const std::vector<unsigned char> pixels((std::istreambuf_iterator<char>(file)), {});
  mtmd_bitmap * bitmap = mtmd_bitmap_init(std::atoi(arguments[3]), std::atoi(arguments[4]), pixels.data());
  const std::string text = mtmd_default_marker();
  const mtmd_input_text prompt{text.c_str(), text.size(), false, true};
  mtmd_input_chunks * chunks = mtmd_input_chunks_init();
  const mtmd_bitmap * bitmaps[] = {bitmap};
  if (mtmd_tokenize(projector, chunks, &prompt, bitmaps, 1) != 0) return 2;

  auto before = list(arguments[6]);
  auto behind = list(arguments[7]);
  int position = 0;
  const auto text_step = [&](std::vector<llama_token> tokens, bool last) {
    if (!decode(context, static_cast<int>(tokens.size()), tokens.data(), nullptr, position, last)) std::exit(3);
    position += static_cast<int>(tokens.size());
  };
  text_step(before, false);
  for (size_t i = 0; i < mtmd_input_chunks_size(chunks); i++) {
    const mtmd_input_chunk * chunk = mtmd_input_chunks_get(chunks, i);
    size_t count = 0;
    if (mtmd_input_chunk_get_type(chunk) == MTMD_INPUT_CHUNK_TYPE_TEXT) {
      const llama_token * tokens = mtmd_input_chunk_get_tokens_text(chunk, &count);
      text_step({tokens, tokens + count}, false);
      continue;
    }
    if (mtmd_encode_chunk(projector, chunk) != 0) return 4;
    count = mtmd_input_chunk_get_n_tokens(chunk);
    float * embeddings = mtmd_get_output_embd(projector);
    std::printf("%zu\n", count);
    for (size_t n = 0; n < count * llama_model_n_embd_inp(model); n++) std::printf("%.9g ", embeddings[n]);
    std::printf("\n");
    llama_set_causal_attn(context, !mtmd_decode_use_non_causal(projector, chunk));
    if (!decode(context, static_cast<int>(count), nullptr, embeddings, position, false)) return 5;
    llama_set_causal_attn(context, true);
    position += mtmd_input_chunk_get_n_pos(chunk);
  }
  text_step(behind, true);
  const float * logits = llama_get_logits_ith(context, -1);
  for (const llama_token option : list(arguments[8])) std::printf("%.9g ", logits[option]);
  std::printf("\n");
  return 0;
}
