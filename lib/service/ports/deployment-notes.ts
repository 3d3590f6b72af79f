/** A deployment of folders of definitions, which are identified by digests. */
export interface DeploymentNote {
  /** The same in every repetition of its request. */
  readonly requestId: string;
  readonly from: string;
  readonly to: string;
  /** Whether it returned to the folders before the previous deployment. */
  readonly isReturn: boolean;
  /** When it began, milliseconds since the epoch. */
  readonly atMs: number;
}

/** Stores the last deployment, which may have failed. */
export interface DeploymentNotes {
  last(): Promise<DeploymentNote | undefined>;
  note(deployment: DeploymentNote): Promise<void>;
}
