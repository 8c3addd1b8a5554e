import type { OperatorLog } from '../operator.js';
import { type LoggerTarget, levelOf, severities } from '../processes/log-levels.js';
import type { RotatingFile } from './rotating-file.js';

export interface ContainerLog {
  /** A logger by its name; levels that change later reach it. */
  logger(name: string): OperatorLog;
  setLevels(targets: readonly LoggerTarget[]): void;
  /** Byte offset where the next line goes. */
  offset(): number;
}

const maxLineLength = 32_768;

export function createContainerLog(file: RotatingFile): ContainerLog {
  let targets: readonly LoggerTarget[] = [];
  const thresholds = new Map<string, number>();

  function threshold(name: string): number {
    let found = thresholds.get(name);
    if (found === undefined) {
      found = severities[levelOf(targets, name) || 'INFO'];
      thresholds.set(name, found);
    }
    return found;
  }

  return {
    logger(name) {
      const write = (level: keyof typeof severities, message: string, error?: unknown) => {
        if (severities[level] < threshold(name)) return;
        const time = new Date().toISOString().replace('T', ' ').replace('.', ',').replace('Z', '');
        const trace = error instanceof Error ? `\n${error.stack ?? error.message}` : '';
        file.write(
          `${time} [main] ${level.padEnd(5)} ${name} - ${`${message}${trace}`.slice(0, maxLineLength)}\n`,
        );
      };
      return {
        trace: (message) => write('TRACE', message),
        debug: (message) => write('DEBUG', message),
        info: (message) => write('INFO', message),
        warn: (message) => write('WARN', message),
        error: (message, error) => write('ERROR', message, error),
      };
    },
    setLevels(next) {
      targets = next;
      thresholds.clear();
    },
    offset: () => file.size(),
  };
}
