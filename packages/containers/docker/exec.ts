import { ContainerFailed, TimedOut } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Http } from './http.js';
import { lastLineOf, textOfFrames } from './multiplexed.js';

const Made = z.object({ Id: z.string() });
const Ended = z.object({ Running: z.boolean(), ExitCode: z.number().nullish() });
/** Kept of what it prints. */
const outputBytes = 64 * 1024;

/** Runs a command in a container to its end; rejects unless that ends with code 0 in time. */
export async function execute(
  http: Http,
  container: string,
  words: readonly string[],
  { signal, millis }: { readonly signal?: AbortSignal | undefined; readonly millis: number },
): Promise<void> {
  const deadline = AbortSignal.timeout(millis);
  const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const fail = (how: string, cause?: unknown) => new ContainerFailed(`exec: ${words[0]} ${how}`, cause);
  try {
    const made = await http.ask(`/containers/${container}/exec`, Made, {
      method: 'POST',
      body: { Cmd: words, AttachStdout: true, AttachStderr: true },
      signal: until,
      // It has ended already, or is on its way.
      fine: [],
    });
    if (!made) throw fail('found no container to run in');
    let output = Buffer.alloc(0);
    const pieces = http.stream(`/exec/${made.Id}/start`, {
      method: 'POST',
      body: { Detach: false, Tty: false },
      signal: until,
      timeoutMillis: millis,
    });
    for await (const piece of pieces)
      if (output.length < outputBytes) output = Buffer.concat([output, piece]).subarray(0, outputBytes);
    const ended = await http.ask(`/exec/${made.Id}/json`, Ended, { signal: until });
    if (ended?.ExitCode === 0) return;
    const line = lastLineOf(textOfFrames(output));
    throw fail(`ended with code ${ended?.ExitCode ?? 'unknown'}${line === undefined ? '' : `: ${line}`}`);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (deadline.aborted || error instanceof TimedOut)
      throw fail(`did not end within ${millis / 1000} s`, error);
    throw error;
  }
}
