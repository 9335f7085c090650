export { chooseTransport, type TransportChoice } from './choose.js';
export * from './types.js';
