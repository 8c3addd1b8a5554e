import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { fieldsOf, noFields } from './alert-fields.js';
import { Editor } from './editor.js';
import { AlertTabs } from './tabs.js';
import { useAlerts } from './use-alerts.js';
import { words } from './words.js';

export default function Edit() {
  const { name, template } = useSearch({ from: '/framed/alerts/edit' });
  const title = name === undefined ? words.add : words.editTitle(name);
  const query = useAlerts();
  return (
    <Page key={name ?? ''} title={title}>
      <AlertTabs />
      <Loaded query={query} what={title} lines={8}>
        {({ alerts }) => {
          if (name === undefined) return <Editor kept={noFields} template={template} />;
          const found = alerts.find((one) => one.name === name);
          return found ? (
            <Editor kept={fieldsOf(found)} template={undefined} />
          ) : (
            <Empty
              title={words.missing}
              action={
                <Button component={Link} to="/alerts" variant="default">
                  {words.toList}
                </Button>
              }
            >
              {words.missingHint}
            </Empty>
          );
        }}
      </Loaded>
    </Page>
  );
}
