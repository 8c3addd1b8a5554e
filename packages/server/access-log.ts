import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const maxBytes = 16 * 1024 * 1024;

interface AccessLog {
  /** Call before the request is handled. */
  follow(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

/**
 * Writes one JSON line for each answered request: what the demo application follows. The file is rotated at
 * 16 MiB and one old file is kept, as `logrotate` would. A full disk loses lines, nothing else.
 */
export function createAccessLog(file: string): AccessLog {
  let descriptor = openSync(file, 'a');
  let size = existsSync(file) ? statSync(file).size : 0;
  /** The last line was cut: the next begins a line of its own. */
  let isCut = false;

  const rotate = () => {
    renameSync(file, `${file}.1`);
    const next = openSync(file, 'a');
    closeSync(descriptor);
    descriptor = next;
    size = 0;
  };
  const write = (line: string) => {
    const bytes = Buffer.from(isCut ? `\n${line}` : line);
    const written = writeSync(descriptor, bytes);
    isCut = written < bytes.length;
    size += written;
    if (size > maxBytes) rotate();
  };

  return {
    follow({ method, url = '' }, response) {
      const startedAt = performance.now();
      response.on('finish', () => {
        const line = {
          time: new Date().toISOString(),
          method,
          path: url.split('?', 1)[0],
          status: response.statusCode,
          durationMillis: Math.round((performance.now() - startedAt) * 1000) / 1000,
        };
        try {
          write(`${JSON.stringify(line)}\n`);
        } catch {
          // The disk takes nothing: it is no reason to end the server.
        }
      });
    },
    close: () => closeSync(descriptor),
  };
}
