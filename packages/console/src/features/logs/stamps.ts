// Times as a log writes them: its own clock, whose zone most logs do not say. They are compared with one another and with what
// somebody types from the same log, so all are taken as if they were UTC.

const full = /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,3}))?/;
const hadoop = /^\[?(\d\d)\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)/;

/** The stamp that stands near the start of a line, in milliseconds. */
export function stampIn(text: string): number | undefined {
  const start = text.slice(0, 80);
  const long = full.exec(start);
  if (long) return millisOf(long.slice(1));
  const short = hadoop.exec(start);
  return short ? millisOf([`20${short[1]}`, ...short.slice(2)]) : undefined;
}

function millisOf([year, month, day, hour, minute, second, fraction = '0']: readonly string[]): number {
  const whole = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return whole + Number(fraction.padEnd(3, '0'));
}

const typedTime = /^(?:(\d{4})-(\d\d)-(\d\d))?[T ]?(?:(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?)?$/;
const dayMillis = 24 * 60 * 60 * 1000;

/** What somebody typed: a day, a time of day, or both. `near`: a stamp whose day is meant where none is typed. */
export function readStamp(text: string, near: number | undefined): number | undefined {
  const found = typedTime.exec(text.trim());
  if (!found || text.trim() === '') return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0'] = found;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (year !== undefined && month !== undefined && day !== undefined)
    return millisOf([year, month, day, hour, minute, second, fraction]);
  if (near === undefined) return undefined;
  const time = millisOf(['1970', '01', '01', hour, minute, second, fraction]);
  return Math.floor(near / dayMillis) * dayMillis + time;
}
