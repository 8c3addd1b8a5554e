import { NotFound } from '../../lib/core/errors.js';
import type { Applications } from '../../lib/features/applications/service.js';

const none = async (): Promise<never> => {
  throw new NotFound('application', 'any');
};

export const noApplications: Applications = {
  reading: none,
  changing: none,
  observing: none,
  mayWatch: async () => false,
};
