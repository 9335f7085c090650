import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The program that bundles modules; null if its package is not installed. */
export function bundler() {
  try {
    return require.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
  } catch {
    return null;
  }
}
