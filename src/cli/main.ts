#!/usr/bin/env node
import { program } from './program.js';

await program.parseAsync();
