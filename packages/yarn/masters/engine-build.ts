import { type BuildInfo, type CallOptions, type Clock, withTimeout } from 'headgate/driver-kit';
import * as z from 'zod';
import type { YarnApplications } from '../manager/applications.js';
import type { Masters } from './client.js';

const Versioned = z.object({ version: z.string() });

/** Milliseconds. */
const goodFor = 600_000;
const askAgain = 30_000;
const timeoutMillis = 1000;
const mastersAsked = 3;

/** Which engine it is, only running applications tell: each brings its own, and the newest one speaks for them. */
export function createEngineBuild(deps: {
  readonly applications: Pick<YarnApplications, 'list'>;
  readonly masters: Masters;
  readonly clock: Clock;
}): { read(options?: CallOptions): Promise<BuildInfo> } {
  let known = buildOf('');
  let nextAt = -Infinity;

  async function look(signal: AbortSignal): Promise<void> {
    const running = (await deps.applications.list({ signal, activeOnly: true }))
      .filter(({ report }) => report.state === 'RUNNING')
      .sort((one, other) => other.report.startedTime - one.report.startedTime);
    const asked = running
      .slice(0, mastersAsked)
      .map(async (sighting) => deps.masters.of(sighting).get(Versioned, 'info', signal));
    const { version } = await Promise.any(asked);
    known = buildOf(version);
    nextAt = deps.clock.monotonic() + goodFor;
  }

  return {
    async read({ signal } = {}) {
      if (deps.clock.monotonic() < nextAt) return known;
      nextAt = deps.clock.monotonic() + askAgain;
      // Nobody runs, or nobody answers: it is not known, or what was known last.
      await withTimeout(timeoutMillis, 'The masters', signal, look).catch(() => {});
      return known;
    },
  };
}

/** `3.7.0 from rev: cd0b0d9 branch: release-3.7 by Ann Example on 14.04.2018 @ 08:03:49 PDT` */
function buildOf(text: string): BuildInfo {
  const [, version = '', buildRevision = '', buildUser = '', buildDate = ''] =
    /^(\S*)(?: from rev: (\S*))?(?: branch: \S*)?(?: by (.*?))?(?: on (.*))?$/.exec(text.slice(0, 500)) ?? [];
  return { version, buildRevision, buildUser, buildDate, buildVersion: text };
}
