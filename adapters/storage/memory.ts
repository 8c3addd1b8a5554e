import { randomBytes } from 'node:crypto';
import { NotReady, type Storage } from '../../lib/driver-kit.js';
import { memoryBlobs } from './memory-blobs.js';
import { memoryDocuments } from './memory-documents.js';

/** Keeps everything in this process and nothing longer: for tests, demonstrations and gateways that need no memory. */
export function memoryStorage(): Storage {
  let open = true;
  const requireOpen = () => {
    if (!open) throw new NotReady('The storage is closed');
  };
  const key = randomBytes(32);
  const blobs = memoryBlobs(requireOpen);
  return {
    documents: memoryDocuments(requireOpen),
    blobs: blobs.store,
    secretKey: async () => key,
    problems: () => [],
    async close() {
      open = false;
      blobs.close();
    },
  };
}
