export { CHANGES_CHANNEL, ClusterDirectory } from './directory.js';
