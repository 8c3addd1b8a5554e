import { startKoa } from '../parts/koa.js';

export const name = 'Koa 3';

export const start = (how) => startKoa(false, how);
