/** Of `known`, the one that was probably meant: a slip of the fingers away, or one is the beginning of the other. */
export function nearestName(written: string, known: readonly string[]): string | undefined {
  const typed = written.toLowerCase();
  const near = known.filter((name) => isNear(typed, name.toLowerCase()));
  return near.sort((one, other) => slips(typed, one.toLowerCase()) - slips(typed, other.toLowerCase()))[0];
}

function isNear(typed: string, name: string): boolean {
  const [short, long] = typed.length < name.length ? [typed, name] : [name, typed];
  if (short.length >= 3 && long.startsWith(short)) return true;
  return slips(typed, name) <= Math.max(1, Math.floor(name.length / 4));
}

/** Letters that are missing, too much, wrong, or that changed places with their neighbour (optimal string alignment). */
function slips(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const hasSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          hasSwapped && i > 1 && j > 1 ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
