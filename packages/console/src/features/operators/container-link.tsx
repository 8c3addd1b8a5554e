import { Link } from '@tanstack/react-router';
import { unknown } from '../../format/number.js';
import { Name } from '../../shell/name.js';

/** Of another feature, and named by its path alone. */
const screen: string = '/apps/$id/containers/$cid';

export function ContainerLink({ appid, id }: { readonly appid: string; readonly id: string | null }) {
  if (id === null || id === '') return <>{unknown}</>;
  const params = { id: appid, cid: id };
  return (
    <Link to={screen} params={params}>
      <Name tail={6}>{id}</Name>
    </Link>
  );
}
