import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

const ARGS = [
  '--headless=shell',
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--lang=en-US',
];

/** Starts Chromium from npm. @throws an error that names what is missing */
export async function launched(): Promise<Browser> {
  try {
    return await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: ARGS,
      timeout: PATIENCE_MS,
      env: { ...process.env, LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en_US' },
    });
  } catch (error) {
    throw new Error(
      'Chromium of the package @sparticuz/chromium did not start on this machine. It needs Linux with libexpat1 ' +
        `and space in the folder for temporary files.\n${(error as Error).message}`,
      { cause: error },
    );
  }
}
