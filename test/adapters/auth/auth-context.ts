import type { AuthContext } from '../../../lib/index.js';
import { loggerInto } from '../../helpers/gateway.js';

/** What a gateway without accounts gives its authenticator. */
export const authContext = (given: Partial<AuthContext> = {}): AuthContext => ({
  verifyPassword: async () => false,
  hasLocalPassword: () => false,
  verifyToken: () => undefined,
  verifyBy: async () => undefined,
  negotiateBy: async () => undefined,
  configuration: { type: 'password' },
  reportProblem: () => {},
  clock: { now: () => 0, monotonic: () => 0 },
  logger: loggerInto([]),
  ...given,
});
