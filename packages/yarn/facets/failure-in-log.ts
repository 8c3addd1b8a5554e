const entry = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (\w+) /;
const thrown =
  /^(?:Caused by: |Exception in thread "[^"]*" )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error|Throwable)\b.*)$/;
const belongs = /^\s+(?:at |\.\.\. )|^\s*$/;

interface LoggedFailure {
  /** The innermost cause: `java.lang.ClassNotFoundException: com.example.Nix`. */
  readonly message: string;
  readonly stackTrace: string;
}

/** The last exception that a JVM wrote to its log before it ended, with its causes. */
export function failureInLog(text: string): LoggedFailure | undefined {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => thrown.test(line));
  if (last < 0) return undefined;
  let first = last;
  while (first > 0 && isOfStack(lines[first - 1] ?? '')) first--;
  let end = last + 1;
  while (end < lines.length && belongs.test(lines[end] ?? '')) end++;
  return {
    message: thrown.exec(lines[last] ?? '')?.[1] ?? '',
    stackTrace: lines.slice(first, end).join('\n').trimEnd(),
  };
}

const isOfStack = (line: string): boolean =>
  !entry.test(line) && (thrown.test(line) || (belongs.test(line) && line.trim() !== ''));
