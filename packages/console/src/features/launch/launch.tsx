import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { Form } from './form.js';
import { words } from './words.js';

/** From an application of a package to one that runs. */
export default function Launch() {
  const { app: appName, ...ref } = useParams({
    from: '/framed/packages/$owner/$name/$version/apps/$app/launch',
  });
  const app = useQuery(
    read('getPackageApplication', {
      params: { ...ref, appName },
      query: { includeDescription: true },
    }),
  );
  return (
    <Loaded query={app} what={appName}>
      {(found) => (
        <Page title={words.title(found.displayName)}>
          <Form key={JSON.stringify([ref, appName])} of={ref} app={found} />
        </Page>
      )}
    </Loaded>
  );
}
