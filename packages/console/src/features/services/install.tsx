import { json } from '@codemirror/lang-json';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { Code } from '../../forms/code.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { useDraft } from '../../shell/draft.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

const extensions = [json()];

type InstallBody = NonNullable<Parameters<typeof client.installServices>[0]>['body'];

/** Several services at once, as the API takes them. */
export default function Install({ close }: { readonly close: () => void }) {
  const { draft, setDraft, discard } = useDraft<string>('services to install');
  const [first] = useState(draft ?? '[\n  \n]');
  const act = async () => {
    await client.installServices({ query: { async: true }, body: listOf(draft ?? first) });
    discard();
    said(words.installStarted);
    await changed('listServices');
  };
  return (
    <FormDialog title={words.installTitle} verb={words.installDo} size="xl" act={act} close={close}>
      <Text size="sm" className="soft">
        {words.installHint}
      </Text>
      <Code
        label={words.installLabel}
        value={first}
        onChange={setDraft}
        extensions={extensions}
        minHeight={280}
      />
    </FormDialog>
  );
}

/** The gateway tells what is wrong with the services; that it is a list is what can be told here. */
function listOf(text: string): InstallBody {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) throw new Error(words.notList);
  return parsed;
}
