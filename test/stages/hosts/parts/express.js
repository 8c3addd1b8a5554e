import { createServer } from 'node:http';
import { listening } from './listening.js';

/** A host in Express, of whichever version. */
export function startExpress(express, { mount, ...how }) {
  const app = express();
  if (mount) app.use(mount.prefix || '/', mount.express);
  app.get('/page', (_request, response) => response.send('own page'));
  app.post('/echo', express.json(), (request, response) => response.json(request.body));
  return listening(createServer(app), how);
}
