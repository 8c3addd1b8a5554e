import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { bytes } from '../../format/bytes.js';
import { useStore } from '../../gateway/store.js';
import { Failure } from '../../shell/failure.js';
import { TextLink } from '../../shell/links.js';
import { isClientError } from '../../shell/words.js';
import { percentOf, type Upload } from './upload-states.js';
import { cancelUpload, dismissUpload, uploadAgain, uploads } from './uploads.js';
import { words } from './words.js';

/** What is under way, and what became of it. */
export function UploadList() {
  const all = useStore(uploads);
  if (all.length === 0) return null;
  return (
    <Stack gap="sm" aria-label={words.uploads} component="section" aria-live="polite">
      {all.map((upload) => (
        <One key={upload.id} upload={upload} />
      ))}
    </Stack>
  );
}

function One({ upload }: { readonly upload: Upload }) {
  const { id, file, state, error, made } = upload;
  if (state === 'failed' && error) return <Failed upload={upload} error={error} />;
  if (state === 'done')
    return (
      <Alert
        color="var(--state-running)"
        variant="outline"
        title={words.uploaded(file.name)}
        withCloseButton
        closeButtonLabel={words.dismiss}
        onClose={() => dismissUpload(id)}
      >
        {made && (
          <TextLink to="/packages/$owner/$name/$version" params={made}>
            {words.open(made.name, made.version)}
          </TextLink>
        )}
      </Alert>
    );
  return (
    <div className="panel">
      <Group justify="space-between" mb="sm">
        <Text size="sm" dir="auto">
          {state === 'checking' ? words.checking(file.name) : words.sending(file.name)}
        </Text>
        <Group gap="sm">
          <Text size="sm" className="figure">
            {words.sentOf(bytes(upload.sent), bytes(upload.total))}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => cancelUpload(id)}>
            {words.cancel}
          </Button>
        </Group>
      </Group>
      <Progress
        value={percentOf(upload)}
        aria-label={words.progress(file.name)}
        animated={state === 'checking'}
        striped={state === 'checking'}
      />
    </div>
  );
}

/** One that is there already is no failure before somebody has said what shall become of it. */
function Failed({ upload, error }: { readonly upload: Upload; readonly error: Error }) {
  const { id, file } = upload;
  // What was asked of it was to leave alone what is there.
  const isThere = isClientError(error) && error.status === 412;
  if (!isThere)
    return (
      <div>
        <Failure
          what={words.notUploaded(file.name)}
          error={error}
          retry={() => uploadAgain(upload, 'fail')}
        />
        <Button size="compact-sm" variant="subtle" mt="xs" onClick={() => dismissUpload(id)}>
          {words.dismiss}
        </Button>
      </div>
    );
  return (
    <Alert color="var(--state-warning)" variant="outline" title={words.isThere(file.name)} role="alert">
      <Text size="sm">{words.isThereHint}</Text>
      <Group mt="sm" gap="sm">
        <Button size="compact-sm" variant="default" onClick={() => uploadAgain(upload, 'replace')}>
          {words.replace}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => uploadAgain(upload, 'ours')}>
          {words.mergeOurs}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => uploadAgain(upload, 'theirs')}>
          {words.mergeTheirs}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => dismissUpload(id)}>
          {words.cancel}
        </Button>
      </Group>
    </Alert>
  );
}
