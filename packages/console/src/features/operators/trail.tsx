import { Breadcrumbs } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Name } from '../../shell/name.js';
import { words } from './words.js';

/** From the list to what contains this screen. */
export function Trail({ appid, name }: { readonly appid: string; readonly name?: string }) {
  return (
    <Breadcrumbs component="nav" aria-label={words.place} mb="xs" fz="sm">
      <Link to="/apps/$id/operators" params={{ id: appid }}>
        {words.title}
      </Link>
      {name !== undefined && (
        <Link to="/apps/$id/operators/$name" params={{ id: appid, name }}>
          <Name>{name}</Name>
        </Link>
      )}
    </Breadcrumbs>
  );
}
