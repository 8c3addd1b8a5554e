import type { MailService } from './service.js';

/** What an administrator should know of mails; listed with the others of `config/issues`. */
export const mailIssues = ({ trouble }: Pick<MailService, 'trouble'>) => [
  {
    key: 'SMTP_NOT_WORKING',
    severity: 'warning' as const,
    find(): string | undefined {
      const why = trouble();
      return why === undefined
        ? undefined
        : `Mails wait, and are tried again for a day: ${why}. PUT /ws/v2/config/smtp tries at once`;
    },
  },
];
