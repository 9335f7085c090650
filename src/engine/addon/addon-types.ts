/** What native/source/addon.cc exports. JavaScript checks every argument; the addon trusts them. */
export interface Addon {
  /** Receives the lines that llama.cpp logs on any thread of the process; `level` as in ggml.h (2 info … 4 error). */
  onLog(callback: (level: number, text: string) => void): void;
  /** Loads the compute backends in a folder (once per process and folder) and lists all devices so far. */
  loadBackends(folder: string): Device[];
  /**
   * The memory of a device in bytes; zeros if it does not report it. With CUDA, this process then takes several hundred
   * megabytes of it until it ends: ask about no device that is not used.
   */
  deviceMemory(device: string): { readonly free: number; readonly total: number };
  /**
   * Throws an Error with llama.cpp's reason. `device`: a device's name, or '' for the CPU. `mapped`: maps the file
   * instead of copying its weights. `sizesOnly`: reads no weights; contexts of the model allocate nothing, report their
   * memory and must not decode. `onProgress` returns whether to continue; it is not called for weights that another
   * thread has loaded.
   */
  openModel(
    options: { path: string; device: string; mapped: boolean; sizesOnly?: boolean },
    onProgress: (fraction: number) => boolean,
  ): ModelHandle;
  closeModel(model: ModelHandle): void;
  /** Rewrites a model file with its matrices in another type. Throws an Error with llama.cpp's reason. */
  quantizeModel(from: string, to: string, type: 'q8_0' | 'f16' | 'q4_0'): void;
  /**
   * Reads the numbers of a model file's metadata, and all its weights on `threads` threads. Throws an Error that names the
   * first key or tensor with one that is NaN or infinite.
   */
  requireFinite(path: string, threads: number): void;
  /** Throws an Error if the file has no vocabulary. */
  describeModel(model: ModelHandle): ModelDescription;
  tokenize(model: ModelHandle, text: string, parseSpecial: boolean): Int32Array;
  tokenPiece(model: ModelHandle, token: number): Buffer;
  createContext(model: ModelHandle, options: ContextOptions): NativeContext;
  /** Reads the metadata of a projector file, without its weights. Throws an Error if it is not a GGUF. */
  readProjectorFile(path: string): ProjectorFile;
  /** Bytes of RAM that encoding an image of 256 tokens takes on a CPU, besides the weights. Throws an Error. */
  projectorComputeBytes(path: string): number;
  /** Throws an Error with llama.cpp's reason. `device`: a device's name, or '' for the CPU. */
  openProjector(
    model: ModelHandle,
    options: { path: string; device: string; threads: number },
  ): ProjectorHandle;
  closeProjector(projector: ProjectorHandle): void;
  /** `side`: pixels per side of an image of one token. */
  describeProjector(projector: ProjectorHandle, side: number): ProjectorDescription;
  /** Writes an image's embeddings, token by token, to `out`, which has exactly their length. Blocks. Throws an Error. */
  encodeImage(projector: ProjectorHandle, image: Pixels, out: Float32Array): void;
  /**
   * From now on, if llama.cpp aborts or an exception of C++ is not caught, the reason is logged and written to a file:
   * the number of the thread, a space, the reason. Call it on the main thread, before others load models.
   */
  recordAborts(file: string): void;
  /** Numbers the calling thread for that file: at least 0. */
  numberThread(number: number): void;
  /** Aborts the process as llama.cpp does when it finds a fault. For tests. */
  abort(reason: string): never;
  /** Ends the process at once, without waiting for threads or writing buffers. */
  exit(status: number): never;
  /** Reports bytes to V8 while this thread references the memory. Returns the total reported. */
  countMemory(memory: SharedArrayBuffer, bytes: number): number;
}

/** RGB, 8 bits each, row by row; the sides in pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

export interface ProjectorFile {
  readonly kind: string;
  /** Pixels. */
  readonly patchSize: number;
  /** Patches per side of a token. */
  readonly merge: number;
  /** Numbers of an embedding; 0 if the file does not state it. */
  readonly width: number;
  /** Maximum number of patches of a side; 0 if the file does not state it. */
  readonly positions: number;
  readonly sizeBytes: number;
}

interface ProjectorDescription {
  /** The tokens before and after an image. */
  readonly begin: Int32Array;
  readonly end: Int32Array;
  /** Whether the tokens of an image attend to later ones. */
  readonly nonCausal: boolean;
}

/** A reference to a projector, of which the process has one copy. */
type ProjectorHandle = object & { readonly brand: 'projector' };

export interface Device {
  readonly name: string;
  readonly description: string;
  readonly gpu: boolean;
  /** A GPU that shares its memory with the processor. */
  readonly integrated: boolean;
}

/** What a backend finds. */
export interface Probed {
  readonly devices: readonly Device[];
  /** Why it finds no GPU: a library that is missing, or how the search ended; null if that is not known. */
  readonly failure: string | null;
}

/** A reference to weights, of which the process has one copy. */
export type ModelHandle = object & { readonly brand: 'model' };

interface TokenEntry {
  readonly id: number;
  readonly text: string;
}

export interface ModelDescription {
  readonly summary: string;
  readonly sizeBytes: number;
  readonly parameters: number;
  readonly vocabularySize: number;
  /** The window the model was trained with, in tokens. */
  readonly contextLength: number;
  readonly layers: number;
  readonly embeddingLength: number;
  readonly slidingWindow: number;
  /** Bytes of the longest token. */
  readonly longestTokenBytes: number;
  readonly bosText: string;
  readonly eosText: string;
  /** The GGUF's scalar values as strings. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly controlTokens: readonly TokenEntry[];
  /** Tokens for single bytes that no other token covers. */
  readonly byteTokens: Int32Array;
  /** Tokens that llama.cpp recognizes in any text, even if special tokens are not parsed. */
  readonly userDefinedTokens: readonly TokenEntry[];
}

/** The bounds of a context; each is also what a wave is built against. */
export interface ContextOptions {
  /** KV cells, shared by every sequence of a wave. */
  readonly cells: number;
  /** Maximum number of tokens of one decode. */
  readonly batchTokens: number;
  /** Maximum number of tokens computed at once inside a decode. */
  readonly microBatchTokens: number;
  /** Maximum number of sequences at a time; llama.cpp allows 256. */
  readonly sequences: number;
  /** Maximum number of answer slots of one decode. */
  readonly outputs: number;
  readonly threads: number;
}

/**
 * One decode in flat arrays, of tokens or of embeddings: token i is at `positions[i]` in the sequences
 * `sequences[sequenceOffsets[i]] … sequences[sequenceOffsets[i + 1] - 1]`; slot s is the token at index
 * `slots[s]`, whose options are `optionTokens[optionOffsets[s]] … optionTokens[optionOffsets[s + 1] - 1]`. An option may
 * be `LABEL_MASS`.
 */
export interface DecodeBatch {
  /** Ignored if there are embeddings. */
  readonly tokens: Int32Array;
  /** Embeddings in place of all tokens; null: tokens. */
  readonly embeddings: Float32Array | null;
  /** Whether a token attends only to earlier ones. If not, all must fit in a micro-batch. */
  readonly causal: boolean;
  readonly positions: Int32Array;
  readonly sequenceOffsets: Int32Array;
  readonly sequences: Int32Array;
  readonly slots: Int32Array;
  readonly optionOffsets: Int32Array;
  readonly optionTokens: Int32Array;
}

export interface NativeContext {
  /**
   * The logits of every slot's option tokens, in order; for `LABEL_MASS`, the logarithm of the probability of the slot's
   * options before it. `cancel`: one word of shared memory; non-zero ends
   * the decode (on a CPU at once, on a GPU before it starts). Throws an Error whose `code` is `cancelled`,
   * `no_cells` or `decode_failed`; the KV cache is then empty. Returns when the device has computed it.
   */
  decode(batch: DecodeBatch, cancel: Int32Array): Float32Array;
  /** Gives sequence `to` every cell of `from`; no data moves. */
  copySequence(from: number, to: number): void;
  removeSequence(sequence: number): void;
  /** Marks all cells free; what they hold stays. */
  clear(): void;
  /** Clears, and overwrites all cells, which takes as long as writing the whole KV cache. */
  erase(): void;
  /** The memory that this context and its model take, by device. */
  memory(): MemoryUse[];
  close(): void;
}

/** Bytes that a model and one context take on a device. */
export interface MemoryUse {
  /** '' is RAM. */
  readonly device: string;
  readonly weights: number;
  /** The KV cache. */
  readonly cache: number;
  /** Intermediate results. */
  readonly compute: number;
  /** The logits of the answer slots. */
  readonly outputs: number;
}
