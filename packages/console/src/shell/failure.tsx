import { Alert, Button, CopyButton, Group, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { explained, isClientError, words } from './words.js';

/** What failed, in the gateway's own sentence, with what its log is searched by. */
export function Failure({
  error,
  what,
  retry,
}: {
  readonly error: Error;
  readonly what?: string;
  readonly retry?: () => unknown;
}) {
  const { title, hint } = explained(error);
  const requestId = isClientError(error) ? error.requestId : undefined;
  return (
    <Alert
      color="var(--state-failed)"
      variant="outline"
      title={what ? `${what}: ${title}` : title}
      role="alert"
    >
      <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {error.message}
      </Text>
      {hint && (
        <Text size="sm" className="soft">
          {hint}
        </Text>
      )}
      <Group mt="sm" gap="sm">
        {retry && (
          <Button size="compact-sm" variant="default" onClick={() => retry()}>
            {words.tryAgain}
          </Button>
        )}
        {requestId !== undefined && (
          <CopyButton value={requestId}>
            {({ copied, copy }) => (
              <Button size="compact-sm" variant="subtle" onClick={copy}>
                {copied ? words.copied : words.requestId(requestId)}
              </Button>
            )}
          </CopyButton>
        )}
      </Group>
    </Alert>
  );
}

interface BoundaryProps {
  readonly children: ReactNode;
  /** Another thing than the one that failed is shown: it gets its own try. */
  readonly of?: string;
}

/** One failed part never takes the page with it. */
export class Boundary extends Component<BoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.of !== this.props.of && this.state.error) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Failure what={words.pageFailed} error={error} retry={() => this.setState({ error: undefined })} />
    );
  }
}
