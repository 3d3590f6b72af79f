/** The id that a match stores for an erased player. */
export function erasedName(pseudonym: string): string {
  return `erased-${pseudonym}`;
}

/** Whether an id is that of an erased player. */
export function isErased(playerId: string): boolean {
  return /^erased-[0-9a-f-]{36}$/.test(playerId);
}

/**
 * Replaces a reason that names an erased player or may quote one: the details of a misfit, such as `#/players/0/attributes`,
 * contain values of players. Any other reason stays.
 */
export function reasonWithout(reason: string, gone: Iterable<string>): string {
  const tells = [...gone].some((playerId) => reason.includes('#/players') || names(reason, playerId));
  return tells ? 'a player of it was erased' : reason;
}

/** Whether a text contains an id as a word: the id "eve" is not in "every". */
function names(text: string, id: string): boolean {
  const isInWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!isInWord(text[at - 1]) && !isInWord(text[at + id.length])) return true;
  return false;
}
