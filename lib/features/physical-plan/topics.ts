import { topicFor } from '../../pubsub/topic.js';
import { AppId } from '../applications/schema.js';
import { OperatorList } from './schema.js';
import type { PhysicalPlanService } from './service.js';

const topic = topicFor<PhysicalPlanService>();

export const physicalPlanTopics = {
  physicalOperators: topic({
    name: 'applications.{appid}.physicalOperators',
    summary: 'Physical operators of one application',
    access: 'user',
    params: AppId,
    data: OperatorList,
    kind: 'snapshot',
    every: 1000,
    may: (plans, user, { appid }) => plans.mayWatch(user, appid),
    read: async (plans, { params, signal }) => {
      const plan = await plans.observe(params.appid, signal);
      return plan && { operators: plan.operators };
    },
  }),
};
