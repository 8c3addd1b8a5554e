import { Readable } from 'node:stream';
import { nextTurn } from '../runtime/event-loop.js';
import { owned } from '../runtime/owned.js';
import type { EncodedReply, Reply } from './reply.js';
import type { GatewayResponse } from './request.js';

/** As hosts take it: a text, or a stream that gives each turn away. */
export const answerBody = (body: EncodedReply['body']): GatewayResponse['body'] =>
  isPieces(body) ? joined(body[Symbol.iterator]()) : body;

const isPieces = (body: EncodedReply['body']): body is Iterable<string> =>
  typeof body === 'object' && Symbol.iterator in body;

/** One piece is a text like any other. */
function joined(pieces: Iterator<string>): GatewayResponse['body'] {
  const [first, second] = [pieces.next(), pieces.next()];
  if (first.done) return '';
  return second.done ? first.value : owned(Readable.from(byTurns(first.value, second.value, pieces)));
}

/** A fast socket never makes us wait, so the turn is given away here. */
async function* byTurns(first: string, second: string, rest: Iterator<string>): AsyncIterable<string> {
  yield first;
  await nextTurn();
  yield second;
  for (let piece = rest.next(); !piece.done; piece = rest.next()) {
    await nextTurn();
    yield piece.value;
  }
}

/**
 * Waits for the first byte: a stream that breaks before is an error like any other. One that breaks later cuts the
 * connection, and only the log can tell why.
 */
export async function watchStream(
  body: Readable,
  kind: Reply<unknown>['kind'],
  onBreak: (error: unknown) => void,
): Promise<void> {
  if (kind !== 'passthrough') await firstByte(body);
  body.once('error', onBreak);
}

function firstByte(body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      body.off('readable', done).off('error', done).off('close', done);
      if (error === undefined) resolve();
      else reject(error);
    };
    if (body.destroyed) done(body.errored ?? undefined);
    else body.once('readable', done).once('error', done).once('close', done);
  });
}
