import { Button, FileButton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { megabytes } from '../../format/bytes.js';
import { duration } from '../../format/duration.js';
import { count, unknown } from '../../format/number.js';
import { momentWithOffset } from '../../format/time.js';
import { useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { usePreferences } from '../../gateway/preferences.js';
import { type AnswerOf, changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Facts } from '../../shell/facts.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Panel } from '../../shell/panel.js';
import { State } from '../../shell/state.js';
import { useWork } from '../../shell/use-work.js';
import { words } from './words.js';

const { licenseFacts: facts } = words;

export default function Licenses() {
  const current = useQuery(read('getCurrentLicense', {}));
  const all = useQuery(read('listLicenses', {}));
  return (
    <Stack gap="md">
      <Panel title={words.license} actions={<AddLicense />}>
        <Loaded query={current} what={words.license}>
          {(license) => <Current license={license} />}
        </Loaded>
      </Panel>
      <Panel title={words.known}>
        <Loaded query={all} what={words.known}>
          {({ licenses }) =>
            licenses.length === 0 ? (
              <Text size="sm">{words.noLicenses}</Text>
            ) : (
              licenses.map((license) => (
                <Facts
                  key={license.id}
                  facts={[
                    [facts.id, license.id],
                    [facts.issuedTo, <bdi key="to">{license.issuedTo ?? unknown}</bdi>],
                    [facts.issuedBy, <bdi key="by">{license.issuedBy ?? unknown}</bdi>],
                    [facts.state, license.valid ? words.valid : words.notValid],
                  ]}
                />
              ))
            )
          }
        </Loaded>
      </Panel>
    </Stack>
  );
}

function Current({ license }: { readonly license: AnswerOf<'getCurrentLicense'> }) {
  const { zone } = usePreferences();
  const { id, expireTime, memoryMBAllowed, memoryMBUsed, nodesAllowed, nodesUsed, features = [] } = license;
  if (id === undefined) return <Text size="sm">{words.community}</Text>;
  /** The API says 0 or less where there is no limit. */
  const limit = (value: number | undefined, format: (value: number) => string) =>
    value === undefined || value <= 0 ? words.noLimit : format(value);
  return (
    <Facts
      facts={[
        [
          facts.state,
          <State
            key="state"
            state={license.valid ? words.valid : words.notValid}
            kind={license.valid ? 'running' : 'failed'}
          />,
        ],
        [facts.id, id],
        [facts.kind, [license.contextType, license.type].filter(Boolean).join(', ') || unknown],
        [
          facts.until,
          expireTime === undefined || expireTime <= 0 ? words.lasts : momentWithOffset(expireTime, zone),
        ],
        [facts.memory, words.of(megabytes(memoryMBUsed), limit(memoryMBAllowed, megabytes))],
        [facts.nodes, words.of(count(nodesUsed), limit(nodesAllowed, count))],
        [facts.features, features.join(', ') || unknown],
        ...(license.exceedRemainingTime === undefined
          ? []
          : [[facts.rest, duration(license.exceedRemainingTime)] as const]),
      ]}
    />
  );
}

function AddLicense() {
  const may = useMay();
  const { isWorking, error, run } = useWork();
  const allowed = may('addLicense');
  const add = (file: File | null) =>
    file &&
    run(async () => {
      const { id } = await client.addLicense({ body: await file.text(), query: { filename: file.name } });
      said(words.licenseAdded(id));
      await changed('getCurrentLicense', 'listLicenses', 'listConfigIssues', 'getCapabilities');
    });
  if (!allowed.ok)
    return (
      <Do may={allowed} onClick={() => {}}>
        {words.addLicense}
      </Do>
    );
  return (
    <>
      {error && <Failure error={error} />}
      <FileButton onChange={(file) => void add(file)}>
        {(props) => (
          <Button variant="default" loading={isWorking} {...props} title={words.addLicenseHint}>
            {words.addLicense}
          </Button>
        )}
      </FileButton>
    </>
  );
}
