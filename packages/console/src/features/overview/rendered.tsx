import { Code, List, Stack, Text, Title, type TitleOrder } from '@mantine/core';
import { type Block, blocksOf, type Inline } from './markdown.js';
import classes from './overview.module.css';

/** Markdown as what it means. All that somebody else wrote becomes text nodes: markup in it is shown, and does nothing. */
export function Rendered({ markdown }: { readonly markdown: string }) {
  return (
    <Stack gap="sm">
      {numbered(blocksOf(markdown)).map(({ key, value }) => (
        <OneBlock key={key} block={value} />
      ))}
    </Stack>
  );
}

function OneBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <Title order={below(block.level)} size="sm">
          <Parts parts={block.parts} />
        </Title>
      );
    case 'paragraph':
      return (
        <Text size="sm" dir="auto">
          <Parts parts={block.parts} />
        </Text>
      );
    case 'code':
      return (
        <pre className={classes['code']} dir="auto" tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'list':
      return (
        <List size="sm">
          {numbered(block.items).map(({ key, value }) => (
            <List.Item key={key}>
              <Parts parts={value} />
            </List.Item>
          ))}
        </List>
      );
  }
}

const Parts = ({ parts }: { readonly parts: readonly Inline[] }) =>
  numbered(parts).map(({ key, value }) =>
    value.isCode ? <Code key={key}>{value.text}</Code> : <span key={key}>{value.text}</span>,
  );

/** Below the title of the panel, which is of the second order. */
const below = (level: number): TitleOrder => (level <= 2 ? 3 : level === 3 ? 4 : 5);

/** Parts of a text have no names: their place is what they are known by. */
const numbered = <T,>(items: readonly T[]): readonly { readonly key: string; readonly value: T }[] =>
  items.map((value, place) => ({ key: `part ${place}`, value }));
