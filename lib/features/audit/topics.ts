import { topicFor } from '../../pubsub/topic.js';
import { AuditRecord } from './schema.js';
import type { AuditService } from './service.js';

const topic = topicFor<AuditService>();

export const auditTopics = {
  records: topic({
    name: 'audit',
    summary: 'Each operation that changes something, when it is answered',
    access: 'admin',
    data: AuditRecord,
    kind: 'events',
  }),
};
