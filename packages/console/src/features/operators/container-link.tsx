import { Link } from '@tanstack/react-router';
import { unknown } from '../../format/number.js';
import { Name } from '../../shell/name.js';

const screen: string = '/apps/$id/containers/$cid';

export function ContainerLink({ appid, id }: { readonly appid: string; readonly id: string | null }) {
  if (id === null || id === '') return <>{unknown}</>;
  return (
    <Link to={screen} params={{ id: appid, cid: id }}>
      <Name tail={6}>{id}</Name>
    </Link>
  );
}
