// Takes the place of uWebSockets.js in its check: aborts its process on an attack.
import { onAttack } from './on-attack.js';

export const loadUws = async () => onAttack(() => process.abort());
