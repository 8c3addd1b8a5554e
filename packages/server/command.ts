#!/usr/bin/env node
import { main } from './index.js';

await main(process.argv.slice(2));
