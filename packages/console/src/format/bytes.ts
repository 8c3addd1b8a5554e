import { isKnown, unknown } from './number.js';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** IEC: `1.5 GiB`. */
export function bytes(value: number | undefined | null): string {
  if (!isKnown(value)) return unknown;
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 1023.5 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${value < 0 ? '-' : ''}${Number(size.toFixed(digits))} ${units[unit]}`;
}

/** Of what the API counts in MB. */
export const megabytes = (value: number | undefined | null): string =>
  isKnown(value) ? bytes(value * 1024 * 1024) : unknown;
