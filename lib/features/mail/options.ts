import { type OptionChecks, option } from '../../runtime/option-checks.js';
import { shown } from '../../runtime/option-sentences.js';
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

export const mailOptions: OptionChecks<MailOptions> = {
  platform: option.text,
  consoleUrl: {
    problem: (given, { caller, path }) =>
      typeof given === 'string' && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
        ? undefined
        : `${caller}: ${path} must begin with http: or https:, not ${shown(given)}`,
  },
  limits: option.limits(defaultOutboxLimits),
};

export function readMailOptions({
  platform = 'Headgate',
  consoleUrl,
  limits,
}: MailOptions = {}): ReadMailOptions {
  return {
    letterhead: {
      platform: oneLine(platform, 64),
      ...(consoleUrl === undefined ? {} : { link: new URL(consoleUrl).href }),
    },
    limits: { ...defaultOutboxLimits, ...limits },
  };
}
