import { megabytes } from '../../format/bytes.js';
import { duration } from '../../format/duration.js';
import { exactCount } from '../../format/number.js';
import { Fact, FactGrid } from '../../shell/fact-grid.js';
import { Name } from '../../shell/name.js';
import { Ago, Moment } from '../../shell/time.js';
import { GcShare } from './container-table.js';
import { hasEnded, known, operatorNames, type Row, usedMemory } from './rows.js';
import { words } from './words.js';

export function Facts({ row }: { readonly row: Row }) {
  const { columns } = words;
  const isOver = hasEnded(row);
  return (
    <FactGrid cols={{ base: 2, sm: 4 }}>
      <Fact term={columns.memory}>
        {isOver ? '–' : megabytes(usedMemory(row))} / {megabytes(row.memoryMBAllocated)}
      </Fact>
      <Fact term={columns.heartbeat}>
        <Ago at={known(row.lastHeartbeat)} />
      </Fact>
      <Fact term={columns.gc}>
        <GcShare row={row} /> · {duration(row.gcCollectionTime)}
      </Fact>
      <Fact term={words.collections}>{exactCount(row.gcCollectionCount)}</Fact>
      <Fact term={columns.host}>
        <Name>{row.host || '–'}</Name>
      </Fact>
      <Fact term={words.process}>
        <Name>{row.jvmName || '–'}</Name>
      </Fact>
      <Fact term={words.started}>
        <Moment at={known(row.startedTime)} />
      </Fact>
      {isOver && (
        <Fact term={words.finished}>
          <Moment at={known(row.finishedTime)} />
        </Fact>
      )}
      <Fact term={columns.operators}>
        <bdi>{operatorNames(row).join(', ') || '–'}</bdi>
      </Fact>
    </FactGrid>
  );
}
