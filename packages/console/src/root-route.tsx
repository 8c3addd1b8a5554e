import { createRootRoute, createRoute } from '@tanstack/react-router';
import { SearchButton } from './features/search/search-button.js';
import { requireSession } from './features/session/guard.js';
import { Frame } from './shell/frame.js';
import { Bare, Missing } from './shell/outlets.js';

export const rootRoute = createRootRoute({ component: Bare, notFoundComponent: Missing });

/** Around all screens of who is logged in: header, menu, the content below. */
export const framed = createRoute({
  getParentRoute: () => rootRoute,
  id: 'framed',
  component: () => <Frame tools={<SearchButton />} />,
  beforeLoad: requireSession,
});
