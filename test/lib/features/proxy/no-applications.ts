import type { Applications } from '../../../../lib/features/applications/service.js';
import { NotFound } from '../../../../lib/model/errors.js';

const none = async (): Promise<never> => {
  throw new NotFound('application', 'any');
};

export const noApplications: Applications = {
  reading: none,
  changing: none,
  observing: none,
  requireEnded: none,
  mayWatch: async () => false,
};
