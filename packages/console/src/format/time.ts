/** Where clocks are read: the browser's zone, UTC, or the gateway's own (a name such as `Europe/Berlin`). */
type Zone = 'browser' | (string & Record<never, never>);

interface Formats {
  readonly clock: Intl.DateTimeFormat;
  readonly moment: Intl.DateTimeFormat;
  readonly offset: Intl.DateTimeFormat;
}

const made = new Map<Zone, Formats>();

/** Made once: each costs more than a thousand uses. */
function formatsIn(zone: Zone): Formats {
  const there = made.get(zone);
  if (there) return there;
  const timeZone = zone === 'browser' ? {} : { timeZone: zone };
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const formats = {
    clock: new Intl.DateTimeFormat('en-GB', { ...clock, ...timeZone }),
    moment: new Intl.DateTimeFormat('sv-SE', { ...date, ...clock, ...timeZone }),
    offset: new Intl.DateTimeFormat('en-GB', { timeZoneName: 'longOffset', ...timeZone }),
  };
  made.set(zone, formats);
  return formats;
}

/** `12:03:01`. */
export const clockTime = (epochMillis: number, zone: Zone): string =>
  formatsIn(zone).clock.format(epochMillis);

/** `2026-11-26 12:03:01`. */
export const moment = (epochMillis: number, zone: Zone): string => formatsIn(zone).moment.format(epochMillis);

/** With the distance from UTC: `2026-11-26 12:03:01 +01:00`. */
export function momentWithOffset(epochMillis: number, zone: Zone): string {
  const name = formatsIn(zone)
    .offset.formatToParts(epochMillis)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const offset = (name ?? '').replace('GMT', '') || '+00:00';
  return `${moment(epochMillis, zone)} ${offset}`;
}
