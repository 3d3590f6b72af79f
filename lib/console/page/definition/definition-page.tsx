import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { definitionProblems } from '../data/definition-problems.ts';
import { forgetList } from '../data/live-queues.ts';
import { paced } from '../data/pace.ts';
import { refreshPage, usePolled } from '../data/polling.ts';
import { type ServiceProblem, service, type Version } from '../data/service.ts';
import { countText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Absent, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';
import { DiffView } from './diff-view.tsx';
import { DryRun } from './dry-run.tsx';
import { DefinitionEditor } from './editor.tsx';
import { type Fault, faultsAt, parsed } from './faults.ts';
import { Versions } from './versions.tsx';

const BEAT_MS = 10_000;

/** A definition to edit: checked as one types, compared with the running version, tried on the waiting tickets. */
export function DefinitionPage({ name }: { readonly name: string }) {
  const versions = usePolled(
    name,
    (abort) => service.versions(name, abort),
    () => paced(BEAT_MS),
  );
  const trail = [{ text: name, href: pathTo('queues', name) }];
  const { data, error } = versions.value;
  if (data === undefined) {
    return (
      <Page title="Definition" trail={trail}>
        <Absent
          what="the definition"
          error={error}
          missing={
            <>
              The service has no queue <code>{name}</code>.
            </>
          }
        />
      </Page>
    );
  }
  return (
    <Page
      title={`Definition of ${name}`}
      trail={trail}
      lead={
        <p class="soft">
          Version {data[0]!.version} is running. Changes are in force within a second of being saved.
        </p>
      }
    >
      <KnownDefinition key={name} name={name} versions={data} />
    </Page>
  );
}

/** The text of a definition while it is edited, and how it is saved. */
function useEditedText(name: string, versions: readonly Version[]) {
  const running = textOf(versions[0]!.definition);
  const text = useSignal(running);
  /** What the text was compared with when the editing began. */
  const base = useSignal(running);
  /** The version that the text may replace: the one that was running when the editing began. */
  const etag = useSignal(versions[0]!.etag);
  const rejected = useSignal<readonly Fault[]>([]);
  const message = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  // The definition was changed elsewhere: an untouched text follows, an edited one is kept.
  // Before the page is shown, so that no running version stands above the text of another.
  useLayoutEffect(() => {
    if (text.peek() === base.peek()) {
      text.value = running;
      etag.value = versions[0]!.etag;
    }
    base.value = running;
  }, [running]);
  const faults = useComputed(() => [...faultsOf(text.value, name), ...rejected.value]);

  /** Lets the next save replace the version that is in force now, of which the difference is shown. */
  const replaceNext = async () => {
    const [latest] = await service.versions(name).catch(() => []);
    if (latest === undefined) return;
    base.value = textOf(latest.definition);
    etag.value = latest.etag;
    message.value = `Not saved: version ${latest.version} has come into force${latest.changedBy === null ? '' : ` (by ${latest.changedBy})`} since you began. The difference from it is shown below. Save again to replace it.`;
  };
  const save = async () => {
    isBusy.value = true;
    message.value = undefined;
    try {
      await service.putQueue(parsed(text.value).value as QueueDefinition, etag.value);
      forgetList();
      base.value = text.value;
      [{ etag: etag.value }] = await service.versions(name);
      message.value = 'Saved. The definition is in force.';
      refreshPage();
    } catch (error) {
      const { status, errors, message: why } = error as ServiceProblem;
      rejected.value = faultsAt(text.value, errors ?? []);
      message.value = `Not saved: ${why}`;
      if (status === 412) await replaceNext();
    }
    isBusy.value = false;
  };
  const edit = (changed: string) => {
    text.value = changed;
    rejected.value = [];
    message.value = undefined;
  };
  return { text, base, faults, rejected, message, isBusy, save, edit };
}

function KnownDefinition({
  name,
  versions,
}: {
  readonly name: string;
  readonly versions: readonly Version[];
}) {
  const { text, base, faults, rejected, message, isBusy, save, edit } = useEditedText(name, versions);
  const isChanged = text.value !== base.value;
  const isValid = faults.value.length === 0;
  return (
    <>
      <Card title="Edit">
        <DefinitionEditor text={text.value} faults={faults.value} onInput={edit} />
        <div class="row">
          <button
            type="button"
            class="primary"
            disabled={!isChanged || !isValid || isBusy.value}
            onClick={save}
          >
            Save as a new version
          </button>
          <button type="button" disabled={!isChanged} onClick={() => edit(base.value)}>
            Discard changes
          </button>
          <p role="status">
            {message.value ??
              (isValid
                ? isChanged
                  ? 'Valid, not saved yet.'
                  : 'This is the running definition.'
                : `${countText(faults.value.length, 'field')} to correct before it can be saved.`)}
          </p>
        </div>
      </Card>
      <div class="tiles">
        <Card title="Difference from the running version">
          <DiffView before={base.value} after={text.value} />
        </Card>
        <Card title="Dry run on the waiting tickets">
          <DryRun name={name} text={text.value} isValid={isValid} />
        </Card>
      </div>
      <Versions
        versions={versions}
        restore={async (version) => {
          const inForce = await service.restore(name, version);
          forgetList();
          return inForce;
        }}
        onLoad={(definition) => {
          text.value = textOf(definition);
          rejected.value = [];
          scrollTo({ top: 0 });
        }}
      />
    </>
  );
}

/** A definition as one writes it. */
function textOf(definition: QueueDefinition): string {
  return JSON.stringify(definition, null, 2);
}

function faultsOf(text: string, name: string): Fault[] {
  const { value, fault } = parsed(text);
  if (fault !== undefined) return [fault];
  const problems = definitionProblems(value);
  if (problems !== undefined) return faultsAt(text, problems);
  return (value as QueueDefinition).name === name
    ? []
    : faultsAt(text, [
        { pointer: '#/name', detail: `Expected ${JSON.stringify(name)}: the name of a queue cannot change` },
      ]);
}
