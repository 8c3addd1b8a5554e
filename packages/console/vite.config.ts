import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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

/**
 * Each component of Mantine brings its own style with it, so that a first visit loads none of what other screens need. In a layer: what
 * comes later takes nothing back from the console's own styles.
 */
const styles: Plugin = {
  name: 'styles with their components',
  transform(code, id) {
    if (!/@mantine\/core\/esm\/.*\.module\.mjs$/.test(id)) return null;
    const css = `${id.slice(0, id.indexOf('/esm/'))}/styles/${basename(id, '.module.mjs')}.layer.css`;
    return existsSync(css) ? { code: `import ${JSON.stringify(css)};\n${code}`, map: null } : null;
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // Relative: the prefix that the gateway is mounted at is not known here, and not always to the server.
  base: './',
  plugins: [react(), scheme, styles],
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
    rolldownOptions: {
      output: {
        // What most screens share is one file: dozens of small ones cost a first visit more in heads than they hold.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 24 }] },
      },
    },
  },
});
