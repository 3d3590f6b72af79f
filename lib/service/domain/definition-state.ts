/** What is stored with the definition of a queue or a ladder, about its changes and deployments. */
export interface DefinitionState {
  /** The change that made the definition; absent if an earlier version of Muster has stored it. */
  readonly change?: DefinitionChange;
  /** What the last deployment of a folder of definitions has put; absent if none has. */
  readonly deployed?: Deployed;
  /** Set when the definition is deleted and not removed yet. */
  readonly deletedAt?: string;
}

/** What a deployment has put for a definition; see `deploy-definitions.ts`. */
export interface Deployed {
  /** The digest of the definition in the file. */
  readonly digest: string;
  /** The number of the definition's version that the deployment has put, or found in force. */
  readonly version: number;
}

/** A change of a definition, which makes it a new version. */
export interface DefinitionChange {
  /** The number of the definition's version, from 1. Unlike the version of a queue's state, it counts definitions only. */
  readonly version: number;
  /** ISO 8601; absent if an earlier version of Muster has stored the definition. */
  readonly at?: string;
  /** Who has changed it, if this is known. */
  readonly by?: string;
  /** The version whose definition it restored. */
  readonly restored?: number;
}

/** A definition that was replaced, with its change. */
export interface ReplacedDefinition<Definition> {
  readonly definition: Definition;
  readonly change: DefinitionChange;
}

/** The change that made a definition. Definitions of earlier versions of Muster have none and count as the first. */
export function changeOf(state: DefinitionState | undefined): DefinitionChange {
  return state?.change ?? { version: state === undefined ? 0 : 1 };
}
