/** The local cloud cannot start. The message explains it to the user in one line. */
export class LocalCloudError extends Error {
  override readonly name = 'LocalCloudError';
}
