import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { framed } from '../../root-route.js';

interface EditSearch {
  /** What is selected: `operator:NAME`, `stream:NAME`, `statement:PLACE`, from 0 on. */
  readonly sel?: string;
}

export const editRoute = createRoute({
  getParentRoute: () => framed,
  path: '/packages/$owner/$name/$version/apps/$app/edit',
  validateSearch: ({ sel }: Record<string, unknown>): EditSearch =>
    typeof sel === 'string' && sel !== '' ? { sel } : {},
  component: lazyRouteComponent(() => import('./editor.js')),
});
