export { decodeKey, encodeKey, endOfPrefix, type KeyLayout, type KeyPart } from './key-layout.js';
export {
  createKeyFile,
  MASTER_KEY,
  MASTER_KEY_FILE,
  masterKey,
  NEXT_KEY_FILE,
  readKeyFile,
  readMasterKey,
} from './master-key.js';
export {
  masterCheck,
  opensMasterCheck,
  type Place,
  placeOf,
  randomDataKey,
  SEALED_PLACES,
  seal,
  sealedBytes,
  sealInto,
  unseal,
} from './sealing.js';
