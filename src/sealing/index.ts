export { decodeKey, encodeKey, endOfPrefix, type KeyLayout, type KeyPart } from './key-layout.js';
export { masterCheck, opensMasterCheck } from './master-check.js';
export {
  createKeyFile,
  MASTER_KEY_FILE,
  masterKey,
  NEXT_KEY_FILE,
  readKeyFile,
  readMasterKey,
} from './master-key.js';
export { SEALED_PLACES } from './sealed-places.js';
export { type Place, placeOf, randomDataKey, seal, sealedBytes, sealInto, unseal } from './sealing.js';
