import { requireLimits } from '../../runtime/limits.js';
import { defaultOutboxLimits, type OutboxLimits } from './outbox.js';
import type { Letterhead } from './texts.js';
import { oneLine } from './wording.js';

/** Of mails about system alerts; who sends them is `mailer`. */
export interface MailOptions {
  /** What stands in brackets before each subject, up to 64 characters. Default: `Headgate`. */
  readonly platform?: string;
  /** `http:` or `https:` address of the host's console; each mail ends with it. Default: none. */
  readonly consoleUrl?: string;
  readonly limits?: Partial<OutboxLimits>;
}

interface ReadMailOptions {
  readonly letterhead: Letterhead;
  readonly limits: OutboxLimits;
}

/** Throws `TypeError` naming the option that can't be used. */
export function readMailOptions(options: MailOptions = {}): ReadMailOptions {
  const { platform = 'Headgate', consoleUrl } = options;
  const limits = { ...defaultOutboxLimits, ...options.limits };
  requireLimits('mail.limits', limits);
  return {
    letterhead: {
      platform: oneLine(platform, 64),
      ...(consoleUrl === undefined ? {} : { link: linkOf(consoleUrl) }),
    },
    limits,
  };
}

function linkOf(consoleUrl: string): string {
  const url = URL.canParse(consoleUrl) ? new URL(consoleUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new TypeError(`mail.consoleUrl must begin with http: or https:, not ${JSON.stringify(consoleUrl)}`);
}
