import { Link, useRouter } from '@tanstack/react-router';
import { Name } from '../../shell/name.js';

const path: string = '/apps/$id/operators/$name';

/** To the screen of an operator; without it, its name alone, and nothing where the name stands there already. */
export function OperatorLink({
  id,
  name,
  label,
}: {
  readonly id: string;
  readonly name: string;
  readonly label?: string;
}) {
  const { routesByPath } = useRouter();
  if (!Object.hasOwn(routesByPath, path)) return label === undefined ? <Name>{name}</Name> : null;
  const params = { id, name };
  return (
    <Link to={path} params={params}>
      {label ?? <Name>{name}</Name>}
    </Link>
  );
}
