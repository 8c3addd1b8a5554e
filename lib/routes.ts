import { discoveryRoutes } from './features/discovery/routes.js';

/** The whole REST surface: one line a room. Each key is also the name of the room's service in `gateway.ts`. */
export const routes = {
  discovery: discoveryRoutes,
};
