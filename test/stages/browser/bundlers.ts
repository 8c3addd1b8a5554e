import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import webpack from 'webpack';

/** Puts a program of a page together with all that it imports, as `page.js` in a folder. Resolves what was warned of. */
type Bundle = (entry: string, folder: string) => Promise<readonly string[]>;

/** Each as it is without being told more than what and where to. */
export const bundlers: Readonly<Record<string, Bundle>> = {
  async esbuild(entry, folder) {
    const { warnings } = await esbuild.build({
      entryPoints: [entry],
      outfile: join(folder, 'page.js'),
      bundle: true,
      format: 'esm',
      minify: true,
      logLevel: 'silent',
    });
    return warnings.map(({ text }) => text);
  },

  async vite(entry, folder) {
    const warnings: string[] = [];
    const customLogger = vite.createLogger('silent');
    customLogger.warn = (text) => warnings.push(text);
    customLogger.warnOnce = customLogger.warn;
    await vite.build({
      root: dirname(entry),
      configFile: false,
      base: './',
      logLevel: 'silent',
      customLogger,
      build: {
        outDir: folder,
        emptyOutDir: false,
        rollupOptions: { input: entry, output: { entryFileNames: 'page.js' } },
      },
    });
    return warnings;
  },

  webpack: (entry, folder) =>
    new Promise((resolve, reject) => {
      const options: webpack.Configuration = {
        mode: 'production',
        context: dirname(entry),
        entry,
        output: { path: folder, filename: 'page.js' },
      };
      webpack(options, (error, stats) => {
        if (error || !stats) return reject(error ?? new Error('webpack says nothing'));
        const { errors = [], warnings = [] } = stats.toJson({ all: false, errors: true, warnings: true });
        return resolve([...errors, ...warnings].map(({ message }) => message));
      });
    }),
};
