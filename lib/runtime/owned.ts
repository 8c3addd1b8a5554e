import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';

/**
 * For everything that fails by itself (a stream, a socket, a request, a server), at the place where it is made. Such a
 * thing may break before anybody reads it, after its reader has left, or a second time, and an `error` that nobody hears
 * ends the host's process. Who reads it or waits for it hears of the failure all the same: streams remember it.
 */
export function owned<Made extends EventEmitter>(made: Made): Made {
  return made.on('error', unheard);
}

/** A process, and what it is spoken to by. */
export function ownedProcess<Child extends ChildProcess>(child: Child): Child {
  // There are none when the host has run out of file handles.
  for (const channel of child.stdio ?? []) if (channel) owned(channel);
  return owned(child);
}

/** One for all: it costs a place in a list. */
const unheard = (): void => {};
