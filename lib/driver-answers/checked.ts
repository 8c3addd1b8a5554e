import { issueSentences } from '../http/validate.js';
import type { Authenticator } from '../interfaces/auth.js';
import type { ClusterDriver } from '../interfaces/cluster.js';
import type { ContainerRuntime } from '../interfaces/container-runtime.js';
import type { Secrets } from '../interfaces/secrets.js';
import type { Storage } from '../interfaces/storage.js';
import { aroundCalls } from '../runtime/around-calls.js';
import { authenticatorAnswers, secretsAnswers } from './access.js';
import { clusterAnswers } from './cluster.js';
import { containerRuntimeAnswers } from './container-runtime.js';
import type { AnswerShape } from './shapes.js';
import { storageAnswers } from './storage.js';

/** What a driver answered, and how that differs from the shape that its interface has. Holds no value of the answer. */
export interface WrongAnswer {
  /** Its name where it has one: `cluster driver local`. */
  readonly driver: string;
  /** With its facet: `resourceManager.queues.list`. */
  readonly call: string;
  /** Each place and what is wrong there, three of them at most: `0.capacity: Invalid input: expected number, received string`. */
  readonly problem: string;
}

/** Makes the error that takes the place of a wrong answer. */
export type RefuseAnswer = (wrong: WrongAnswer) => Error;

/** The same driver, but that an answer of another shape than its interface has rejects (or throws) with what `refuse` makes. */
export interface CheckedDrivers {
  cluster(driver: ClusterDriver, refuse: RefuseAnswer): ClusterDriver;
  storage(driver: Storage, refuse: RefuseAnswer): Storage;
  authenticator(driver: Authenticator, refuse: RefuseAnswer): Authenticator;
  containerRuntime(driver: ContainerRuntime, refuse: RefuseAnswer): ContainerRuntime;
  secrets(driver: Secrets, refuse: RefuseAnswer): Secrets;
}

/** Answers of these calls are looked at in their turn. */
const speaking = { master: 'master.', 'blobs.open': 'blob.' };

export const checkedDrivers: CheckedDrivers = {
  cluster: (driver, refuse) => checked(driver, `cluster driver ${driver.name}`, clusterAnswers, refuse),
  storage: (driver, refuse) => checked(driver, 'storage', storageAnswers, refuse),
  authenticator: (driver, refuse) => checked(driver, 'authenticator', authenticatorAnswers, refuse),
  containerRuntime: (driver, refuse) =>
    checked(driver, `container runtime ${driver.name}`, containerRuntimeAnswers, refuse),
  secrets: (driver, refuse) => checked(driver, 'keeper of secrets', secretsAnswers, refuse),
};

function checked<T extends object>(
  target: T,
  driver: string,
  answers: ReadonlyMap<string, AnswerShape>,
  refuse: RefuseAnswer,
): T {
  return aroundCalls(
    target,
    (call, work) => {
      const expected = answers.get(call);
      const result = work();
      if (!expected) return result;
      const good = (answer: unknown): unknown => {
        const problem = problemOf(expected, answer);
        if (problem !== undefined) throw refuse({ driver, call, problem });
        return answer;
      };
      if (result instanceof Promise) return result.then(good);
      if (expected.isLater) throw refuse({ driver, call, problem: 'gives no promise' });
      return good(result);
    },
    speaking,
  );
}

function problemOf({ shape }: AnswerShape, answer: unknown): string | undefined {
  const parsed = shape.safeParse(answer, issueSentences);
  return parsed.error?.issues
    .slice(0, 3)
    .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
    .join('; ');
}
