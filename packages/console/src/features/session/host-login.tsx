import { Button } from '@mantine/core';
import { hostLogin } from './return-to.js';
import { words } from './words.js';

/** A link, and not a redirect: what is typed here may be copied first. */
export function HostLogin({ loginUrl }: { readonly loginUrl: string }) {
  return (
    <Button component="a" href={hostLogin(loginUrl, location.href)}>
      {words.goToLogin}
    </Button>
  );
}
