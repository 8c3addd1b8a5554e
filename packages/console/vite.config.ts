import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Read by the browser before it paints, so that a dark console does not flash. A file of its own: the policy takes no inline script. */
const scheme: Plugin = {
  name: 'colour scheme before paint',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const file = Object.values(bundle ?? {}).find(({ name }) => name === 'scheme.js');
      if (!file) throw new Error('scheme.js was not built');
      return html.replace('<title>', `<script src="./${file.fileName}"></script>\n    <title>`);
    },
  },
  buildStart() {
    const source = readFileSync(new URL('./src/shell/scheme.js', import.meta.url), 'utf8');
    this.emitFile({ type: 'asset', name: 'scheme.js', source });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the prefix that the gateway is mounted at is not known here, and not always to the server.
  base: './',
  plugins: [react(), scheme],
  resolve: { dedupe: ['react', 'react-dom'] },
  build: {
    outDir: 'dist/pages',
    emptyOutDir: true,
    // All files are files: what is inlined as `data:` the policy would refuse.
    assetsInlineLimit: 0,
    manifest: true,
    sourcemap: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
