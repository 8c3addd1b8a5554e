import { localCluster } from '@headgate/engine';
import { createGateway } from 'headgate';
import { passwordSessions } from 'headgate/auth/password';
import { memoryStorage } from 'headgate/storage/memory';

export const openGateway = () =>
  createGateway({
    storage: memoryStorage(),
    cluster: localCluster({ directory: process.env.ENGINE_DIRECTORY }),
    auth: passwordSessions(),
    initialAdmin: { password: process.env.ADMIN_PASSWORD },
    trustProxy: JSON.parse(process.env.TRUST_PROXY),
  });
