import { AppId } from '../../model/applications.js';
import { type LogicalOperator, LogicalOperatorList } from '../../model/logical-plan.js';
import { type EndedInput, listing, topicFor } from '../../pubsub/topic.js';
import { onceOf } from '../../runtime/once-of.js';
import type { LogicalPlanService } from './service.js';

const topic = topicFor<LogicalPlanService>();

const listOf = onceOf(
  (operators: readonly LogicalOperator[]): LogicalOperatorList => ({ operators: [...operators] }),
);

export const logicalPlanTopics = {
  logicalOperators: topic({
    name: 'applications.{appid}.logicalOperators',
    summary: 'Logical operators of one application; one that is gone is named once more, with its end state',
    access: 'user',
    resource: 'application topics',
    params: AppId,
    data: LogicalOperatorList,
    kind: 'snapshot',
    every: 1000,
    may: (plans, user, { appid }) => plans.mayWatch(user, appid),
    read: async (plans, { params, signal }) => {
      const operators = await plans.observe(params.appid, signal);
      return operators && listOf(operators);
    },
    listing: listing({
      entries: ({ operators }: LogicalOperatorList) => operators,
      list: (operators) => ({ operators }),
      id: ({ name }) => name,
      async ended(
        plans: LogicalPlanService,
        operator,
        { params, isListRead }: EndedInput<{ appid: string }>,
      ) {
        const count = Object.values(operator.status).reduce((sum, each) => sum + each, 0);
        if (operator.status['INACTIVE'] === count) return undefined;
        if (!isListRead) await plans.requireEnded(params.appid);
        return { ...operator, status: { INACTIVE: count } };
      },
    }),
  }),
};
