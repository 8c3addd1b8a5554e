import type { Principal } from '../../http/principal.js';
import { BadRequest, Forbidden } from '../../model/errors.js';
import type { ConditionRunner, TopicPattern } from './conditions/condition.js';
import { onlyName } from './topic-names.js';
import type { TopicSource } from './topic-readings.js';

/**
 * Reads a condition before it is saved. Resolves the topics that it names; rejects with `BadRequest` when it is none, with
 * `Forbidden` when it names one that its owner may not read. What is known only as it runs is looked at then.
 */
type ConditionCheck = (owner: Principal, condition: string) => Promise<readonly TopicPattern[]>;

export function createConditionCheck(
  runner: Pick<ConditionRunner, 'check'>,
  source: Pick<TopicSource, 'mayRead'>,
): ConditionCheck {
  async function topicsOf(condition: string): Promise<readonly TopicPattern[]> {
    const checked = await runner.check(condition);
    if (checked.is === 'sound') return checked.topics;
    const { message, line, column } = checked;
    const where = line === undefined ? '' : `, line ${line}, column ${column}`;
    throw new BadRequest('CONDITION_NOT_VALID', `The condition can not be used${where}: ${message}`, {
      line,
      column,
    });
  }

  return async (owner, condition) => {
    const topics = await topicsOf(condition);
    for (const topic of topics.flatMap((pattern) => onlyName(pattern) ?? [])) {
      if (await source.mayRead(owner, topic)) continue;
      throw new Forbidden(
        `${owner.userName} may not read the topic ${topic}, or there is none of this name`,
        { topic },
      );
    }
    return topics;
  };
}
