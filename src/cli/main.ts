#!/usr/bin/env node
import { runIsolated } from './isolated.js';
import { program } from './program.js';

if (!(await runIsolated(process.argv.slice(2)))) await program.parseAsync();
