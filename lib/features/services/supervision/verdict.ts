import type { Life } from '../kinds/kind.js';
import type { StoredService } from '../stored.js';

/** What a look means for a service. */
type Verdict =
  /** It does not run, and is not about to. */
  | { readonly is: 'irrelevant' }
  /** It goes on. */
  | { readonly is: 'alive' }
  /** It has come up. */
  | { readonly is: 'ready' }
  | { readonly is: 'ended'; readonly reason: string }
  /** It is there, but does not come up. */
  | { readonly is: 'late'; readonly reason: string };

/** `seen`: what runs under its name, if anything does. */
export function verdictOn(
  { state, lifeId }: Pick<StoredService, 'state' | 'lifeId'>,
  seen: Life | undefined,
  { now, readyMillis }: { readonly now: number; readonly readyMillis: number },
): Verdict {
  if (state !== 'RUNNING' && state !== 'STARTING') return { is: 'irrelevant' };
  if (!seen || seen.id !== lifeId) return { is: 'ended', reason: 'It was ended by somebody else' };
  if (seen.state === 'ended') return { is: 'ended', reason: seen.reason ?? 'It ended' };
  if (state === 'RUNNING') return { is: 'alive' };
  if (seen.state === 'running') return { is: 'ready' };
  if (now - seen.startedTime <= readyMillis) return { is: 'alive' };
  return { is: 'late', reason: `It did not get ready within ${Math.round(readyMillis / 1000)} s` };
}
