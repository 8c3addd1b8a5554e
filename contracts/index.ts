export { type AuthenticatorUnderTest, authenticatorContract } from './authenticator.js';
export { type StorageUnderTest, storageContract } from './storage.js';
export type { Suite } from './suite.js';
