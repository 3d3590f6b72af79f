import { useSignal } from '@preact/signals';
import { refreshPage } from '../data/polling.ts';
import type { Version } from '../data/service.ts';
import { Card } from '../frame/card.tsx';
import { DiffView } from './diff-view.tsx';

export interface VersionsProps<Definition> {
  /** The newest first. */
  readonly versions: readonly Version<Definition>[];
  /** Puts the definition of a version in force again. */
  readonly restore: (version: number) => Promise<Version<Definition>>;
  /** Puts the definition of a version into an editor. @default there is no editor */
  readonly onLoad?: (definition: Definition) => void;
  /** Whether the text in the editor would be lost. */
  readonly isEdited?: boolean;
}

/** The versions of a definition: when, who, what changed, and the way back. */
export function Versions<Definition>({ versions, restore, onLoad, isEdited }: VersionsProps<Definition>) {
  const message = useSignal<string | undefined>(undefined);
  const asked = useSignal<number | undefined>(undefined);
  const isBusy = useSignal(false);
  const restoreNow = async (version: number) => {
    isBusy.value = true;
    const known = versions[0]!.version;
    try {
      const { version: next } = await restore(version);
      refreshPage();
      const unseen = ` It replaced version ${next - 1}, which came into force after this page had read the versions.`;
      message.value = `Version ${version} is in force again, as version ${next}.${next > known + 1 ? unseen : ''}`;
    } catch (error) {
      message.value = `Not restored: ${(error as Error).message}`;
    }
    isBusy.value = false;
    asked.value = undefined;
  };
  return (
    <Card title="Versions">
      <p role="status">{message.value}</p>
      <ol class="items">
        {versions.map(({ version, changedAt, changedBy, restored, definition }, at) => {
          const before = versions[at + 1];
          return (
            <li key={version}>
              <details>
                <summary>
                  <strong>Version {version}</strong> {at === 0 && <mark>running</mark>}{' '}
                  <span class="soft">
                    {changedAt === null
                      ? ''
                      : new Date(changedAt).toISOString().slice(0, 19).replace('T', ' ')}
                    {changedBy === null ? '' : ` by ${changedBy}`}
                    {restored === undefined ? '' : `, restored from version ${restored}`}
                  </span>
                </summary>
                {before === undefined ? (
                  <p class="soft">The oldest version that is kept.</p>
                ) : (
                  <DiffView
                    before={JSON.stringify(before.definition, null, 2)}
                    after={JSON.stringify(definition, null, 2)}
                  />
                )}
              </details>
              {at > 0 && (
                <div class="row">
                  {onLoad !== undefined && (
                    <button
                      type="button"
                      disabled={isEdited}
                      title={isEdited ? 'Save or discard the changes first' : undefined}
                      onClick={() => onLoad(definition)}
                    >
                      Edit from here
                    </button>
                  )}
                  {asked.value === version ? (
                    <>
                      <button
                        type="button"
                        class="primary"
                        disabled={isBusy.value}
                        onClick={() => restoreNow(version)}
                      >
                        Restore version {version} now
                      </button>
                      <button
                        type="button"
                        onClick={() => {
                          asked.value = undefined;
                        }}
                      >
                        Keep the running one
                      </button>
                    </>
                  ) : (
                    <button
                      type="button"
                      onClick={() => {
                        asked.value = version;
                      }}
                    >
                      Restore …
                    </button>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
