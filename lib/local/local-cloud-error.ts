/** What keeps the local cloud from starting, told in one line for the person at the keyboard. */
export class LocalCloudError extends Error {
  override readonly name = 'LocalCloudError';
}
