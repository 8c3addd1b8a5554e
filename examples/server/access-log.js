import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

const maxBytes = 16 * 1024 * 1024;

/**
 * Writes one JSON line for each answered request: what the demo application follows. The file is rotated at
 * 16 MiB and one old file is kept, as `logrotate` would.
 */
export function createAccessLog(file) {
  let descriptor = openSync(file, 'a');
  let size = existsSync(file) ? statSync(file).size : 0;

  const rotate = () => {
    closeSync(descriptor);
    renameSync(file, `${file}.1`);
    descriptor = openSync(file, 'a');
    size = 0;
  };

  return {
    /** Call before the request is handled. */
    follow(request, response) {
      const startedAt = performance.now();
      const path = request.url.split('?', 1)[0];
      response.on('finish', () => {
        const line = `${JSON.stringify({
          time: new Date().toISOString(),
          method: request.method,
          path,
          status: response.statusCode,
          durationMillis: Math.round((performance.now() - startedAt) * 1000) / 1000,
        })}\n`;
        size += writeSync(descriptor, line);
        if (size > maxBytes) rotate();
      });
    },
    close: () => closeSync(descriptor),
  };
}
