import { GatewayError, TimedOut, Unreachable, UnusableAnswer } from '../model/errors.js';

/** Nothing came for too long. Stays inside of a client: its callers hear of `TimedOut`. */
export class Silence extends Error {}

/** What the caller of a client hears: the reason of the signal, what the gateway itself found wrong, or which end failed. */
export function callFailure(
  error: unknown,
  { signal, what }: { readonly signal?: AbortSignal | undefined; readonly what: string },
): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof GatewayError) return error;
  return error instanceof Silence ? new TimedOut(what) : new Unreachable(what, error);
}

/** The whole of an answer that is short; rejects with `UnusableAnswer` beyond `maxBytes`. */
export async function answerText(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of pieces) {
    size += bytes.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) throw new UnusableAnswer(what, `answered with more than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
