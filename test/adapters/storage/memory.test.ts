import t from 'tap';
import { memoryStorage } from '../../../adapters/storage/memory.js';
import { storageContract } from '../../../packages/contracts/index.js';

await storageContract(t, { create: async () => memoryStorage() });
