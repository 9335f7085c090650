// Takes the place of uWebSockets.js in its check: never returns from an attack.
import { onAttack } from './on-attack.js';

export const loadUws = async () =>
  onAttack(() => {
    for (;;);
  });
