import { placeOf, seal, unseal } from '../../../sealing/index.js';

/** Encrypts the data keys of batches with the master key, in the form of the data folder. */
export class DataKeys {
  /** `master`: returns the current master key, 32 bytes. */
  constructor(private readonly master: () => Uint8Array) {}

  /** The stored form of an owner's data key. */
  seal(owner: string, dataKey: Uint8Array): Buffer {
    return seal(this.master(), placeOf('data_keys', owner), dataKey);
  }

  /** An owner's data key. Throws StoreError if it is damaged, or was encrypted with another master key. */
  open(owner: string, sealed: Uint8Array): Buffer {
    return unseal(this.master(), placeOf('data_keys', owner), sealed);
  }
}
