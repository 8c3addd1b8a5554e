import t from 'tap';
import { statusOf } from '../../../../lib/features/licenses/status.js';
import { LicenseTerms } from '../../../../lib/features/licenses/terms.js';
import { warningsOf } from '../../../../lib/features/licenses/warnings.js';
import { day, start, terms } from '../../../helpers/licenses.js';

// The status of a license, as a table: `docs/decisions.md`, What a lock refuses.

const end = start + 90 * day;
const grace = 30 * 60_000;
const lasting = { exceedGracePeriod: grace };
const limited = { ...lasting, expireTime: end };

type Terms = Parameters<typeof statusOf>[0];
const rows: readonly [
  what: string,
  terms: Terms,
  now: number,
  exceeded: number | undefined,
  state: string,
  level: string | undefined,
  warnings: readonly string[],
][] = [
  ['none', undefined, start, undefined, 'missing', 'ERROR', ['LICENSE_MISSING error']],
  ['long before the end', limited, start, undefined, 'valid', undefined, []],
  ['more than 30 days', limited, end - 30 * day - 1, undefined, 'valid', undefined, []],
  ['30 days', limited, end - 30 * day, undefined, 'valid', 'INFO', ['LICENSE_EXPIRING warning']],
  ['8 days', limited, end - 8 * day, undefined, 'valid', 'INFO', ['LICENSE_EXPIRING warning']],
  ['7 days', limited, end - 7 * day, undefined, 'valid', 'WARN', ['LICENSE_EXPIRING warning']],
  ['the last millisecond', limited, end - 1, undefined, 'valid', 'WARN', ['LICENSE_EXPIRING warning']],
  ['the end', limited, end, undefined, 'expired', 'ERROR', ['LICENSE_EXPIRED error']],
  ['no end', lasting, end + 9999 * day, undefined, 'valid', undefined, []],
  ['a clock before its first day', limited, start - 400 * day, undefined, 'valid', undefined, []],
  ['just exceeded', limited, start, 0, 'grace', 'WARN', ['LICENSE_MEMORY_EXCEEDED warning']],
  ['the last of the grace', limited, start, grace - 1, 'grace', 'WARN', ['LICENSE_MEMORY_EXCEEDED warning']],
  ['grace is over', limited, start, grace, 'violation', 'ERROR', ['LICENSE_MEMORY_EXCEEDED error']],
  ['long over', lasting, start, grace * 99, 'violation', 'ERROR', ['LICENSE_MEMORY_EXCEEDED error']],
  ['no grace', { exceedGracePeriod: 0 }, start, 0, 'violation', 'ERROR', ['LICENSE_MEMORY_EXCEEDED error']],
  [
    'exceeded near the end',
    limited,
    end - day,
    1,
    'grace',
    'WARN',
    ['LICENSE_MEMORY_EXCEEDED warning', 'LICENSE_EXPIRING warning'],
  ],
  [
    'expired and exceeded',
    limited,
    end + 1,
    grace,
    'expired',
    'ERROR',
    ['LICENSE_EXPIRED error', 'LICENSE_MEMORY_EXCEEDED error'],
  ],
];

for (const [what, given, now, exceededMillis, state, level, warnings] of rows) {
  t.test(what, async (t) => {
    const status = statusOf(given, { now, exceededMillis });
    t.equal(status.state, state);
    t.equal(status.level, level);
    t.equal(status.isLocked, ['missing', 'expired', 'violation'].includes(state));
    t.equal(
      status.exceedRemainingTime,
      exceededMillis === undefined || !given
        ? undefined
        : Math.max(0, given.exceedGracePeriod - exceededMillis),
    );
    const { expireTime: _, ...whole } = LicenseTerms.parse(terms());
    const found = warningsOf({
      terms: given && { ...whole, ...given },
      problem: undefined,
      status,
      usedMB: 1500,
      nodesUsed: undefined,
      now,
    });
    t.strictSame(
      found.map(({ key, severity }) => `${key} ${severity}`),
      warnings,
    );
    t.equal(found[0]?.severity === 'error', status.isLocked, 'the first says why it is locked');
  });
}
