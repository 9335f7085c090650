export { ClusterAdministration } from './administration.js';
export { createFirstKey } from './first-key.js';
