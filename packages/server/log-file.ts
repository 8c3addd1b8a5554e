import { type Logger, pino } from 'pino';

/** Of lines that wait for the disk, bytes. */
const maxWaiting = 256 * 1024;
const retryMillis = 1000;

interface LogFile {
  readonly logger: Logger;
  /** Resolves when all lines are written, or the disk has refused them. */
  close(): Promise<void>;
}

/**
 * A pino logger into a file, `-` for standard output, that outlives a full disk: lines wait as long as there is room for them; what is more is
 * counted, and told once lines are written again. `level`: the least that is written.
 */
export function logInto(file: string, level: string): LogFile {
  const destination = pino.destination({
    dest: file === '-' ? 1 : file,
    sync: false,
    maxLength: maxWaiting,
    // What was refused is tried again with the next line, and by this, which does something only with a least length.
    periodicFlush: retryMillis,
    minLength: 1,
  });
  const logger = pino({ level }, destination);
  let isRefused = false;
  let lost = 0;
  // Without a listener the process would end.
  destination.on('error', () => {
    isRefused = true;
  });
  destination.on('drop', () => {
    lost++;
  });
  destination.on('drain', () => {
    isRefused = false;
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    logger.warn(
      { event: 'server.log_lines_lost', lines },
      'lines of this log were lost: the disk took no more',
    );
  });
  // At the end of the process pino writes what waits, and on a full disk it would try that for ever.
  process.prependListener('exit', () => {
    if (isRefused) destination.destroy();
  });

  return {
    logger,
    close: () =>
      new Promise<void>((resolve) => {
        destination.once('close', resolve);
        destination.once('error', () => destination.destroy());
        destination.end();
      }),
  };
}
