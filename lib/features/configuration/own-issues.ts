import type { IssueRule } from './issues.js';

/** What an administrator should know of the configuration itself. */
export const ownIssueRules = (known: {
  /** Another auth configuration was put than is in effect. */
  readonly isAuthWaiting: () => Promise<boolean>;
  /** Names of properties that wait for a restart in place, or for the next start of the host. */
  readonly waiting: (what: 'restart' | 'start') => readonly string[];
  /** Why the mechanism that is configured does not work. */
  readonly authProblem: () => string | undefined;
}): readonly IssueRule[] => [
  {
    key: 'RESTART_NEEDED',
    severity: 'warning',
    find: async () => {
      const waiting = [
        ...((await known.isAuthWaiting()) ? ['the auth configuration'] : []),
        ...known.waiting('restart'),
      ];
      return waiting.length > 0
        ? `Changes take effect when the gateway is restarted (POST /ws/v2/config/restart): ${waiting.join(', ')}`
        : undefined;
    },
  },
  {
    // Not RESTART_NEEDED: who restarts because of that one must find it gone.
    key: 'HOST_RESTART_NEEDED',
    severity: 'warning',
    find: () => {
      const waiting = known.waiting('start');
      return waiting.length > 0
        ? `Changes take effect when the host itself is started again, POST /ws/v2/config/restart is not enough: ${waiting.join(', ')}`
        : undefined;
    },
  },
  {
    key: 'AUTH_NOT_WORKING',
    severity: 'error',
    health: { part: 'authentication', message: 'Only local accounts can log in' },
    find: () => {
      const problem = known.authProblem();
      return problem === undefined ? undefined : `Only local accounts can log in: ${problem}`;
    },
  },
];
