import type { OperatorLog } from '@headgate/operators';
import { type LoggerTarget, levelOf, severities } from '../model/log-levels.js';
import { logLine } from '../model/log-lines.js';
import type { RotatingFile } from './rotating-file.js';

export interface ContainerLog {
  /** A logger by its name; levels that change later reach it. */
  logger(name: string): OperatorLog;
  setLevels(targets: readonly LoggerTarget[]): void;
  /** Byte offset where the next line goes. */
  offset(): number;
}

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
        const trace = error instanceof Error ? `\n${error.stack ?? error.message}` : '';
        file.write(logLine(Date.now(), level, name, `${message}${trace}`));
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
