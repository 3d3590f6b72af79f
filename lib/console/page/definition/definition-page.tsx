import { computed, type Signal, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { getOrCreate } from '../../../vocabulary/get-or-create.ts';
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

/** The texts that are edited, by queue. They outlive their pages, so that one who leaves to look something up loses nothing. */
const edits = new Map<string, EditedText>();

addEventListener('beforeunload', (event) => {
  if ([...edits.values()].some(({ text, base }) => text.value !== base.value)) event.preventDefault();
});

/** The text of a definition while it is edited, and how it is saved. */
class EditedText {
  readonly text: Signal<string>;
  /** The running definition, of which the difference is shown. */
  readonly base: Signal<string>;
  readonly rejected = signal<readonly Fault[]>([]);
  readonly message = signal<string | undefined>(undefined);
  readonly isBusy = signal(false);
  readonly faults: Signal<readonly Fault[]>;
  readonly #name: string;
  /** The version that the text may replace: the one that was running when the editing began. */
  #etag: string | undefined;

  constructor(name: string, running: Version) {
    this.#name = name;
    this.text = signal(textOf(running.definition));
    this.base = signal(this.text.value);
    this.#etag = running.etag;
    this.faults = computed(() => [...faultsOf(this.text.value, name), ...this.rejected.value]);
  }

  edit(changed: string): void {
    this.text.value = changed;
    this.rejected.value = [];
    this.message.value = undefined;
  }

  /** Another version is running: an untouched text follows, an edited one is kept. */
  follow({ definition, etag }: Version): void {
    if (this.text.value === this.base.value) {
      this.text.value = textOf(definition);
      this.#etag = etag;
    }
    this.base.value = textOf(definition);
  }

  discard(running: Version): void {
    this.edit(this.base.value);
    this.follow(running);
  }

  async save(): Promise<void> {
    const sent = this.text.value;
    this.isBusy.value = true;
    this.message.value = undefined;
    try {
      const { etag } = await service.putQueue(parsed(sent).value as QueueDefinition, this.#etag);
      forgetList();
      this.base.value = sent;
      this.#etag = etag;
      if (this.text.value === sent) this.message.value = 'Saved. The definition is in force.';
      refreshPage();
    } catch (error) {
      const { status, errors, message: why } = error as ServiceProblem;
      if (this.text.value === sent) this.rejected.value = faultsAt(sent, errors ?? []);
      this.message.value = `Not saved: ${why}`;
      if (status === 412) await this.#replaceNext();
    }
    this.isBusy.value = false;
  }

  /** Lets the next save replace the version that is in force now, of which the difference is shown. */
  async #replaceNext(): Promise<void> {
    const [latest] = await service.versions(this.#name).catch(() => []);
    if (latest === undefined) return;
    this.base.value = textOf(latest.definition);
    this.#etag = latest.etag;
    this.message.value = `Not saved: version ${latest.version} has come into force${latest.changedBy === null ? '' : ` (by ${latest.changedBy})`} since you began. The difference from it is shown below. Save again to replace it.`;
  }
}

function KnownDefinition({
  name,
  versions,
}: {
  readonly name: string;
  readonly versions: readonly Version[];
}) {
  const running = versions[0]!;
  const edited = getOrCreate(edits, name, () => new EditedText(name, running));
  const { text, base, faults, message, isBusy } = edited;
  // Before the page is shown, so that no running version stands above the text of another.
  useLayoutEffect(() => edited.follow(running), [running.etag]);
  const isChanged = text.value !== base.value;
  const isValid = faults.value.length === 0;
  return (
    <>
      <Card title="Edit">
        <DefinitionEditor
          text={text.value}
          faults={faults.value}
          onInput={(changed) => edited.edit(changed)}
        />
        <div class="row">
          <button
            type="button"
            class="primary"
            disabled={!isChanged || !isValid || isBusy.value}
            onClick={() => edited.save()}
          >
            Save as a new version
          </button>
          <button type="button" disabled={!isChanged} onClick={() => edited.discard(running)}>
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
        isEdited={isChanged}
        onLoad={(definition) => {
          edited.edit(textOf(definition));
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
