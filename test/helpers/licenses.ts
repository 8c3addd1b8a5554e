import { generateKeyPairSync } from 'node:crypto';
import { type LicenseTermsInput, signLicense } from '../../lib/index.js';

/** A vendor's keys, made for this run. */
export const vendor = generateKeyPairSync('ed25519');
export const stranger = generateKeyPairSync('ed25519');

export const day = 24 * 60 * 60_000;
/** 2026-01-01. */
export const start = 1_767_225_600_000;

export const terms = (more: Partial<LicenseTermsInput> = {}): LicenseTermsInput => ({
  id: 'streams-1',
  product: 'streams',
  issuedTo: 'Example',
  startDate: start,
  expireTime: start + 90 * day,
  memoryMBAllowed: 1000,
  features: ['SYSTEM_ALERTS'],
  ...more,
});

export const license = (more: Partial<LicenseTermsInput> = {}, key = vendor.privateKey): string =>
  signLicense(terms(more), key);
