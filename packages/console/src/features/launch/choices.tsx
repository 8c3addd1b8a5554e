import { Select, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { words } from './words.js';

/** As the query of a launch has it. */
export interface Choice {
  readonly config?: string;
  readonly configPackage?: string;
  readonly queue?: string;
}

interface Props {
  readonly of: { readonly owner: string; readonly name: string; readonly version: string };
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

/** What else a launch may be given. Each may stay empty, and is left out where there is nothing to choose. */
export function Choices({ of, choice, onChange }: Props) {
  const may = useMay();
  const configs = useQuery(read('listPackageConfigs', { params: of }));
  const packages = useQuery(
    read('listConfigPackages', { query: { appPackageName: of.name, appPackageVersion: of.version } }),
  );
  const queues = useQuery({ ...read('listQueues', {}), enabled: may('listQueues').ok });
  const choose = (key: keyof Choice) => (value: string | null) => {
    const { [key]: _, ...others } = choice;
    onChange(value === null ? others : { ...others, [key]: value });
  };
  const chosenPackages = (packages.data?.configPackages ?? []).map(({ user, name, version }) => ({
    value: `${user}/${name}`,
    label: words.configPackageLabel(user, name, version),
  }));
  const queueNames = (queues.data?.queues ?? []).map(({ name }) => name);
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {(configs.data?.configs.length ?? 0) > 0 && (
        <Select
          label={words.config}
          description={words.configHint}
          placeholder={words.noneChosen}
          data={configs.data?.configs ?? []}
          value={choice.config ?? null}
          onChange={choose('config')}
          clearable
        />
      )}
      {chosenPackages.length > 0 && (
        <Select
          label={words.configPackage}
          description={words.configPackageHint}
          placeholder={words.noneChosen}
          data={chosenPackages}
          value={choice.configPackage ?? null}
          onChange={choose('configPackage')}
          clearable
        />
      )}
      {queueNames.length > 1 && (
        <Select
          label={words.queue}
          placeholder={words.defaultQueue}
          data={queueNames}
          value={choice.queue ?? null}
          onChange={choose('queue')}
          clearable
          searchable
        />
      )}
    </SimpleGrid>
  );
}
