import t from 'tap';
import { answerLevel } from '../../../lib/http/log-level.js';

// Which answers call somebody who looks after the gateway.

const table: readonly (readonly [number, string | undefined, 'gateway' | 'users', string])[] = [
  [200, undefined, 'gateway', 'info'],
  [404, 'NOT_FOUND', 'gateway', 'info'],
  [429, 'TOO_MANY_REQUESTS', 'gateway', 'info'],
  [499, 'CLIENT_HUNG_UP', 'users', 'info'],
  [500, 'INTERNAL', 'gateway', 'error'],
  [500, 'INTERNAL', 'users', 'error'],
  [500, 'STORAGE_FAILED', 'gateway', 'error'],
  [501, 'NOT_SUPPORTED', 'gateway', 'info'],
  [501, 'MISSING_PACKAGE', 'gateway', 'info'],
  [502, 'UNREACHABLE', 'gateway', 'error'],
  [502, 'UNREACHABLE', 'users', 'warn'],
  [502, 'UNUSABLE_ANSWER', 'gateway', 'error'],
  [502, 'UNUSABLE_ANSWER', 'users', 'warn'],
  [502, 'REFUSED', 'gateway', 'error'],
  [502, 'CONTAINER_FAILED', 'gateway', 'warn'],
  [502, 'MAIL_NOT_SENT', 'gateway', 'warn'],
  [502, 'TEST_MAIL_NOT_SENT', 'gateway', 'warn'],
  // The answer of a service that fails by itself was passed on as it came.
  [502, undefined, 'users', 'info'],
  [500, undefined, 'users', 'info'],
  [500, undefined, 'gateway', 'error'],
  [503, 'NOT_READY', 'gateway', 'error'],
  [503, 'NOT_READY', 'users', 'warn'],
  [504, 'TIMED_OUT', 'gateway', 'error'],
  [504, 'TIMED_OUT', 'users', 'warn'],
  [507, 'NO_SPACE', 'gateway', 'error'],
];

t.test('the level of a line tells whose concern an answer is', async (t) => {
  for (const [status, code, asked, level] of table)
    t.equal(
      answerLevel(status, code === undefined ? undefined : { code }, asked === 'users'),
      level,
      `${status} ${code} asks ${asked}`,
    );
});
