import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import type { SecretGrants } from '../contract/secret-grants.ts';
import type { JwtOptions } from './api.ts';
import { cdkJsonContext, type DeployContext } from './cdk-context.ts';
import { MusterStack } from './muster-stack.ts';
import { stackOptions } from './stack-options.ts';
import type { Stage } from './stage-policy.ts';

export interface SynthesizeOptions {
  /**
   * The folder of queue definitions.
   * @default - `queues` beside the app
   */
  readonly queuesDir?: string | undefined;
  /**
   * The folder of ladder definitions.
   * @default - `ladders` beside that of the queues, if there is one
   */
  readonly laddersDir?: string | undefined;
  /**
   * Accept tokens of this issuer.
   * @default - the value in cdk.json, otherwise IAM
   */
  readonly jwt?: JwtOptions | undefined;
  /**
   * The queues that may use a secret besides their own and the shared ones.
   * @default - the value in cdk.json, otherwise none
   */
  readonly secretGrants?: SecretGrants | undefined;
  /**
   * Options as `cdk deploy` takes them with `-c`, before those in cdk.json: see `stack-options.ts`.
   * @default - those in cdk.json
   */
  readonly context?: DeployContext | undefined;
  /** @default 'dev' */
  readonly stage?: Stage | undefined;
  /**
   * Where the cloud assembly is written.
   * @default - a new temporary folder, which the caller deletes
   */
  readonly outdir?: string | undefined;
}

/** A CloudFormation template, as JSON. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each of AWS's resource types has its own properties
  readonly Properties?: any;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly DeletionPolicy?: 'Delete' | 'Retain';
  readonly UpdateReplacePolicy?: 'Delete' | 'Retain';
}

export interface Synthesized {
  /** The template that would be deployed. */
  readonly template: Template;
  /** The folder with a function's bundle (`index.mjs`), by its logical id. Throws when there is no such function. */
  readonly assetPathOf: (functionLogicalId: string) => string;
  /** Where the cloud assembly is. */
  readonly outdir: string;
}

/**
 * Synthesizes in this process the stack that `cdk deploy` deploys, with the same context and template but without
 * cdk-nag's checks. Needs no network, credentials or CLI. Throws when a definition is invalid.
 */
export function synthesize(options: SynthesizeOptions = {}): Synthesized {
  const context = {
    ...cdkJsonContext(),
    ...options.context,
    ...(options.queuesDir === undefined ? {} : { queues: options.queuesDir }),
    ...(options.laddersDir === undefined ? {} : { ladders: options.laddersDir }),
    ...(options.stage === undefined ? {} : { stage: options.stage }),
    ...(options.secretGrants === undefined ? {} : { secretGrants: options.secretGrants }),
    ...(options.jwt === undefined
      ? {}
      : { jwtIssuer: options.jwt.issuer, jwtAudience: options.jwt.audience.join(',') }),
    // Adds the path of each function's bundle to the template's metadata, as the CLI does.
    'aws:cdk:enable-asset-metadata': true,
  };
  const app = localApp(options.outdir, context);
  const stack = new MusterStack(app, 'Muster', stackOptions(app.node));
  const assembly = app.synth();
  const template: Template = assembly.getStackArtifact(stack.artifactId).template;
  return {
    template,
    outdir: assembly.directory,
    assetPathOf: (functionLogicalId) => {
      const path = template.Resources[functionLogicalId]?.Metadata?.['aws:asset:path'];
      if (typeof path === 'string') return join(assembly.directory, path);
      throw new Error(`Expected the logical id of a function with a bundle, got "${functionLogicalId}".`);
    },
  };
}

/**
 * An app that makes the same templates as with the CLI, without what only the CLI uses: its checks and statistics, the tree of
 * constructs, and where each was created. These take a fifth of the time.
 *
 * @param outdir where the cloud assembly is written. When omitted, a new temporary folder
 */
export function localApp(outdir: string | undefined, context: DeployContext = {}): App {
  return new App({
    context: { 'aws:cdk:disable-creation-stack-traces': true, ...context },
    ...(outdir !== undefined && { outdir }),
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
    treeMetadata: false,
  });
}
