import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/global.css';
import './shell/shell.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './gateway/queries.js';
import { nonce, settings } from './gateway/settings.js';
import { LaterDialogs } from './later-dialogs.js';
import { router } from './router.js';
import { themeWith, variables } from './shell/theme.js';

// What stops a page from scrolling behind a dialog adds a style of its own.
setNonce(nonce);

// Its address is relative to the page that was asked for, and browsers look for it again from the one gone to since.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]'))
  icon.setAttribute('href', icon.href);

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the console');

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={themeWith(settings.accent)}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <LaterDialogs />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
