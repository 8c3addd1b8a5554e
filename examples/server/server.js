// The bundled server with its demo application, which follows this server's own access log, and the example packages.
import { fileURLToPath } from 'node:url';
import { main } from '@headgate/server';

const packages = fileURLToPath(new URL('../packages/dist', import.meta.url));
await main(['--demo', '--import-packages', packages, ...process.argv.slice(2)]);
