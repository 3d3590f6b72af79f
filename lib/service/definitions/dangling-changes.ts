import { type CheckedDefinitions, definitionOrState, isOpen, type Named } from './definition-kind.ts';

/** The state of a definition after a planned deployment. */
export interface PlannedDefinition {
  readonly definitions: CheckedDefinitions<Named>;
  readonly name: string;
  /** Whether the deployment puts or deletes it. */
  readonly isChanged: boolean;
  readonly exists: boolean;
  /** The definition in force after the deployment; undefined when there is none or it cannot be read. */
  readonly after: Named | undefined;
}

/**
 * The changes after which a definition would name a missing definition, with advice: the definition is put with such a name, or
 * the named one is deleted.
 */
export async function danglingChanges<Change extends PlannedDefinition>(
  kinds: readonly CheckedDefinitions<Named>[],
  all: readonly Change[],
): Promise<Map<Change, string>> {
  const dangling = new Map<Change, string>();
  for (const definitions of kinds) {
    const { kind, uses } = definitions;
    if (uses === undefined) continue;
    const used = new Map(ofKind(all, uses.definitions.kind).map((one) => [one.name, one]));
    const users = ofKind(all, kind);
    for (const user of users) {
      const name = user.after && uses.nameIn(user.after);
      if (name === undefined) continue;
      const target = used.get(name);
      if (target?.exists ?? isOpen(await definitionOrState(uses.definitions, name))) continue;
      if (user.isChanged) dangling.set(user, missing(kind, user.name, uses.definitions.kind, name));
      else if (target?.isChanged) dangling.set(target, stillUsed(target, kind, user.name));
    }
    if (![...used.values()].some(({ isChanged, exists }) => isChanged && !exists)) continue;
    const known = new Set(users.map(({ name }) => name));
    for (const definition of await definitions.open()) {
      const target = used.get(uses.nameIn(definition) ?? '');
      if (known.has(definition.name) || target === undefined || target.exists || !target.isChanged) continue;
      dangling.set(target, stillUsed(target, kind, definition.name));
    }
  }
  return dangling;
}

function ofKind<Change extends PlannedDefinition>(all: readonly Change[], kind: string): Change[] {
  return all.filter(({ definitions }) => definitions.kind === kind);
}

function missing(kind: string, name: string, used: string, usedName: string): string {
  return `${capital(kind)} ${name}: #/${used}: Expected the name of a ${used}, got ${usedName}. Add the file of the ${used}, or PUT /${used}s/${usedName}, and deploy again.`;
}

function stillUsed(
  { definitions: { kind }, name }: PlannedDefinition,
  user: string,
  userName: string,
): string {
  return `${capital(kind)} ${name}: its file was removed, but ${user} ${userName} names it. Change or delete the ${user} and deploy again, or put back the file.`;
}

/** The word with an upper-case initial. */
export function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
