/** The name that a match has for a player who was erased. */
export function erasedName(pseudonym: string): string {
  return `erased-${pseudonym}`;
}

/** Whether this is the name that a match has for a player who was erased. */
export function isErased(playerId: string): boolean {
  return /^erased-[0-9a-f-]{36}$/.test(playerId);
}

/**
 * A reason in which players who were erased are named, or may be quoted, is replaced: the details of a misfit, such as
 * `#/players/0/attributes`, have values of players. Any other reason stays.
 */
export function reasonWithout(reason: string, gone: Iterable<string>): string {
  const tells = [...gone].some((playerId) => reason.includes('#/players') || names(reason, playerId));
  return tells ? 'a player of it was erased' : reason;
}

/** Whether a text has an id as a word of its own: the id "eve" is not in "every". */
function names(text: string, id: string): boolean {
  const isInWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1))
    if (!isInWord(text[at - 1]) && !isInWord(text[at + id.length])) return true;
  return false;
}
