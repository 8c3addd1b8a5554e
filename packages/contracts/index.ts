export { type AuthenticatorUnderTest, authenticatorContract } from './authenticator.js';
export { type ClusterUnderTest, clusterContract } from './cluster.js';
export { type ContainerRuntimeUnderTest, containerRuntimeContract } from './container-runtime.js';
export { type HostUnderTest, hostAnswer, hostContract, type RunningHost } from './host.js';
export { type SecretsUnderTest, secretsContract } from './secrets.js';
export { type StorageUnderTest, storageContract } from './storage.js';
export type { Suite } from './suite.js';
export type { Closing } from './using.js';
