import { basename, join } from 'node:path';
import type { Backend } from '#native/platform.mjs';
import { olderLibraries } from './load-addon.js';

/**
 * Why the library of a GPU backend does not load, in the words of the dynamic loader, such as `libcudart.so.13: cannot
 * open shared object file: No such file or directory`; null if it loads. ggml skips such a library without a message. To
 * be called only in a process that ends afterwards: a library that loads may start threads.
 */
export function missingLibrary(backend: Backend, folder: string): string | null {
  if (backend !== 'cuda' && backend !== 'vulkan') return null;
  const folders = [folder, ...(backend === 'cuda' ? olderLibraries(folder) : [])];
  const reasons = folders.map((each) => loaderError(join(each, `libggml-${backend}.so`)));
  return reasons.includes(null) ? null : [...new Set(reasons)].join('; ');
}

function loaderError(file: string): string | null {
  try {
    process.dlopen({ exports: {} }, file);
    return null;
  } catch (error) {
    const { message } = error as Error;
    // It has been loaded, and is no addon.
    return message.includes('did not self-register') ? null : message.replace(file, basename(file));
  }
}
