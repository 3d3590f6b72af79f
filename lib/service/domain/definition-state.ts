/** The state stored with the definition of a queue or a ladder: its last change and its last deployment. */
export interface DefinitionState {
  /** The change that made the definition; absent if an earlier version of Muster has stored it. */
  readonly change?: DefinitionChange;
  /** The last deployment of the definition; absent if none has put it. */
  readonly deployed?: Deployed;
  /** When the definition was deleted. Absent unless it is deleted and not removed yet. */
  readonly deletedAt?: string;
}

/** What a deployment has put; see `deploy-definitions.ts`. */
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
  /** The author of the change, if known. */
  readonly by?: string;
  /** The number of the version that the change restored. */
  readonly restored?: number;
}

/** A replaced definition, with the change that had made it. */
export interface ReplacedDefinition<Definition> {
  readonly definition: Definition;
  readonly change: DefinitionChange;
}

/** The change that made a definition. Definitions of earlier versions of Muster have none and count as the first. */
export function changeOf(state: DefinitionState | undefined): DefinitionChange {
  return state?.change ?? { version: state === undefined ? 0 : 1 };
}
