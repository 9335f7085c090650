#!/usr/bin/env node
import { runIsolated } from './isolated.js';
import { program } from './program.js';
import { watchStandardOutput } from './standard-output.js';

watchStandardOutput();
if (!(await runIsolated(process.argv.slice(2)))) await program.parseAsync();
