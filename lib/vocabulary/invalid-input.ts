/** The user's input is invalid. A command ends with status 2 and this text on standard error; the console shows it. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
}
