import { join } from 'node:path';
import { Command } from 'commander';
import { Problem, parseWith } from '../contract/problem.ts';
import { checkQueueDefinition } from '../contract/queue-definition.ts';
import { type Imported, type ImportOptions, importRuleSet } from './flexmatch/import-rule-set.ts';
import { flexMatchRuleSet } from './flexmatch/rule-set.ts';
import { printJson } from './input.ts';
import { readJson } from './json-file.ts';
import { writeText } from './output.ts';

/** The command `import`: queue definitions from the files of other matchmakers. */
export function importCommand(): Command {
  return new Command('import')
    .summary('make a queue definition of the rules of another matchmaker')
    .description('Converts the rules of another matchmaker into a queue definition.')
    .addCommand(flexMatchCommand());
}

function flexMatchCommand(): Command {
  return new Command('flexmatch')
    .summary('import a FlexMatch rule set')
    .description(
      'Prints a queue definition with the meaning of a FlexMatch rule set and, on standard error, the result for each ' +
        'property: same, nearly the same (with the difference) or not possible (with the reason). Ends with status 1 ' +
        'when a property is not possible.',
    )
    .argument('<file>', 'rule set, JSON')
    .option('--skill <attribute>', 'the number attribute that becomes the skill of players')
    .option('--name <queue>', 'name of the queue (default: that of the rule set)')
    .option('--out <folder>', 'write the definition to this folder instead, as QUEUE.json')
    .action((file: string, options: ImportOptions & { out?: string }) => {
      const { definition, lines } = importRuleSet(parseWith(flexMatchRuleSet, readJson(file), file), options);
      const checked = [...lines, ...faultsOf(definition)];
      for (const { property, outcome, note } of checked)
        console.error(`${property}: ${outcome}${note === undefined ? '' : ` (${note})`}`);
      if (options.out === undefined) printJson(definition);
      else {
        const text = `${JSON.stringify(definition, null, 2)}\n`;
        writeText(join(options.out, `${String(definition.name)}.json`), text);
      }
      if (checked.some(({ outcome }) => outcome === 'not possible')) process.exitCode = 1;
    });
}

/** The faults of the definition, such as more seats than a match can have. */
function faultsOf(definition: Imported['definition']): Imported['lines'] {
  try {
    checkQueueDefinition(definition, 'The definition');
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map(({ pointer, detail }) => ({
      property: `the definition's ${pointer}`,
      outcome: 'not possible' as const,
      note: detail,
    }));
  }
}
