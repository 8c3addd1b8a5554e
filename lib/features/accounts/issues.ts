import type { AccountService } from './service.js';

/** What an administrator should know of accounts. */
export const accountIssues = ({ hasGeneratedPassword }: Pick<AccountService, 'hasGeneratedPassword'>) => [
  {
    key: 'ADMIN_NOT_CONFIGURED',
    severity: 'warning' as const,
    find: (): string | undefined =>
      hasGeneratedPassword()
        ? 'The user admin still has the password that was generated at the first start: choose one (PUT /ws/v2/auth/users/admin)'
        : undefined,
  },
];
