import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Failure } from '../../shell/failure.js';
import { TextLink } from '../../shell/links.js';
import { Loaded, Placeholder } from '../../shell/loaded.js';
import { Page } from '../../shell/page.js';
import { confirm } from '../../shell/question.js';
import { ConflictDialog } from './conflict.js';
import { type AppRef, type Kept, keptQuery } from './kept.js';
import { type Editor, useEditor } from './use-editor.js';
import { words } from './words.js';

/** Each with what it draws by: the one of operators brings a picture, that of SQL a language. */
const Workbench = lazy(() => import('./workbench.js'));
const SqlWorkbench = lazy(() => import('./sql/sql-workbench.js'));

const from = '/framed/packages/$owner/$name/$version/apps/$app/edit';

export default function EditorPage() {
  const { app: appName, ...ref } = useParams({ from });
  const kept = useQuery(keptQuery({ ...ref, appName }));
  const meta = useQuery(read('getPackage', { params: ref }));
  return (
    <Loaded query={kept} what={appName} lines={6}>
      {(found) => (
        <Shown
          key={JSON.stringify([ref, appName])}
          app={{ ...ref, appName }}
          kept={found}
          canWrite={meta.data?.canWrite ?? false}
        />
      )}
    </Loaded>
  );
}

interface Props {
  readonly app: AppRef;
  readonly kept: Kept;
  readonly canWrite: boolean;
}

function Shown({ app, kept, canWrite }: Props) {
  const { sel } = useSearch({ from });
  const navigate = useNavigate({ from: '/packages/$owner/$name/$version/apps/$app/edit' });
  const editor = useEditor(app, kept);
  const may = useMay();
  const mayEdit = both(may('putPackageApplication'), unless(!canWrite, words.readOnly));
  const { appName, ...of } = app;
  const Bench = editor.definition['kind'] === 'sql' ? SqlWorkbench : Workbench;
  if (!kept.isJson) return <Empty title={words.notJson} />;
  return (
    <Page
      title={words.title(kept.displayName)}
      beside={
        editor.isChanged && (
          <Text size="sm" className="soft" role="status">
            {words.unsaved}
          </Text>
        )
      }
      actions={<Actions app={app} kept={kept} editor={editor} mayEdit={mayEdit} />}
    >
      <TextLink to="/packages/$owner/$name/$version" params={of} display="inline-block" mb="sm">
        {words.back(of.name, of.version)}
      </TextLink>
      {editor.error && <Failure error={editor.error} what={words.notSaved} />}
      <Suspense fallback={<Placeholder lines={6} />}>
        <Bench
          app={app}
          kept={kept}
          editor={editor}
          isReadOnly={!mayEdit.ok}
          selection={sel}
          select={(next) => void navigate({ search: next === undefined ? {} : { sel: next }, replace: true })}
        />
      </Suspense>
      {editor.conflict && (
        <ConflictDialog
          conflict={editor.conflict}
          mine={editor.definition}
          settle={editor.settle}
          putOff={editor.putOff}
        />
      )}
    </Page>
  );
}

function Actions({
  app: { appName, ...of },
  kept,
  editor,
  mayEdit,
}: Omit<Props, 'canWrite'> & {
  readonly editor: Editor;
  readonly mayEdit: ReturnType<ReturnType<typeof useMay>>;
}) {
  const may = useMay();
  const navigate = useNavigate();
  const maySave = both(
    mayEdit,
    unless(!editor.isChanged, words.unchanged),
    unless(editor.unreadable !== undefined, words.cannotSave),
  );
  const mayLaunch = both(
    may('launchPackageApplication'),
    unless(editor.isChanged, words.launchUnsaved),
    unless(kept.problems !== '', words.cannotLaunch),
  );
  return (
    <>
      {editor.isChanged && (
        <Do
          may={{ ok: true }}
          onClick={() =>
            confirm({
              title: words.discardTitle,
              text: words.discardText,
              verb: words.discard,
              act: async () => editor.discard(),
            })
          }
        >
          {words.discard}
        </Do>
      )}
      <Do may={maySave} onClick={editor.save} loading={editor.isSaving} variant="filled">
        {words.save}
      </Do>
      <Do
        may={mayLaunch}
        onClick={() =>
          navigate({
            to: '/packages/$owner/$name/$version/apps/$app/launch',
            params: { ...of, app: appName },
          })
        }
      >
        {words.launch}
      </Do>
    </>
  );
}
