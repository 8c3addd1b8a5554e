import { topicFor } from '../../pubsub/topic.js';
import { AppId } from '../applications/schema.js';
import { LogicalOperatorList } from './schema.js';
import type { LogicalPlanService } from './service.js';

const topic = topicFor<LogicalPlanService>();

export const logicalPlanTopics = {
  logicalOperators: topic({
    name: 'applications.{appid}.logicalOperators',
    summary: 'Logical operators of one application',
    access: 'user',
    params: AppId,
    data: LogicalOperatorList,
    kind: 'snapshot',
    every: 1000,
    may: (plans, user, { appid }) => plans.mayWatch(user, appid),
    read: async (plans, { params, signal }) => {
      const operators = await plans.observe(params.appid, signal);
      return operators && { operators: [...operators] };
    },
  }),
};
