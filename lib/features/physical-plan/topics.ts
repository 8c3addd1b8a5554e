import { AppId } from '../../model/applications.js';
import { OperatorList, type PhysicalPlan } from '../../model/physical-plan.js';
import { type EndedInput, listing, topicFor } from '../../pubsub/topic.js';
import { onceOf } from '../../runtime/once-of.js';
import type { PhysicalPlanService } from './service.js';

const topic = topicFor<PhysicalPlanService>();

const operatorsOf = onceOf(({ operators }: PhysicalPlan): OperatorList => ({ operators }));

export const physicalPlanTopics = {
  physicalOperators: topic({
    name: 'applications.{appid}.physicalOperators',
    summary: 'Physical operators of one application; one that is gone is named once more, with its end state',
    access: 'user',
    resource: 'application topics',
    params: AppId,
    data: OperatorList,
    kind: 'snapshot',
    every: 1000,
    may: (plans, user, { appid }) => plans.mayWatch(user, appid),
    read: async (plans, { params, signal }) => {
      const plan = await plans.observe(params.appid, signal);
      return plan && operatorsOf(plan);
    },
    listing: listing({
      entries: ({ operators }: OperatorList) => operators,
      list: (operators) => ({ operators }),
      id: ({ id }) => id,
      async ended(
        plans: PhysicalPlanService,
        operator,
        { params, isListRead }: EndedInput<{ appid: string }>,
      ) {
        if (operator.status === 'INACTIVE') return undefined;
        if (!isListRead) await plans.requireEnded(params.appid);
        return { ...operator, status: 'INACTIVE' as const };
      },
    }),
  }),
};
