import { may, type Principal } from '../http/principal.js';
import type { HostRules, TopicAction } from '../interfaces/authorize.js';
import { GatewayError } from '../model/errors.js';
import { countedTopic, isInternal, isReadBy, isReserved, isWrittenBy } from './reserved.js';
import type { FoundTopic, TopicTable } from './topic-table.js';

/** Who is at the other end of a socket, at this moment. */
export interface Caller {
  /** Absent for a peer that is only trusted by its address. */
  readonly principal?: Principal;
  /** The application whose credential the connection proved. */
  readonly application?: string;
  /** Beginnings of the topics that a peer trusted by its address may use. */
  readonly trustedTopics?: readonly string[];
}

export interface TopicRights {
  /** Rejects when the answer can't be found out. */
  mayRead(caller: Caller, topic: string): Promise<boolean> | boolean;
  mayPublish(caller: Caller, topic: string): boolean;
}

/** `hostAllows` is asked last, about users; what it throws is a no. */
export function createTopicRights(
  table: TopicTable,
  hostAllows: HostRules['topic'] = () => true,
): TopicRights {
  function allowed({ principal, application }: Caller, action: TopicAction, topic: string): boolean {
    if (principal === undefined || application !== undefined) return true;
    return hostAllows({ kind: 'topic', action, topic, user: principal }) === true;
  }

  const own: TopicRights = {
    mayRead(caller, name) {
      const topic = countedTopic(name);
      if (isInternal(topic)) return false;
      if (caller.application !== undefined && isReadBy(caller.application, topic)) return true;
      const found = table.find(topic);
      if (found) return caller.principal !== undefined && mayReadFound(found, caller.principal);
      return !isReserved(topic) && mayUseFree(caller, topic);
    },
    mayPublish(caller, topic) {
      if (caller.application !== undefined && isWrittenBy(caller.application, topic)) return true;
      return !isReserved(topic) && mayUseFree(caller, topic);
    },
  };
  return {
    mayRead(caller, topic) {
      const answer = own.mayRead(caller, topic);
      if (typeof answer === 'boolean') return answer && allowed(caller, 'subscribe', topic);
      return answer.then((may) => may && allowed(caller, 'subscribe', topic));
    },
    mayPublish: (caller, topic) => own.mayPublish(caller, topic) && allowed(caller, 'publish', topic),
  };
}

/** Topics that nobody reserved are free for everybody who is known. */
const mayUseFree = (caller: Caller, topic: string): boolean =>
  caller.principal !== undefined ||
  caller.application !== undefined ||
  (caller.trustedTopics?.some((prefix) => topic.startsWith(prefix)) ?? false);

function mayReadFound({ topic, service, params }: FoundTopic, user: Principal): Promise<boolean> | boolean {
  if (topic.access === 'admin' && !user.isAdmin) return false;
  if (topic.access !== 'user' && topic.access !== 'admin' && !may(user, topic.access)) return false;
  if (!topic.may) return true;
  try {
    const answer = topic.may(service, user, params);
    return typeof answer === 'boolean' ? answer : answer.catch(falseWhenHidden);
  } catch (error) {
    return falseWhenHidden(error);
  }
}

/** "There is no such thing" and "you may not" are both a no; a cluster that does not answer is not. */
function falseWhenHidden(error: unknown): boolean {
  if (error instanceof GatewayError && error.status < 500) return false;
  throw error;
}
