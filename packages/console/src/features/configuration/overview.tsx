import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { Empty } from '../../shell/empty.js';
import { pages } from './pages.js';
import { words } from './words.js';

/** What there is, for whoever does not know where to look. */
export default function Overview() {
  const may = useMay();
  const shown = pages.filter(({ anyOf }) => anyOf.some((id) => may(id).ok));
  if (shown.length === 0) return <Empty title={words.nothing}>{words.nothingHint}</Empty>;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {shown.map(({ label, to, hint }) => (
        <div key={to} className="panel">
          <Anchor component={Link} to={to} fw={600}>
            {label}
          </Anchor>
          <Text size="sm" className="soft">
            {hint}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}
