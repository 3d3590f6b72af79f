import { ASSUMPTIONS } from './assumptions.ts';

/** The concurrent executions of an account: all functions share them. */
export class AccountExecutions {
  /** The number of rejected invocations. */
  throttled = 0;
  max = 0;
  #running = 0;

  /** Starts an execution, or returns false when the account has no more. */
  begin(): boolean {
    if (this.#running >= ASSUMPTIONS.accountExecutions) {
      this.throttled++;
      return false;
    }
    this.#running++;
    this.max = Math.max(this.max, this.#running);
    return true;
  }

  end(): void {
    this.#running--;
  }

  /** The number of executions that can still start. */
  get left(): number {
    return ASSUMPTIONS.accountExecutions - this.#running;
  }
}
