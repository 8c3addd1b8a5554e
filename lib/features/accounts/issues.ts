import type { AccountService } from './service.js';

/** What an administrator should know of accounts. */
export const accountIssues = ({
  hasGeneratedPassword,
  provisioning,
}: Pick<AccountService, 'hasGeneratedPassword' | 'provisioning'>) => [
  {
    key: 'ADMIN_NOT_CONFIGURED',
    severity: 'warning' as const,
    find: (): string | undefined =>
      hasGeneratedPassword()
        ? 'The user admin still has the password that was generated at the first start: choose one (PUT /ws/v2/auth/users/admin)'
        : undefined,
  },
  {
    key: 'AUTH_NOT_ANSWERING',
    severity: 'error' as const,
    health: { part: 'authentication', message: 'Who answers for logins did not, the last time' },
    find(): string | undefined {
      const scheme = provisioning.silent();
      return scheme && `Who answers for ${scheme} logins did not, the last time; local accounts can log in`;
    },
  },
];
