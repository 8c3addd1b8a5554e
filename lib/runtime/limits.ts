/** Throws `TypeError` naming the option. `where`: what is before the names of the limits. */
export function requireLimits(where: string, limits: Readonly<Record<string, number>>): void {
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 1)) throw new TypeError(`${where}.${name} must be at least 1, not ${limit}`);
  }
}
