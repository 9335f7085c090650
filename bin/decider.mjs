#!/usr/bin/env node
// The `decider` command. In a clone it first compiles what changed, so that no command runs stale code.
import { BuildError, build, PROGRAM } from '../tools/build.mjs';

try {
  build(PROGRAM);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
await import('../dist/src/cli/main.js');
