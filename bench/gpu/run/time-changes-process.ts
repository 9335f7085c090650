// Times changes between causal and non-causal decodes in a process of its own, because it loads a model, and prints them as
// JSON: time-changes-process.js MODEL BACKEND.
import { systemClock } from '../../../src/base/index.js';
import { openModel } from '../../../src/engine/index.js';
import { contextOptions } from '../../../src/engine/wave/wave-types.js';
import { buildOf, deviceOf, settingsOf } from '../../engine/ours.js';
import { timeChanges } from './time-changes.js';

const [file = '', backend = ''] = process.argv.slice(2);
const { addon, device, bounds, threads } = deviceOf(settingsOf(backend, 1));
const model = openModel(addon, device, buildOf(file));
const context = addon.createContext(model.handle, contextOptions(bounds, threads));
console.log(JSON.stringify(timeChanges(context, model.description.embeddingLength, systemClock)));
context.close();
addon.closeModel(model.handle);
