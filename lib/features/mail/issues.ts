import type { MailService } from './service.js';

/** What an administrator should know of mails; listed with the others of `config/issues`. */
export const mailIssues = (
  { missing, whyMailsWait }: Pick<MailService, 'missing' | 'whyMailsWait'>,
  { areWanted }: { readonly areWanted: () => boolean },
) => [
  {
    key: 'SMTP_NOT_CONFIGURED',
    severity: 'warning' as const,
    async find(): Promise<string | undefined> {
      const why = areWanted() ? await missing() : undefined;
      return why === undefined ? undefined : `There are system alerts, but nobody is told of them: ${why}`;
    },
  },
  {
    key: 'SMTP_NOT_WORKING',
    severity: 'warning' as const,
    health: { part: 'mail', message: 'Mails wait: the mail server does not take them' },
    find(): string | undefined {
      const why = whyMailsWait();
      return why === undefined
        ? undefined
        : `Mails wait, and are tried again for a day: ${why}. PUT /ws/v2/config/smtp tries at once`;
    },
  },
];
