import type { Frame, Framer } from './frame.js';
import { type Message, valueMessage } from './message.js';
import type { LastEntries, Listing } from './topic.js';

interface Said {
  readonly list: unknown;
  readonly lastEntries?: LastEntries | undefined;
}

/** A list, with what an older one named for the last time and did not come to say; itself when it says all of that. */
function withSkipped<T extends Said>(listing: Listing<unknown>, newer: T, skipped: LastEntries): T | Said {
  const present = listing.split(newer.list);
  const missed = [...skipped].filter(([id]) => !present.has(id));
  if (missed.length === 0) return newer;
  return {
    list: listing.join([newer.list, ...missed.map(([, part]) => part)]),
    lastEntries: new Map([...missed, ...(newer.lastEntries ?? [])]),
  };
}

/** A newer message, which takes the place of one that waited. */
export function afterWaiting(
  listing: Listing<unknown> | undefined,
  newer: Message,
  waited: Message,
): Message {
  if (!listing || !waited.lastEntries) return newer;
  const said = { list: newer.value(), lastEntries: newer.lastEntries };
  const whole = withSkipped(listing, said, waited.lastEntries);
  return whole === said ? newer : valueMessage(whole.list, whole.lastEntries);
}

/**
 * A frame that names entries for the last time: where a newer one takes its place, before it was sent, that one names them
 * too. Receivers that were spared the same frames share what is made for them.
 */
export function lastFrame(
  framer: Framer,
  listing: Listing<unknown>,
  frame: Frame,
  lastEntries: LastEntries,
): Frame {
  const made = new WeakMap<Frame, Frame>();
  function carryInto(newer: Frame): Frame {
    const said = { list: JSON.parse(framer.dataOf(newer)), lastEntries: newer.lastEntries };
    const whole = withSkipped(listing, said, lastEntries);
    if (whole === said || !whole.lastEntries) return newer;
    return lastFrame(framer, listing, framer.frame(JSON.stringify(whole.list)), whole.lastEntries);
  }
  return {
    ...frame,
    lastEntries,
    carryInto(newer) {
      const carried = made.get(newer) ?? carryInto(newer);
      made.set(newer, carried);
      return carried;
    },
  };
}
