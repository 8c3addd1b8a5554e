import '@mantine/spotlight/styles.css';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { railFor } from '../../shell/rail.js';
import { words } from './words.js';

const [store, actions] = createSpotlight();

/** Of each kind; who wants another one goes on typing. */
const limit = 30;

/** Everything that has a name, by its name. `asked` grows each time that it is to open. */
export default function Search({ asked }: { readonly asked: number }) {
  useEffect(() => {
    if (asked > 0) actions.open();
  }, [asked]);
  const groups = useGroups();
  return (
    <Spotlight
      store={store}
      actions={groups}
      limit={limit}
      shortcut={null}
      nothingFound={words.nothing}
      searchProps={{ placeholder: words.hint, 'aria-label': words.search }}
      scrollable
      maxHeight={420}
    />
  );
}

function useGroups(): SpotlightActionGroupData[] {
  const navigate = useNavigate();
  const may = useMay();
  const { data: applications } = useQuery(read('listApplications', {}));
  const { data: packages } = useQuery(read('listPackages', {}));
  return useMemo(() => {
    const go = (href: string) => () => void navigate({ href });
    const pages = railFor(may);
    // What runs is what people look for.
    const apps = [...(applications?.apps ?? [])].sort(
      (a, b) => Number(b.state === 'RUNNING') - Number(a.state === 'RUNNING'),
    );
    return [
      {
        group: words.pages,
        actions: pages.map(({ label, to }) => ({ id: to, label, onClick: go(to) })),
      },
      {
        group: words.applications,
        actions: apps.map(({ id, name, state, user }) => ({
          id,
          label: name,
          description: `${state.toLowerCase()} · ${user} · ${id}`,
          onClick: () => void navigate({ to: '/apps/$id', params: { id } }),
        })),
      },
      {
        group: words.packages,
        actions: (packages?.appPackages ?? []).map(
          ({ appPackageName: name, appPackageVersion: version, owner }) => ({
            id: `${owner}/${name}/${version}`,
            label: `${name} ${version}`,
            description: owner,
            onClick: go(`/packages/${[owner, name, version].map(encodeURIComponent).join('/')}`),
          }),
        ),
      },
    ];
  }, [navigate, may, applications, packages]);
}
