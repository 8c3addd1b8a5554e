/** How grave an event is, unless it says otherwise (`logLevel`). */
const levels: Readonly<Record<string, string>> = {
  StopOperator: 'WARN',
  StopContainer: 'WARN',
  OperatorError: 'ERROR',
  ContainerError: 'ERROR',
};

/** Of an event that does not say it. */
export const levelOfType = (type: string): string => levels[type] ?? 'INFO';

/** Operators may throw errors of any length. */
const maxValueLength = 16_384;

/** What an event tells: with a level, and nothing of it longer than anybody reads. */
export function eventData(
  type: string,
  data: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ logLevel: levelOfType(type), ...data }).map(([name, value]) => [
      name,
      value.length > maxValueLength ? `${value.slice(0, maxValueLength)}...` : value,
    ]),
  );
}
