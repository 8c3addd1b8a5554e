import { applicationTopics } from './features/applications/topics.js';
import { auditTopics } from './features/audit/topics.js';
import { clusterTopics } from './features/cluster/topics.js';
import { containerTopics } from './features/containers/topics.js';
import { logicalPlanTopics } from './features/logical-plan/topics.js';
import { physicalPlanTopics } from './features/physical-plan/topics.js';
import { recordingTopics } from './features/recordings/topics.js';

/** All topics that the gateway publishes: one line a room. Each key is also the name of the room's service. */
export const topics = {
  applications: applicationTopics,
  physicalPlan: physicalPlanTopics,
  containers: containerTopics,
  logicalPlan: logicalPlanTopics,
  recordings: recordingTopics,
  cluster: clusterTopics,
  audit: auditTopics,
};
